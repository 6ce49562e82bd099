"""Learning from label proportions: bags in, a classifier of items out."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_bags": ["Bags", "Feasibility", "check_feasibility", "make_bags"],
        "_feature_bags": ["feature_bags", "random_bags"],
        "_standard": ["StandardBags", "standard_bags"],
        "_shares": ["bag_proportions"],
        "_examination": ["BagExamination"],
        "_examine": ["examine_bags"],
        "_hardness": ["Hardness", "bag_hardness"],
        "_variants": ["VariantReport", "identify_variant"],
        "_search": ["Selection", "search"],
        "_splits": [
            "FullBagKFold",
            "SplitBagBootstrap",
            "SplitBagKFold",
            "SplitBagShuffle",
        ],
        "_base": ["BagClassifier", "fit_together"],
        "_mean_map": ["MeanMap"],
        "_laplacian_mean_map": ["LaplacianMeanMap"],
        "_alternating_mean_map": ["AlternatingMeanMap"],
        "_em": ["EMLogisticRegression"],
        "_forward_correction": ["BagForwardCorrection"],
        "_forward_network": ["BagForwardNetwork"],
        "_inverse_calibration": ["InverseCalibration"],
        "_dllp": ["DLLPClassifier"],
        "_vat": ["LLPVAT"],
        "_easy_llp": ["EasyLLP"],
    },
)
