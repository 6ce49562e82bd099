"""Ranks, pair counts and AUC, counted in whole numbers and divided once."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_auc": ["PairCounts", "column_aucs", "pair_counts", "roc_auc"],
        "_bits": ["popcount", "trailing_zeros"],
        "_concordance": ["concordance"],
        "_ranks": ["doubled_ranks", "midranks"],
    },
)
