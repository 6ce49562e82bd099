"""Many labels at once: eleven measures that disagree, two margins that say why."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_conventions": ["DegenerateWarning", "TieWarning"],
        "_evaluate": ["evaluate"],
        "_report": ["MultiLabelReport"],
        "measures": [
            "average_precision",
            "coverage",
            "hamming_loss",
            "instance_auc",
            "instance_f1",
            "macro_auc",
            "macro_f1",
            "micro_auc",
            "micro_f1",
            "one_error",
            "ranking_loss",
        ],
    },
)
