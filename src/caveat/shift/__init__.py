"""Feature shift: what a model is worth when columns of training day vanish."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_curve": ["shift_curve"],
        "_export": ["export_shifted"],
        "_gaps": ["degradation_area", "performance_gap", "retained"],
        "_gaussian": ["Gaussian"],
        "_importance": ["feature_importance"],
        "_imputers": [
            "CellImputer",
            "Imputer",
            "Marginalise",
            "Mean",
            "Median",
            "Native",
            "RandomCell",
            "RowImputer",
            "Zero",
        ],
        "_iterative": ["Iterative"],
        "_look": ["Settings", "look"],
        "_models": ["models"],
        "_neighbours": ["Neighbours"],
        "_curve_table": ["ShiftCurve"],
        "_outages": ["Outage", "found_blocks"],
        "_rules": ["CallableRule", "FeatureRule", "Rules", "TreeRule"],
        "_scenarios": [
            "HEART_STAGES",
            "Increment",
            "Least",
            "Most",
            "Random",
            "Single",
            "Stages",
        ],
        "_subsets": ["Subsets", "unrank"],
        "_tuning": ["Tuning", "tune"],
        "_upper": ["upper_bound"],
        "page": [],
        "registry": [],
        "result": ["Result"],
    },
)
