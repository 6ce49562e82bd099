"""Plain classification and regression: the first topic."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "criteria": ["cross_validation", "loss"],
        "measures": [
            "accuracy",
            "auc",
            "balanced_accuracy",
            "brier",
            "ece",
            "f1",
            "log_loss",
            "mae",
            "median_absolute_error",
            "r2",
            "rmse",
        ],
        "_evaluate": ["evaluate"],
        "_folds": ["training_folds"],
        "registry": ["CRITERIA", "LEARNERS", "MEASURES", "RULES"],
        "study": ["TOPIC"],
    },
)
