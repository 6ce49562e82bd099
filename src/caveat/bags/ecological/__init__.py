"""Shares without labels: what they tell about single items, and what they cannot.

Ecological inference: from groups to their members. Learners give answers; sharp bounds
say how wrong those can be, whatever the labels are.
"""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_bounds": ["ShareBox", "accuracy_bounds", "effect_bounds"],
        "_effects": ["column_effects"],
        "_from_data": ["look_at_shares"],
        "result": ["SharesResult"],
        "page": [],
    },
)
