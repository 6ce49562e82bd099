"""What there is: learners, scenarios, imputers, importance, measures, rules.

To add one: its module, and a row here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from caveat._registry import Entry, Registry, rule
from caveat.measures import Measures
from caveat.models.registry import MODELS

if TYPE_CHECKING:
    import pandas as pd

_PAPER = "Cheng et al. (2025)"

LEARNERS = Registry(
    "learner", [MODELS[name] for name in MODELS], entry_points_group="caveat.shift"
)

# Facts: `published`, its name in the paper; `whole`, its curve ends with all columns
# gone; `adds`, columns appear; `needs`, what the user has to say, as which `setting` of
# a study file, how it is `written` there and, as an object, in an `example`.
SCENARIOS = Registry(
    "scenario",
    [
        Entry(
            name="single",
            target="caveat.shift.scenarios._scenarios:Single",
            summary="one column at a time, the least important first",
            paper=_PAPER,
            facts={"published": "SC"},
        ),
        Entry(
            name="least",
            target="caveat.shift.scenarios._scenarios:Least",
            summary="the least important columns first, one after the other",
            paper=_PAPER,
            facts={"published": "MC-L", "whole": True},
        ),
        Entry(
            name="most",
            target="caveat.shift.scenarios._scenarios:Most",
            summary="the most important columns first, one after the other",
            paper=_PAPER,
            facts={"published": "MC-M", "whole": True},
        ),
        Entry(
            name="random",
            target="caveat.shift.scenarios._scenarios:Random",
            summary="any k columns: the mean over subsets",
            paper=_PAPER,
            facts={"published": "RD", "whole": True},
        ),
        Entry(
            name="stages",
            target="caveat.shift.scenarios._scenarios:Stages",
            summary="named groups of columns, such as the steps of an examination",
            paper=_PAPER,
            facts={
                "needs": "the groups of columns",
                "setting": "stages",
                "example": "Stages({'no ECG': ['RestingECG', 'ST_Slope']})",
                "written": "stages: {no ECG: [RestingECG, ST_Slope]}",
            },
        ),
        Entry(
            name="increment",
            target="caveat.shift.scenarios._scenarios:Increment",
            summary="new columns appear; nothing may change",
            paper=_PAPER,
            facts={"adds": True},
        ),
    ],
)

IMPUTERS = Registry(
    "imputer",
    [
        Entry(
            name="mean",
            target="caveat.shift.imputers._imputers:Mean",
            summary="training mean, most frequent category",
            paper=_PAPER,
        ),
        Entry(
            name="median",
            target="caveat.shift.imputers._imputers:Median",
            summary="training median, most frequent category",
        ),
        Entry(
            name="random",
            target="caveat.shift.imputers._imputers:RandomCell",
            summary="every cell drawn from the training column",
            paper=_PAPER,
        ),
        Entry(
            name="zero",
            target="caveat.shift.imputers._imputers:Zero",
            summary="zero after standardisation, a category of its own",
            paper=_PAPER,
        ),
        Entry(
            name="native",
            target="caveat.shift.imputers._imputers:Native",
            summary="a missing cell: the model's own way",
            paper=_PAPER,
            facts={"leaves_missing": True},
        ),
        Entry(
            name="knn",
            target="caveat.shift.imputers._neighbours:Neighbours",
            summary="mean of the five nearest training rows",
            paper="Troyanskaya et al. (2001)",
        ),
        Entry(
            name="iterative",
            target="caveat.shift.imputers._iterative:Iterative",
            summary="chained linear models on the remaining columns",
            paper="van Buuren & Groothuis-Oudshoorn (2011)",
        ),
        Entry(
            name="gaussian",
            target="caveat.shift.imputers._gaussian:Gaussian",
            summary="conditional mean of a joint Gaussian",
            paper="Little & Rubin (2002)",
        ),
        Entry(
            name="marginalise",
            target="caveat.shift.imputers._imputers:Marginalise",
            summary="answers averaged over values of 32 training rows",
            paper="Štrumbelj & Kononenko (2014)",
        ),
        Entry(
            name="rules",
            target="caveat.shift.imputers._feature_rules:Rules",
            summary="each column by gradient boosting on the others",
            paper="van Buuren & Groothuis-Oudshoorn (2011)",
        ),
    ],
    entry_points_group="caveat.imputers",
)

IMPORTANCES = Registry(
    "importance",
    [
        Entry(
            name="pearson",
            target="caveat.shift.importance._methods:pearson",
            summary="correlation with the target",
            paper=_PAPER,
        ),
        Entry(
            name="spearman",
            target="caveat.shift.importance._methods:spearman",
            summary="correlation of ranks with the target",
            paper=_PAPER,
        ),
        Entry(
            name="mutual-info",
            target="caveat.shift.importance._methods:mutual_information",
            summary="mutual information by nearest neighbours",
            paper="Ross (2014)",
        ),
        Entry(
            name="shap",
            target="caveat.shift.importance._shap:mean_shap",
            display="SHAP",
            summary="mean absolute SHAP value of a LightGBM model",
            paper="Lundberg et al. (2020)",
            extra="trees",
        ),
        Entry(
            name="permutation",
            target="caveat.shift.importance._methods:shuffling_loss",
            summary="what the model loses when a column is shuffled",
            paper="Breiman (2001)",
            facts={"needs": "model"},
        ),
        Entry(
            name="model",
            target="caveat.shift.importance._methods:removal_loss",
            summary="what the model loses when a column is replaced by its mean",
            facts={"needs": "model"},
        ),
        Entry(
            name="eta",
            target="caveat.shift.importance._methods:eta",
            summary="share of variance between groups",
        ),
    ],
)

MEASURES = Measures("binary", "multiclass", "regression")

STUDY_MEASURES = Registry(
    "measure",
    [
        *MEASURES.values(),
        *(
            Entry(
                name=f"{entry.name}-area",
                target="caveat.shift.curves._gaps:degradation_area",
                display=f"{entry.title}, mean over degrees",
                summary="area under the degradation curve",
                tasks=entry.tasks,
                facts={"direction": entry.direction, "range": entry.range},
            )
            for entry in MEASURES.values()
        ),
        *(
            Entry(
                name=f"{entry.name}-retained",
                target="caveat.shift.curves._gaps:retained",
                display=f"{entry.title} retained",
                summary="area under the degradation curve over the closed value",
                tasks=entry.tasks,
                facts={"direction": entry.direction, "range": (0.0, float("inf"))},
            )
            for entry in MEASURES.values()
        ),
    ],
)
"""What a study records: a measure in the closed environment, and its whole curve."""

_VALIDATION = "caveat.shift.criteria:validation"
_ORACLE = "caveat.shift.criteria:errors"


def _target_of(column: str) -> str:
    """Say which function fills a column: its warnings are those of the rule."""
    return _ORACLE if column.startswith("oracle.") else _VALIDATION


CRITERIA = Registry(
    "criterion",
    [
        Entry(
            name="validation-error",
            target=_VALIDATION,
            summary="share of errors, or RMSE, on held-out training rows",
            facts={"direction": "min", "range": (0.0, float("inf"))},
        ),
        Entry(
            name="validation-area-error",
            target=_VALIDATION,
            summary="the same, averaged over degrees of missing columns",
            facts={"direction": "min", "range": (0.0, float("inf"))},
        ),
    ],
)

RULES = Registry(
    "rule",
    [
        rule(name, column, summary, target=_target_of(column))
        for name, column, summary in (
            (
                "validation",
                "criterion.validation-error",
                "fewest errors on held-out training rows with all columns",
            ),
            (
                "validation-area",
                "criterion.validation-area-error",
                "fewest errors on held-out training rows while columns vanish",
            ),
            (
                "oracle",
                "oracle.error",
                "fewest errors on the test part with all columns",
            ),
            (
                "oracle-area",
                "oracle.area-error",
                "fewest errors on the test part while columns vanish",
            ),
        )
    ],
)


def models() -> pd.DataFrame:
    """List all models by name: `name`, `family`, `tasks`, `extra`.

    Examples
    --------
    >>> models().set_index("name").loc["lightgbm", "extra"]
    'trees'
    """
    from caveat.models import available

    return available()
