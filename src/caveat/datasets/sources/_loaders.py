"""Loaders that many rows of the registry share: bytes by file name in, data set out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from caveat.datasets._dataset import Dataset
from caveat.datasets._files import find_format
from caveat.datasets._frame import from_frame
from caveat.datasets._parse import parse
from caveat.datasets.readers._parquet import read_parquet

Files = Mapping[str, bytes]


def load_file(files: Files, form: str | None = None, **options: Any) -> Dataset:
    """Load a data set from one file, and from its companion if there are two.

    The format is told by the file's ending where `form` does not say it.
    """
    names = list(files)
    second = names[1] if len(names) > 1 else None
    return parse(
        files[names[0]],
        names[0],
        find_format(Path(names[0]), form),
        name=names[0],
        second=None if second is None else files[second],
        second_name=second or "",
        **options,
    )


def load_openml(files: Files, **options: Any) -> Dataset:
    """Load what was fetched from OpenML; the snapshot puts the target last."""
    name = next(iter(files))
    frame = read_parquet(files[name], name)
    return from_frame(frame, str(frame.columns[-1]), name=name, **options)
