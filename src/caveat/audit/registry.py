"""What an audit runs and measures, row by row."""

from math import inf

from caveat._registry import Entry, Registry
from caveat.models.registry import MODELS

LEARNERS = Registry(
    "learner",
    [
        Entry(
            name="columns",
            target="caveat.audit._columns:examine",
            summary="the table itself: columns, copies, gaps",
        ),
        Entry(
            name="eapp",
            target="caveat.baseline._eapp:EAPP",
            display="EAPP",
            summary="what clusters reach without labels",
        ),
        Entry(
            name="predictions",
            target="caveat.audit._score:given_answers",
            summary="scores from a file",
        ),
        *(MODELS[name] for name in MODELS),
    ],
    entry_points_group="caveat.models",
)

_CLASSES = ("binary", "multiclass")

MEASURES = Registry(
    "measure",
    [
        Entry(
            name="auc",
            target="caveat.audit._measures:mean_auc",
            display="AUC",
            summary="share of pairs in the right order; mean of one against the rest",
            tasks=_CLASSES,
            facts={"direction": "max", "range": (0.0, 1.0)},
        ),
        Entry(
            name="accuracy",
            target="caveat.supervised.measures:accuracy",
            summary="share of rows with the right label",
            tasks=_CLASSES,
            facts={"direction": "max", "range": (0.0, 1.0)},
        ),
        Entry(
            name="log-loss",
            target="caveat.supervised.measures:log_loss",
            summary="mean surprise about the true label",
            tasks=_CLASSES,
            facts={"direction": "min", "range": (0.0, inf)},
        ),
        Entry(
            name="rmse",
            target="caveat.supervised.measures:rmse",
            display="RMSE",
            summary="root of the mean squared error",
            tasks=("regression",),
            facts={"direction": "min", "range": (0.0, inf)},
        ),
        Entry(
            name="mae",
            target="caveat.supervised.measures:mae",
            display="MAE",
            summary="mean absolute error",
            tasks=("regression",),
            facts={"direction": "min", "range": (0.0, inf)},
        ),
        Entry(
            name="r2",
            target="caveat.supervised.measures:r2",
            display="R²",
            summary="share of the variance that is explained",
            tasks=("regression",),
            facts={"direction": "max", "range": (-inf, 1.0)},
        ),
        Entry(
            name="upper-half-auc",
            target="caveat.audit._measures:mean_auc",
            display="AUC of the upper half",
            summary="share of pairs in order, one above and one below the median",
            tasks=("regression",),
            facts={"direction": "max", "range": (0.0, 1.0)},
        ),
    ],
)

CRITERIA = Registry("criterion", [])
RULES = Registry("rule", [])
