"""Plain classification and regression: the first topic."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "criteria": ["cross_validation", "loss"],
        "_evaluate": ["evaluate"],
        "_folds": ["training_folds"],
        "registry": ["CRITERIA", "LEARNERS", "MEASURES", "RULES"],
        "study": ["TOPIC"],
    },
)
