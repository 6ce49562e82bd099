"""What an audit runs and measures, row by row."""

from dataclasses import replace

from caveat._registry import Entry, Registry
from caveat.measures import get
from caveat.models.registry import MODELS

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
            name="multilabel",
            target="caveat.audit._topics:examine_targets",
            summary="several targets at once: learners, by eleven measures",
        ),
        Entry(
            name="bags",
            target="caveat.audit._topics:examine_groups",
            summary="groups whose shares are known: what can be learnt from them",
        ),
        Entry(
            name="candidates",
            target="caveat.audit._topics:examine_sets",
            summary="candidate labels: suggestions, and how right they are",
        ),
        *(MODELS[name] for name in MODELS),
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
    ],
)

CRITERIA = Registry("criterion", [])
RULES = Registry("rule", [])
