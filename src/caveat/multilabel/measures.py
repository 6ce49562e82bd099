"""The measures of many labels under this package's name."""

from caveat.measures.multilabel import (
    DegenerateWarning,
    MultiLabelReport,
    TieWarning,
    average_precision,
    coverage,
    evaluate,
    hamming_loss,
    instance_auc,
    instance_f1,
    macro_auc,
    macro_f1,
    micro_auc,
    micro_f1,
    one_error,
    ranking_loss,
)

__all__ = [
    "DegenerateWarning",
    "MultiLabelReport",
    "TieWarning",
    "average_precision",
    "coverage",
    "evaluate",
    "hamming_loss",
    "instance_auc",
    "instance_f1",
    "macro_auc",
    "macro_f1",
    "micro_auc",
    "micro_f1",
    "one_error",
    "ranking_loss",
]
