"""Every tabular model. To add one: its module, and a row here.

Facts: `family`; `row_wise`, a row's answer depends on that row alone, so that rows
may be stacked, reordered or answered once; `native_missing`, missing numbers reach
the model as they are; `constant`, all rows get the same answer; `counterpart`, who does
the same for the other task; `needs`, what the user has to bring; `seconds`, about what
one core takes to learn 1,000 rows of ten columns and to answer 100,000, by which
studies are planned; `tokens`, its cost grows with the columns, too;
`of_categories`, with the categorical ones only; `most_columns` and
`most_rows`, above which a study leaves the model out; `early`, settings with which
boosting stops as networks do, on a held-out fifth of the rows.
"""

from typing import Any

from caveat._registry import Entry, Registry
from caveat.models._network_entries import NETWORKS

_CLASSES = ("binary", "multiclass")
_ALL = ("binary", "multiclass", "regression")


def _facts(
    family: str,
    *,
    native_missing: bool,
    row_wise: bool = True,
    seconds: tuple[float, float] | None = None,
    early: dict[str, Any] | None = None,
) -> dict[str, Any]:
    facts = {
        "family": family,
        "row_wise": row_wise,
        "native_missing": native_missing,
        "seconds": seconds,
    }
    return facts if early is None else {**facts, "early": early}


# The share that networks hold out, and rounds that boosting seldom uses up.
def _early(rounds: str, most: int = 2000) -> dict[str, Any]:
    return {"validation": 0.2, rounds: most}


# Spaces of the feature-shift study (TabFSBench, Cheng et al. 2025, Tables 5 and 6).
_LIGHTGBM_SPACE: dict[str, dict[str, Any]] = {
    "num_leaves": {"choice": [31, 127]},
    "learning_rate": {"choice": [0.01, 0.1]},
    "min_data_in_leaf": {"choice": [20, 50, 100]},
    "min_sum_hessian_in_leaf": {"choice": [1e-3, 1e-2, 1e-1]},
}
_XGBOOST_SPACE: dict[str, dict[str, Any]] = {
    "learning_rate": {"choice": [0.01, 0.1]},
    "max_depth": {"choice": [1, 5, 9]},
    "n_estimators": {"choice": [10_000, 20_000, 30_000]},
    "subsample": {"choice": [0.5, 0.8, 1.0]},
    "colsample_bytree": {"choice": [0.5, 0.8, 1.0]},
    "min_child_weight": {"choice": [1, 3, 5]},
}
_CATBOOST_SPACE: dict[str, dict[str, Any]] = {
    "learning_rate": {"choice": [0.01, 0.05, 0.1]},
    "depth": {"choice": [4, 6, 8]},
    "iterations": {"choice": [500, 1000, 2000]},
}

_BUILT = [
    Entry(
        name="dummy",
        target="caveat.models._dummy:Dummy",
        summary="largest class and class shares, or the mean",
        tasks=_ALL,
        known_weak=True,
        facts={
            **_facts("baseline", native_missing=True, seconds=(0.01, 0.02)),
            "constant": True,
        },
    ),
    Entry(
        name="logistic-regression",
        target="caveat.models._linear:LogisticRegression",
        summary="multinomial, L2 penalty, standardised columns",
        grid={"C": [0.01, 0.1, 1.0, 10.0, 100.0]},
        space={"C": {"log-uniform": [1e-3, 1e3]}},
        tasks=_CLASSES,
        facts={
            **_facts("linear", native_missing=False, seconds=(0.03, 0.05)),
            "counterpart": "ridge",
        },
    ),
    Entry(
        name="ridge",
        target="caveat.models._linear:Ridge",
        summary="linear regression, L2 penalty, standardised columns",
        grid={"alpha": [0.01, 0.1, 1.0, 10.0, 100.0]},
        space={"alpha": {"log-uniform": [1e-3, 1e3]}},
        tasks=("regression",),
        facts={
            **_facts("linear", native_missing=False, seconds=(0.03, 0.05)),
            "counterpart": "logistic-regression",
        },
    ),
    Entry(
        name="k-nn",
        target="caveat.models._neighbours:NearestNeighbours",
        summary="nearest training rows, standardised columns",
        grid={"n_neighbors": [1, 5, 15, 45], "weights": ["uniform", "distance"]},
        space={
            "n_neighbors": {"integer": [1, 50]},
            "weights": {"choice": ["uniform", "distance"]},
        },
        tasks=_ALL,
        facts=_facts("neighbours", native_missing=False, seconds=(0.1, 6)),
    ),
    Entry(
        name="random-forest",
        target="caveat.models._forests:RandomForest",
        summary="trees on bootstrap samples",
        paper="Breiman (2001)",
        grid={"max_features": ["auto", 0.5], "min_samples_leaf": [1, 5]},
        space={
            "max_features": {"uniform": [0.1, 1.0]},
            "min_samples_leaf": {"integer": [1, 20]},
        },
        quick={"n_estimators": 15},
        tasks=_ALL,
        facts=_facts("trees", native_missing=True, seconds=(0.3, 0.2)),
    ),
    Entry(
        name="extra-trees",
        target="caveat.models._forests:ExtraTrees",
        summary="trees with random thresholds",
        paper="Geurts et al. (2006)",
        grid={"max_features": ["auto", 0.5], "min_samples_leaf": [1, 5]},
        space={
            "max_features": {"uniform": [0.1, 1.0]},
            "min_samples_leaf": {"integer": [1, 20]},
        },
        quick={"n_estimators": 15},
        tasks=_ALL,
        facts=_facts("trees", native_missing=True, seconds=(0.15, 0.25)),
    ),
    Entry(
        name="hist-gradient-boosting",
        target="caveat.models._hist_gradient_boosting:HistGradientBoosting",
        summary="scikit-learn's boosting on binned columns",
        paper="Ke et al. (2017)",
        grid={"learning_rate": [0.03, 0.1], "max_leaf_nodes": [8, 31]},
        space={
            "learning_rate": {"log-uniform": [0.01, 0.3]},
            "max_leaf_nodes": {"integer": [4, 63]},
            "min_samples_leaf": {"integer": [5, 50]},
            "l2_regularization": {"log-uniform": [1e-4, 10.0]},
        },
        quick={"max_iter": 15, "min_samples_leaf": 5},
        tasks=_ALL,
        facts=_facts(
            "boosting",
            native_missing=True,
            seconds=(0.7, 1.2),
            # scikit-learn's grows all of them before the best round is chosen.
            early=_early("max_iter", 300),
        ),
    ),
    Entry(
        name="lightgbm",
        target="caveat.models._lightgbm:LightGBM",
        display="LightGBM",
        summary="boosting, trees grow leaf by leaf",
        paper="Ke et al. (2017)",
        extra="trees",
        grid={"learning_rate": [0.01, 0.1], "num_leaves": [31, 127]},
        space=_LIGHTGBM_SPACE,
        quick={"n_estimators": 15, "min_data_in_leaf": 5},
        tasks=_ALL,
        facts=_facts(
            "boosting",
            native_missing=True,
            seconds=(0.1, 0.1),
            early=_early("n_estimators"),
        ),
    ),
    Entry(
        name="xgboost",
        target="caveat.models._xgboost:XGBoost",
        display="XGBoost",
        summary="boosting with second derivatives",
        paper="Chen & Guestrin (2016)",
        extra="trees",
        grid={"learning_rate": [0.01, 0.1], "max_depth": [3, 6, 9]},
        space=_XGBOOST_SPACE,
        quick={"n_estimators": 15},
        tasks=_ALL,
        facts=_facts(
            "boosting",
            native_missing=True,
            seconds=(0.15, 0.1),
            early=_early("n_estimators"),
        ),
    ),
    Entry(
        name="catboost",
        target="caveat.models._catboost:CatBoost",
        display="CatBoost",
        summary="boosting that reads categories as they are",
        paper="Prokhorenkova et al. (2018)",
        extra="trees",
        grid={"learning_rate": [0.01, 0.05, 0.1], "depth": [4, 6]},
        space=_CATBOOST_SPACE,
        quick={"iterations": 30, "learning_rate": 0.1},
        tasks=_ALL,
        facts=_facts(
            "boosting",
            native_missing=True,
            seconds=(1, 0.1),
            early=_early("iterations"),
        ),
    ),
    Entry(
        name="realmlp",
        target="caveat.models._realmlp:RealMLP",
        display="RealMLP",
        summary="a perceptron with tuned defaults",
        paper="Holzmüller et al. (2024)",
        extra="realmlp",
        quick={"n_epochs": 32},
        tasks=_ALL,
        facts=_facts("network", native_missing=False, seconds=(16, 2)),
    ),
    Entry(
        name="tabpfn",
        target="caveat.models._tabpfn:TabPFN",
        display="TabPFN",
        summary="a network trained on made-up tables; bring its weights",
        paper="Hollmann et al. (2025)",
        extra="foundation",
        grid={"n_estimators": [16, 32]},
        space={"n_estimators": {"choice": [16, 32]}},
        tasks=_ALL,
        facts={
            **_facts("foundation", native_missing=True, row_wise=False),
            "needs": "weights",
        },
    ),
    Entry(
        name="tabicl",
        target="caveat.models._tabicl:TabICL",
        display="TabICL",
        summary="in-context learning for larger tables; bring its weights",
        paper="Qu et al. (2025)",
        extra="foundation",
        grid={"n_estimators": [8, 32]},
        space={"n_estimators": {"choice": [8, 16, 32]}},
        tasks=_ALL,
        facts={
            **_facts("foundation", native_missing=True, row_wise=False),
            "needs": "weights",
        },
    ),
]

MODELS = Registry("model", [*_BUILT, *NETWORKS], entry_points_group="caveat.models")
