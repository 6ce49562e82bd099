"""Learners, measures, criteria and rules of supervised learning, row by row."""

from math import inf

from caveat._registry import Entry, Registry, rule
from caveat.measures import Measures
from caveat.models.registry import MODELS

LEARNERS = Registry(
    "learner",
    [MODELS[name] for name in MODELS],
    entry_points_group="caveat.supervised",
)

MEASURES = Measures("binary", "multiclass", "regression")

_CROSS_VALIDATION = "caveat.supervised.criteria:cross_validation"

CRITERIA = Registry(
    "criterion",
    [
        Entry(
            name="cv-loss",
            target=_CROSS_VALIDATION,
            summary="log-loss (share of errors, RMSE) in cross-validation",
            facts={"direction": "min", "range": (0.0, inf)},
        ),
        *(
            Entry(
                name=f"cv-{measure.name}",
                target=_CROSS_VALIDATION,
                display=f"{measure.title} in cross-validation",
                summary=f"cross-validated: {measure.summary}",
                tasks=measure.tasks,
                facts={"direction": measure.direction, "range": measure.range},
            )
            for measure in MEASURES.values()
        ),
    ],
)

RULES = Registry(
    "rule",
    [
        rule(
            "cross-validation",
            "criterion.cv-loss",
            "smallest log-loss (share of errors, RMSE) in cross-validation",
            target=_CROSS_VALIDATION,
        ),
        *(
            rule(
                f"cross-validation-{measure.name}",
                f"criterion.cv-{measure.name}",
                f"best {measure.title} in cross-validation",
                target=_CROSS_VALIDATION,
                direction=measure.direction,
                tasks=measure.tasks,
            )
            for measure in MEASURES.values()
        ),
        rule(
            "oracle",
            "oracle.loss",
            "smallest log-loss (share of errors, RMSE) on the test part",
            target="caveat.supervised.criteria:loss",
        ),
    ],
)
