"""Learners, measures, criteria and rules of supervised learning, row by row."""

from math import inf

from caveat._registry import Entry, Registry
from caveat.models.registry import MODELS

_CLASSES = ("binary", "multiclass")
_NUMBERS = ("regression",)

LEARNERS = Registry(
    "learner",
    [MODELS[name] for name in MODELS],
    entry_points_group="caveat.supervised",
)

MEASURES = Registry(
    "measure",
    [
        Entry(
            name="accuracy",
            target="caveat.supervised.measures:accuracy",
            summary="share of rows with the right label",
            tasks=_CLASSES,
            facts={"direction": "max", "range": (0.0, 1.0), "needs": "labels"},
        ),
        Entry(
            name="balanced-accuracy",
            target="caveat.supervised.measures:balanced_accuracy",
            summary="mean over classes of the share found",
            tasks=_CLASSES,
            facts={"direction": "max", "range": (0.0, 1.0), "needs": "labels"},
        ),
        Entry(
            name="f1",
            target="caveat.supervised.measures:f1",
            display="F1",
            summary="precision and recall in one; of class two, or mean over classes",
            tasks=_CLASSES,
            facts={"direction": "max", "range": (0.0, 1.0), "needs": "labels"},
        ),
        Entry(
            name="auc",
            target="caveat.supervised.measures:auc",
            display="AUC",
            summary="share of pairs in the right order; mean of one against the rest",
            paper="Hanley & McNeil (1982)",
            tasks=_CLASSES,
            facts={"direction": "max", "range": (0.0, 1.0), "needs": "probabilities"},
        ),
        Entry(
            name="log-loss",
            target="caveat.supervised.measures:log_loss",
            summary="mean surprise about the true label",
            tasks=_CLASSES,
            facts={"direction": "min", "range": (0.0, inf), "needs": "probabilities"},
        ),
        Entry(
            name="brier",
            target="caveat.supervised.measures:brier",
            display="Brier score",
            summary="squared distance of probabilities from the truth",
            paper="Brier (1950)",
            tasks=_CLASSES,
            facts={"direction": "min", "range": (0.0, 2.0), "needs": "probabilities"},
        ),
        Entry(
            name="ece",
            target="caveat.supervised.measures:ece",
            display="ECE",
            summary="distance of confidence and accuracy, 15 bins",
            paper="Guo et al. (2017)",
            tasks=_CLASSES,
            facts={"direction": "min", "range": (0.0, 1.0), "needs": "probabilities"},
        ),
        Entry(
            name="rmse",
            target="caveat.supervised.measures:rmse",
            display="RMSE",
            summary="root of the mean squared error",
            tasks=_NUMBERS,
            facts={"direction": "min", "range": (0.0, inf), "needs": "numbers"},
        ),
        Entry(
            name="mae",
            target="caveat.supervised.measures:mae",
            display="MAE",
            summary="mean absolute error",
            tasks=_NUMBERS,
            facts={"direction": "min", "range": (0.0, inf), "needs": "numbers"},
        ),
        Entry(
            name="r2",
            target="caveat.supervised.measures:r2",
            display="R²",
            summary="share of the variance that is explained",
            tasks=_NUMBERS,
            facts={"direction": "max", "range": (-inf, 1.0), "needs": "numbers"},
        ),
        Entry(
            name="median-absolute-error",
            target="caveat.supervised.measures:median_absolute_error",
            summary="median of the absolute errors",
            tasks=_NUMBERS,
            facts={"direction": "min", "range": (0.0, inf), "needs": "numbers"},
        ),
    ],
)

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
                    "direction": measure.facts["direction"],
                    "range": measure.facts["range"],
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
                    "direction": measure.facts["direction"],
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
