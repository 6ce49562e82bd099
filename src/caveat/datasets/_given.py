"""Whatever a person hands over: a path, a DataFrame or a Dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from caveat.datasets._dataset import Dataset
from caveat.datasets._frame import from_frame
from caveat.datasets._read import read
from caveat.exceptions import InvalidInput


def given(data: str | Path | pd.DataFrame | Dataset, **options: Any) -> Dataset:
    """Return it as a Dataset; a file and a table take the options of `read`.

    Examples
    --------
    >>> table = pd.DataFrame({"a": [1, 2, 3, 4], "y": ["n", "y", "n", "y"]})
    >>> given(table, target="y").task
    'binary'
    """
    if isinstance(data, Dataset):
        named = {name: value for name, value in options.items() if value}
        if named.get("target") not in (None, getattr(data.y, "name", None)):
            raise InvalidInput(
                f"target: found {named['target']!r}; the data set {data.name!r} has "
                f"its own, {getattr(data.y, 'name', None)!r}: leave it out"
            )
        return data
    if isinstance(data, pd.DataFrame):
        return from_frame(data, **options)
    if isinstance(data, str | Path):
        return read(data, **options)
    raise InvalidInput(
        f"data: found {type(data).__name__}; pass a path, a DataFrame or a Dataset"
    )
