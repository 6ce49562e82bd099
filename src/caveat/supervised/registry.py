"""Learners, measures, criteria and rules of supervised learning, row by row."""

from math import inf

from caveat._registry import Entry, Registry
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
                facts={
                    "direction": measure.direction,
                    "range": measure.range,
                },
            )
            for measure in MEASURES.values()
        ),
    ],
)

RULES = Registry(
    "rule",
    [
        Entry(
            name="cross-validation",
            target=_CROSS_VALIDATION,
            summary="smallest log-loss (share of errors, RMSE) in cross-validation",
            facts={
                "column": "criterion.cv-loss",
                "checkpoint": "best",
                "oracle": False,
                "direction": "min",
            },
        ),
        *(
            Entry(
                name=f"cross-validation-{measure.name}",
                target=_CROSS_VALIDATION,
                summary=f"best {measure.title} in cross-validation",
                tasks=measure.tasks,
                facts={
                    "column": f"criterion.cv-{measure.name}",
                    "checkpoint": "best",
                    "oracle": False,
                    "direction": measure.direction,
                },
            )
            for measure in MEASURES.values()
        ),
        Entry(
            name="oracle",
            target="caveat.supervised.criteria:loss",
            summary="smallest log-loss (share of errors, RMSE) on the test part",
            facts={
                "column": "oracle.loss",
                "checkpoint": "best",
                "oracle": True,
                "direction": "min",
            },
        ),
    ],
)
