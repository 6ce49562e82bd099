"""Every data set: the rows of the TOML files in `catalogue`.

To add one: a row there (what it needs, `caveat data digest` computes), and a loader
where no reader of files will do.
"""

from __future__ import annotations

from pathlib import Path

from caveat._registry import Registry
from caveat.datasets.catalogue._catalogue import read_catalogue

CATALOGUE = Path(__file__).with_name("catalogue")
TOPICS = ("embedded", "bags", "candidates", "multilabel", "shift", "eapp")

DATASETS = Registry(
    "data set",
    read_catalogue(CATALOGUE / f"{topic}.toml" for topic in TOPICS),
    entry_points_group="caveat.datasets",
)
