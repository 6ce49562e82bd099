"""Honest evaluation of classifiers: a score without its conditions is half a result."""

from caveat._lazy import attach

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "audit": [],
        "bags": [],
        "board": [],
        "candidates": [],
        "datasets": [],
        "eapp": [],
        "exceptions": [],
        "models": [],
        "multilabel": [],
        "pages": [],
        "shift": [],
        "statistics": [],
        "study": [],
        "supervised": [],
        "testing": [],
    },
)
