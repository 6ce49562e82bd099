"""Whatever a person hands over: a path, a DataFrame or a Dataset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from caveat.datasets._dataset import Dataset
from caveat.datasets._frame import from_frame
from caveat.datasets._load import find
from caveat.datasets._read import read
from caveat.datasets._reference import Reference, resolve
from caveat.datasets._roles import columns_left_out, positive_class
from caveat.datasets.home._imported import OWN
from caveat.exceptions import InvalidInput, UnknownName


def given(
    data: str | Path | pd.DataFrame | Dataset,
    *,
    keep: Sequence[str] = (),
    **options: Any,
) -> Dataset:
    """Return it as a Dataset; a file and a table take the options of `read`.

    The one reader of all looks: columns of a file or table that only date or name
    their rows, or say the same everywhere, are left out and listed in `left_out`. A
    Dataset is taken as it is.

    Parameters
    ----------
    data : path, DataFrame or Dataset
    keep : sequence of str
        Columns that stay features, whatever they look like.
    options
        Those of `read`.

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
        return features_only(from_frame(data, **options), keep=keep)
    if isinstance(data, str | Path):
        return features_only(read(data, **options), keep=keep)
    raise InvalidInput(
        f"data: found {type(data).__name__}; pass a path, a DataFrame or a Dataset"
    )


def referred(reference: Reference) -> Dataset:
    """Load what a study refers to, and read a person's own file as `given` does.

    Of two classes the positive one comes last, as measures take it.

    Examples
    --------
    >>> referred("iris").left_out
    {}
    """
    dataset = resolve(reference)
    if isinstance(reference, str):
        own = find(reference).target == OWN
        return _noted(features_only(dataset)) if own else dataset
    return _noted(features_only(dataset, keep=reference.get("keep", ())))


def _noted(dataset: Dataset) -> Dataset:
    """Tell how a file was read, for a report that shows the notes of its data."""
    told = [
        f"column {name!r} was left out: {why}; keep: [{name}] makes it a feature"
        for name, why in dataset.left_out.items()
    ]
    classes = dataset.classes
    if dataset.task == "binary" and len(classes) == 2:
        positive = positive_class(dataset.y)
        classes = (*(one for one in classes if one != positive), positive)
        told.append(f"{str(positive)!r} is the positive class, which F1 is about")
    return replace(dataset, classes=classes, notes=(*dataset.notes, *told))


def features_only(dataset: Dataset, *, keep: Sequence[str] = ()) -> Dataset:
    """Leave out the columns that are no features, and list them in `left_out`.

    Columns with a role (`groups`, `order`) stay. Where nothing would be left, all do.
    """
    if dataset.image_shape is not None:
        return dataset
    unknown = [name for name in keep if name not in dataset.X.columns]
    if unknown:
        raise UnknownName.among("column", unknown[0], list(dataset.X.columns))
    roles = [name for name in (dataset.groups, dataset.order) if name is not None]
    out = columns_left_out(dataset.X, dataset.kinds, keep=[*keep, *roles])
    rest = [name for name in dataset.X.columns if name not in out]
    if not out or not rest:
        return dataset
    return replace(
        dataset,
        X=dataset.X[rest],
        kinds={name: dataset.kinds[name] for name in rest},
        left_out={**dataset.left_out, **out},
    )


def file_name(data: Any, otherwise: str) -> str:
    """Give the name of a file without its folder; of other data that they have."""
    return Path(data).name if isinstance(data, str | Path) else otherwise
