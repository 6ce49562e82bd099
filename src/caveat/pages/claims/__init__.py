"""What a page may say: one class per kind of claim, with its numbers and its words."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_estimate": ["Estimate", "score", "score_facts", "started", "written"],
        "_claim": ["Claim", "Standing", "count_claims", "heading"],
        "_scores": ["SHUFFLES", "AgainstFloor", "Value", "past"],
        "_comparisons": ["Agreement", "Chosen", "Comparison", "Standings", "Tie"],
        "_changes": ["Loss", "Remedy"],
        "_limits": ["Absence", "Condition", "Unfinished", "remarks"],
    },
)
