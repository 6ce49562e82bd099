"""Partial labels: a set of candidate labels for every item, one of them true."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_candidates": ["CandidateSets", "as_candidates"],
        "_table": ["check_several", "labels_of", "read_candidates"],
        "_statistics": [
            "UNSURE",
            "CandidateStatistics",
            "candidate_statistics",
            "confused_pairs",
        ],
        "_generators": [
            "complementary_candidates",
            "flip_candidates",
            "instance_candidates",
            "noisy_candidates",
            "uniform_candidates",
        ],
        "crowd._aggregation": [
            "Annotations",
            "aggregate_annotations",
            "annotator_curve",
            "first_annotations",
            "vaguest_annotation",
            "vote_annotations",
        ],
        "criteria": [
            "approximated_accuracy",
            "covering_rate",
            "debiased_covering_rate",
            "oracle_accuracy",
            "uniform_chance",
        ],
        "_algorithm": ["Algorithm"],
        "_splits": ["CandidateKFold"],
        "_classifier": ["CRITERIA", "PartialLabelClassifier"],
        "crowd": [],
        "crowd._long_table": ["Answers", "as_answers"],
        "crowd._vote": ["MajorityVote", "WeightedVote"],
        "crowd._dawid_skene": ["DawidSkene"],
        "crowd._skill": ["ClassSkill", "OneCoin"],
        "crowd._glad": ["GLAD"],
        "crowd._pooled": ["PooledCrowd"],
        "crowd._agreement": ["krippendorff_alpha", "pairwise_kappa"],
        "crowd._active_labelling": ["annotator_gain", "ask_again"],
        "_advice": [
            "Advice",
            "advise",
            "choose_criterion",
            "out_of_fold",
            "suggest_labels",
        ],
        "crowd._soft_targets": ["CrowdClassifier", "soft_targets"],
        "_ways": ["examine_candidates"],
        "_from_data": ["look"],
        "result": ["Result"],
        "_saved": ["load_model", "save_model"],
        "registry": ["algorithms"],
    },
)
