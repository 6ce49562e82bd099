"""Every data set. To add one: a row in one of these tables, and its loader."""

from __future__ import annotations

from caveat._registry import Registry
from caveat.datasets._rows_bags import PROPORTIONS
from caveat.datasets._rows_candidates import PARTIAL
from caveat.datasets._rows_eapp import EAPP
from caveat.datasets._rows_embedded import EMBEDDED
from caveat.datasets._rows_multilabel import MULTILABEL
from caveat.datasets._rows_shift import SHIFT

DATASETS = Registry(
    "data set",
    [*EMBEDDED, *PROPORTIONS, *PARTIAL, *MULTILABEL, *SHIFT, *EAPP],
    entry_points_group="caveat.datasets",
)
