"""From a sample's name to its files in a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from caveat._files import write_whole
from caveat.exceptions import InvalidInput

SEED = 2026


@dataclass(frozen=True)
class Sample:
    """A sample: its tables by file name (the first is the main one), and its story."""

    tables: dict[str, pd.DataFrame]
    story: str


def make_sample(name: str) -> Sample:
    """Make a sample; the same tables every time.

    Examples
    --------
    >>> list(make_sample("loans").tables)
    ['loans.csv']
    """
    from caveat.datasets.samples.registry import SAMPLES

    return SAMPLES[name].load()(np.random.default_rng(SEED))


def write_sample(name: str, folder: str | Path = ".") -> Path:
    """Write a sample's files into a folder and return the path of the main one.

    Parameters
    ----------
    name : str
        See `SAMPLES`.
    folder : path
        Made if it is not there. A file that is there and differs is not overwritten.
    """
    sample = make_sample(name)
    place = Path(folder)
    texts = {
        file: table.to_csv(index=False, lineterminator="\n").encode("utf-8")
        for file, table in sample.tables.items()
    }
    texts[f"{name}-story.txt"] = (sample.story + "\n").encode("utf-8")
    for file, text in texts.items():
        path = place / file
        if path.exists() and (not path.is_file() or path.read_bytes() != text):
            raise InvalidInput(
                f"{str(path)!r} is there already and differs; name another folder: "
                f"caveat sample {name} FOLDER"
            )
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(
            f"cannot make the folder {str(place)!r} ({error.strerror}); name another"
        ) from error
    for file, text in texts.items():
        write_whole(place / file, text)
    return place / next(iter(sample.tables))
