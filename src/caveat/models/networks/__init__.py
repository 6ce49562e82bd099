"""Neural networks for tables, one file each, on the one training loop."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_base": ["NetworkModel"],
        "_layout": ["Layout"],
        "_mlp": ["MLP"],
    },
)
