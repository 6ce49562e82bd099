"""Every data set. To add one: a row here (or in a table below), and its loader."""

from __future__ import annotations

from caveat._registry import Registry
from caveat.datasets._rows_embedded import EMBEDDED

DATASETS = Registry(
    "data set",
    [*EMBEDDED],
    entry_points_group="caveat.datasets",
)
