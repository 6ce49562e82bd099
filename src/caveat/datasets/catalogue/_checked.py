"""What a loader gave, held against the row that promises it."""

from __future__ import annotations

import dataclasses
from typing import Any

from caveat._registry import Entry
from caveat.datasets._dataset import Dataset
from caveat.datasets._frame import from_frame
from caveat.exceptions import DataError, InvalidInput


def checked(entry: Entry, loaded: Any) -> Dataset:
    """Complete what a loader gave by the facts of its row, or refuse a mismatch."""
    facts = entry.facts
    if isinstance(loaded, tuple) and len(loaded) == 2:
        X, y = loaded
        loaded = from_frame(X.assign(target=y), "target", task=facts.get("task"))
    if not isinstance(loaded, Dataset):
        raise InvalidInput(
            f"the loader of data set {entry.name!r} gave a {type(loaded).__name__}; "
            "it must give a Dataset or a pair (X, y)"
        )
    found = {
        "task": loaded.task,
        "rows": len(loaded),
        "columns": loaded.X.shape[1],
        "classes": len(loaded.classes) or None,
    }
    for fact, value in found.items():
        if facts.get(fact) not in (None, value):
            raise DataError(
                f"data set {entry.name!r} should have {fact} {facts[fact]}, but what "
                f"was loaded has {value}; it is another data set, or another version"
            )
    return dataclasses.replace(
        loaded,
        name=entry.name,
        source=facts.get("source") or loaded.source,
        licence=facts.get("licence") or loaded.licence,
        notes=(*facts.get("notes", ()), *loaded.notes),
    )
