"""Tabular models behind one registry: raw tables in, predictions out."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_base": ["TabularModel"],
        "_catboost": ["CatBoost"],
        "_dummy": ["Dummy"],
        "_forests": ["ExtraTrees", "RandomForest"],
        "_hist_gradient_boosting": ["HistGradientBoosting"],
        "_lightgbm": ["LightGBM"],
        "_linear": ["LogisticRegression", "Ridge"],
        "_make": ["available", "counterpart", "make_model", "names_for"],
        "_neighbours": ["NearestNeighbours"],
        "_tabicl": ["TabICL"],
        "_tabpfn": ["TabPFN"],
        "_xgboost": ["XGBoost"],
        "networks._base": ["NetworkModel"],
        "networks._mlp": ["MLP"],
        "registry": ["MODELS"],
    },
)
