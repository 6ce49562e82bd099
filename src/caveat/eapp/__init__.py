"""How much of a score is free: what clusters know without a single label (EAPP)."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_eapp": ["EAPP"],
        "labelings._best": ["best_labeling"],
        "_probe": ["bias_probe"],
        "_from_data": ["look"],
        "result": ["Result"],
    },
)
