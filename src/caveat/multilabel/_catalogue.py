"""What is known about the eleven measures before any score is computed.

Directions and ranges follow Table 1 of Wu & Zhou (2017), the columns `served_by`
and `threshold` follow their Table 2: which kind of margin, made positive
everywhere, is proved to optimise a measure.
"""

from __future__ import annotations

from dataclasses import dataclass

LABEL_WISE = "label-wise"
INSTANCE_WISE = "instance-wise"
DOUBLE = "double"


@dataclass(frozen=True)
class Measure:
    """One row of the catalogue.

    Attributes
    ----------
    name : str
        The function's name, and the key in the result of `evaluate`.
    title : str
        How pages spell it.
    higher_is_better : bool
        Its direction.
    needs : str
        ``scores`` or ``decisions``.
    served_by : tuple of str
        Which effectiveness is proved to optimise it.
    threshold : str
        Where the threshold belongs that the proof assumes, or an empty string.
    why : str
        One sentence: what the measure compares.
    """

    name: str
    title: str
    higher_is_better: bool
    needs: str
    served_by: tuple[str, ...]
    threshold: str
    why: str

    @property
    def direction(self) -> str:
        """``max`` or ``min``, as registries write it."""
        return "max" if self.higher_is_better else "min"


_ROWS = [
    Measure(
        "hamming_loss", "Hamming loss", False, "decisions",
        (LABEL_WISE, INSTANCE_WISE, DOUBLE), "per instance or per label",
        "It counts wrong entries, wherever they stand.",
    ),
    Measure(
        "ranking_loss", "ranking loss", False, "scores",
        (LABEL_WISE, DOUBLE), "",
        "It compares the labels of one instance with one another.",
    ),
    Measure(
        "one_error", "one-error", False, "scores",
        (LABEL_WISE, DOUBLE), "",
        "It looks at the top label of each instance.",
    ),
    Measure(
        "coverage", "coverage", False, "scores",
        (LABEL_WISE, DOUBLE), "",
        "It walks down each instance's list to its last relevant label.",
    ),
    Measure(
        "average_precision", "average precision", True, "scores",
        (LABEL_WISE, DOUBLE), "",
        "It compares the labels of one instance, the top of the list most.",
    ),
    Measure(
        "macro_f1", "macro-F1", True, "decisions",
        (INSTANCE_WISE, DOUBLE), "per label",
        "It judges label by label, rare labels as much as common ones.",
    ),
    Measure(
        "instance_f1", "instance-F1", True, "decisions",
        (LABEL_WISE, DOUBLE), "per instance",
        "It judges instance by instance.",
    ),
    Measure(
        "micro_f1", "micro-F1", True, "decisions",
        (LABEL_WISE, DOUBLE), "per instance",
        "It pools all entries, so common labels and full rows weigh most.",
    ),
    Measure(
        "macro_auc", "macro-AUC", True, "scores",
        (INSTANCE_WISE, DOUBLE), "",
        "It compares the instances of one label with one another.",
    ),
    Measure(
        "instance_auc", "instance-AUC", True, "scores",
        (LABEL_WISE, DOUBLE), "",
        "It compares the labels of one instance with one another.",
    ),
    Measure(
        "micro_auc", "micro-AUC", True, "scores",
        (DOUBLE,), "",
        "It compares every score with every other, across instances and labels.",
    ),
]  # fmt: skip

MEASURES: dict[str, Measure] = {row.name: row for row in _ROWS}
SCORE_MEASURES = tuple(row.name for row in _ROWS if row.needs == "scores")
DECISION_MEASURES = tuple(row.name for row in _ROWS if row.needs == "decisions")
