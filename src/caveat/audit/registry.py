"""What an audit runs and measures, row by row."""

from math import inf

from caveat._registry import Entry, Registry
from caveat.bags.registry import CRITERIA as SHARE_CRITERIA
from caveat.bags.registry import LEARNERS as SHARE_LEARNERS
from caveat.candidates.registry import CRITERIA as SET_CRITERIA
from caveat.candidates.registry import LEARNERS as SET_LEARNERS
from caveat.models.registry import MODELS
from caveat.multilabel.registry import LEARNERS as TARGET_LEARNERS
from caveat.multilabel.registry import MEASURES as TARGET_MEASURES

# What each part on weaker labels tries: a few learners of different kinds, none slow.
TARGETS = ("popularity", "br-logistic", "ml-knn", "limo", "forest")
SHARES = ("em-lr", "mm", "lmm", "bag-forward-correction", "inverse-calibration")
SETS = ("proden", "pop", "cc", "scl-nl")

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
            target="caveat.eapp._eapp:EAPP",
            display="EAPP",
            summary="what clusters reach without labels",
        ),
        Entry(
            name="predictions",
            target="caveat.audit._score:given_answers",
            display="your scores",
            summary="scores from a file",
        ),
        Entry(
            name="groups",
            target="caveat.audit._shares:look_at_groups",
            summary="groups whose shares are known: variant, spread, sizes",
        ),
        Entry(
            name="sets",
            target="caveat.audit._sets:look_at_sets",
            summary="candidate labels: how many, how wrong",
        ),
        *(MODELS[name] for name in MODELS),
        *(TARGET_LEARNERS[name] for name in TARGETS),
        *(SHARE_LEARNERS[name] for name in SHARES),
        *(SET_LEARNERS[name] for name in SETS),
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
        Entry(
            name="covered",
            target="caveat.candidates.criteria:covering_rate",
            summary="share of rows whose most probable label is a candidate",
            facts={"direction": "max", "range": (0.0, 1.0)},
        ),
        Entry(
            name="right",
            target="caveat.supervised.measures:accuracy",
            summary="share of suggestions, each among the candidates, that are true",
            facts={"direction": "max", "range": (0.0, 1.0)},
        ),
        *(TARGET_MEASURES[name] for name in TARGET_MEASURES),
    ],
)

CRITERIA = Registry(
    "criterion",
    [
        *(SHARE_CRITERIA[name] for name in SHARE_CRITERIA),
        *(SET_CRITERIA[name] for name in SET_CRITERIA),
    ],
)
RULES = Registry("rule", [])
