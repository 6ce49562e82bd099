"""Several people's answers for every item: what is true, and whom to trust."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_long_table": ["Answers", "as_answers"],
        "_model": ["decide"],
        "_vote": ["MajorityVote", "WeightedVote"],
        "_dawid_skene": ["DawidSkene"],
        "_skill": ["ClassSkill", "OneCoin"],
        "_glad": ["GLAD"],
        "_pooled": ["PooledCrowd"],
        "_agreement": ["krippendorff_alpha", "pairwise_kappa"],
        "_held_out": ["HeldOut", "leave_out"],
        "_active_labelling": ["ambiguous_items", "annotator_gain", "ask_again"],
        "_registry": ["MODELS"],
    },
)
