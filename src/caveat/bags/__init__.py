"""Learning from label proportions: bags in, a classifier of items out."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "worlds._bags": ["Bags", "Feasibility", "check_feasibility", "make_bags"],
        "worlds._feature_bags": ["feature_bags", "random_bags"],
        "worlds._noisy_shares": ["noisy_shares", "private_shares"],
        "worlds._standard": ["StandardBags", "standard_bags"],
        "worlds._export": ["export_standard_bags"],
        "_shares": ["bag_proportions", "share_table"],
        "_examine": ["QUICK_GRIDS", "examine_bags"],
        "_from_data": ["look"],
        "result": ["Result"],
        "page": [],
        "variants._hardness": ["Hardness", "bag_hardness"],
        "variants._identify": ["TESTS", "VariantReport", "identify_variant"],
        "selection._search": ["STRATEGIES", "Selection", "search"],
        "selection._scorer": ["BagScorer", "bag_scorer"],
        "selection._splits": [
            "FullBagKFold",
            "SplitBagBootstrap",
            "SplitBagKFold",
            "SplitBagShuffle",
        ],
        "learners._base": ["BagClassifier", "fit_together"],
        "learners._mean_map": ["MeanMap"],
        "learners._laplacian_mean_map": ["LaplacianMeanMap"],
        "learners._alternating_mean_map": ["AlternatingMeanMap"],
        "learners._em": ["EMLogisticRegression"],
        "learners._forward_correction": ["BagForwardCorrection"],
        "learners._forward_network": ["BagForwardNetwork"],
        "learners._inverse_calibration": ["InverseCalibration"],
        "learners._proportion_svm": ["ProportionSVM"],
        "learners._dllp": ["DLLPClassifier"],
        "learners._vat": ["LLPVAT"],
        "learners._easy_llp": ["EasyLLP"],
        "learners._mix_bag": ["MixBag"],
        "learners._transport": ["TransportLLP"],
        "losses": [],
    },
)
