"""Measures of many labels: eleven functions, and all of them in one pass."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_blocks": ["LabelRows", "ScoreRows", "row_blocks"],
        "_checks": ["check_fits", "check_same", "frame_names", "plain_matrix"],
        "_conventions": [
            "Conventions",
            "DegenerateWarning",
            "TieWarning",
            "ZeroDivision",
            "check_zero_division",
        ],
        "_evaluate": ["evaluate"],
        "_facts": ["decision_facts", "score_facts"],
        "_formulas": ["hamming_terms", "terms_of"],
        "_functions": [
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
        "_report": ["MultiLabelReport"],
        "_weighted": ["Resampler"],
    },
)
