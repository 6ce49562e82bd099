"""The models that are put through feature shift: those of `caveat.models`."""

from __future__ import annotations

import pandas as pd

from caveat.models import available


def models() -> pd.DataFrame:
    """List all models by name: `name`, `family`, `tasks`, `extra`.

    Examples
    --------
    >>> models().set_index("name").loc["lightgbm", "extra"]
    'trees'
    """
    return available()
