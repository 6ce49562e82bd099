"""What an audit runs and measures, row by row."""

from dataclasses import replace

from caveat._registry import Entry, Registry
from caveat.bags.registry import CRITERIA as SHARE_CRITERIA
from caveat.bags.registry import LEARNERS as SHARE_LEARNERS
from caveat.candidates.registry import CRITERIA as SET_CRITERIA
from caveat.candidates.registry import LEARNERS as SET_LEARNERS
from caveat.measures import get
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
            name="floor",
            target="caveat.audit._floor:floor_of",
            summary="what is reached without learning: constant, one column, clusters, "
            "the nearest row",
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

UPPER_HALF_AUC = replace(
    get("auc"),
    name="upper-half-auc",
    display="AUC of the upper half",
    summary="share of pairs in order, one above and one below the median",
    tasks=("regression",),
)

MEASURES = Registry(
    "measure",
    [
        *(get(name) for name in ("auc", "accuracy", "log-loss", "rmse", "mae", "r2")),
        UPPER_HALF_AUC,
        Entry(
            name="covered",
            target="caveat.candidates:covering_rate",
            summary="share of rows whose most probable label is a candidate",
            facts={"direction": "max", "range": (0.0, 1.0)},
        ),
        replace(
            get("accuracy"),
            name="right",
            summary="share of suggestions, each among the candidates, that are true",
        ),
        *TARGET_MEASURES.values(),
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
