"""Figures that several topics need, each drawn once: estimates in, a `Figure` out."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_line": ["Mark", "score_line"],
        "_dots": ["Dot", "score_dots"],
        "_ladder": ["Rung", "ladder"],
        "_curves": ["Curve", "columns_missing", "curves", "decay"],
        "_matrix": ["matrix"],
        "_range": ["interval_range", "shown_range"],
        "_pairs": ["Pair", "paired_dots"],
    },
)
