"""Whose losses are priced: the user's model, or models of caveat's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from caveat.exceptions import InvalidInput
from caveat.models import load as load_model
from caveat.shift._look_rows import Rows
from caveat.shift._look_settings import Settings
from caveat.shift.language import is_endpoint, prompted
from caveat.shift.prices._folds import Contender, given_contender, usual_contenders
from caveat.shift.result import UNNAMED


def load_given(model: Any, trust: bool, how: Settings) -> tuple[str, Any]:
    """Name and load the user's model: an object, a file, or an endpoint's address."""
    if not isinstance(model, str | Path):
        return UNNAMED, model
    if is_endpoint(model):
        made = prompted(str(model), how.asking)
        return made.endpoint.model, made
    return Path(model).name, load_model(model, trust=trust)


def contenders_of(
    name: str, model: Any, rows: Rows, how: Settings
) -> tuple[list[Contender], list[str]]:
    """List whose losses are priced, the user's model first, and what to note."""
    if model is None:
        return usual_contenders(how.models, rows.task, how.random_state)
    labels = _labels(model, rows)
    notes = []
    if labels is not None:
        pairs = ", ".join(f"{place} is {one}" for place, one in enumerate(labels))
        notes.append(
            f"the classes of {name} are numbers, and those of the rows were taken in "
            f"the order of their names: {pairs}"
        )
    found = [given_contender(name, model, labels)]
    if how.models:
        more, told = usual_contenders(
            how.models, rows.task, how.random_state, beside=[model]
        )
        return [*found, *more], [*notes, *told]
    return found, notes


def _labels(model: Any, rows: Rows) -> list[Any] | None:
    """Name the classes of a model that numbers them, as the rows do; else None."""
    numbers = getattr(model, "classes_", None)
    if numbers is None or rows.task == "regression":
        return None
    known = np.asarray(numbers).tolist()
    labels = sorted(pd.unique(rows.folds[0].y_train))
    if set(labels) <= set(known):
        return None
    if known == list(range(len(labels))):
        return labels
    if set(labels) & set(known):
        return None
    raise InvalidInput(
        f"the model knows the classes {known[:5]}, the rows have "
        f"{labels[:5]}; name the target with --target"
    )


def made_up(names: Sequence[Any]) -> bool:
    """Whether a library numbered the columns of an array, which had no names."""
    told = [str(name) for name in names]
    return any(
        told == [f"{word}{place}" for place in range(len(told))]
        for word in ("", "Column_")
    )
