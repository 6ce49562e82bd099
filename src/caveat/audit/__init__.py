"""The page about a person's file: what its score is worth, and under which conditions.

It scans the table, tries the remedies that it calls for, holds what survives against
what needs no learning, and asks what happens when columns vanish.
"""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_pictures": ["look_pictures"],
        "_run": ["Audit", "audit", "look"],
        "_settings": ["Settings"],
        "page": [],
        "registry": [],
        "result": [],
        "scan": [],
        "study": [],
    },
)
