"""The page about a person's file: what its score is worth, and under which conditions.

It composes the other topics: the table itself, what clusters reach without labels,
models over folds, and what happens when columns vanish.
"""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_audit": ["Audit", "audit"],
        "_plan": ["Settings"],
        "_reading": ["Reading"],
        "_remark": ["Remark"],
        "registry": [],
        "study": [],
    },
)
