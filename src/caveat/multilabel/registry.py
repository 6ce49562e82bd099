"""Learners, measures, criteria and rules of many labels. To add one: a row here."""

from caveat._registry import Entry, Registry, rule
from caveat.measures import Measures

_LIMO = "caveat.multilabel.learners._limo:LIMO"
_POWERSET = "caveat.multilabel.learners._powerset"

LEARNERS = Registry(
    "learner",
    [
        Entry(
            name="limo",
            target=_LIMO,
            display="LIMO",
            summary="linear, both margins",
            paper="Wu & Zhou (2017)",
            grid={"lambda1": [0.1, 1.0, 10.0], "lambda2": [0.1, 1.0, 10.0]},
            quick={"n_passes": 5},
        ),
        Entry(
            name="limo-inst",
            target=_LIMO,
            display="LIMO-inst",
            summary="linear, instance-wise margin only",
            paper="Wu & Zhou (2017)",
            params={"lambda1": 0.0},
            grid={"lambda2": [0.1, 1.0, 10.0]},
            quick={"n_passes": 5},
        ),
        Entry(
            name="limo-label",
            target=_LIMO,
            display="LIMO-label",
            summary="linear, label-wise margin only",
            paper="Wu & Zhou (2017)",
            params={"lambda2": 0.0},
            grid={"lambda1": [0.1, 1.0, 10.0]},
            quick={"n_passes": 5},
        ),
        Entry(
            name="br-svm",
            target="caveat.multilabel.learners._binary_relevance:BinaryRelevanceSVM",
            display="BR-SVM",
            summary="one linear SVM per label",
            paper="Zhang & Zhou (2014)",
            grid={"C": [0.01, 0.1, 1.0, 10.0]},
        ),
        Entry(
            name="br-logistic",
            target="caveat.multilabel.learners._relevance:LogisticRelevance",
            display="BR-logistic",
            summary="one logistic regression per label",
            grid={"C": [0.01, 0.1, 1.0, 10.0]},
        ),
        Entry(
            name="ml-knn",
            target="caveat.multilabel.learners._ml_knn:MLkNN",
            display="ML-kNN",
            summary="Bayes' rule on the labels of the neighbours",
            paper="Zhang & Zhou (2007)",
            grid={"k": [5, 10, 20]},
        ),
        Entry(
            name="gfm",
            target="caveat.multilabel.learners._gfm:GFM",
            display="GFM",
            summary="set with the largest expected F-measure",
            paper="Waegeman et al. (2014)",
            grid={"k": [5, 10, 20]},
        ),
        Entry(
            name="classifier-chains",
            target="caveat.multilabel.learners._chains:ClassifierChains",
            display="classifier chains",
            summary="ensemble of chains in random orders",
            paper="Read et al. (2011)",
            quick={"n_chains": 2},
        ),
        Entry(
            name="label-powerset",
            target=f"{_POWERSET}:LabelPowerset",
            display="label powerset",
            summary="every label set is a class",
            paper="Boutell et al. (2004)",
        ),
        Entry(
            name="rakel",
            target=f"{_POWERSET}:RAkEL",
            display="RAkELo",
            summary="powersets of overlapping random label sets",
            paper="Tsoumakas et al. (2011)",
            grid={"k": [2, 3, 4]},
            quick={"n_sets": 4},
        ),
        Entry(
            name="rakel-d",
            target=f"{_POWERSET}:RAkEL",
            display="RAkELd",
            summary="powersets of a random partition of the labels",
            paper="Tsoumakas et al. (2011)",
            params={"overlapping": False},
            grid={"k": [2, 3, 4]},
        ),
        Entry(
            name="forest",
            target="caveat.multilabel.learners._relevance:MultiLabelForest",
            display="random forest",
            summary="trees with all labels at their leaves",
            paper="Breiman (2001)",
            grid={"min_samples_leaf": [1, 5, 20]},
            quick={"n_estimators": 10},
        ),
        Entry(
            name="mlp",
            target="caveat.multilabel.learners._mlp:MultiLabelMLP",
            display="MLP",
            summary="small network, one sigmoid per label",
            grid={"learning_rate": [1e-2, 1e-3], "alpha": [1e-4, 1e-2]},
            quick={"hidden": [16], "learning_rate": 0.02, "max_iter": 40},
        ),
        Entry(
            name="popularity",
            target="caveat.multilabel.learners._popularity:Popularity",
            summary="how common every label is, and nothing else",
            known_weak=True,
            facts={"constant": True},
        ),
    ],
    entry_points_group="caveat.multilabel",
)


MEASURES = Measures("multilabel")

_CROSS_VALIDATION = "caveat.multilabel.criteria:cross_validation"
_MAIN, _FOLDS = MEASURES["average-precision"], "held-out folds"

CRITERIA = Registry(
    "criterion",
    [
        Entry(
            name=f"cv-{measure.name}",
            target=_CROSS_VALIDATION,
            summary=f"{measure.title} on held-out folds of the training rows",
            facts={"direction": measure.direction, "range": measure.range},
        )
        for measure in MEASURES.values()
    ],
)


RULES = Registry(
    "rule",
    [
        rule(
            name,
            column,
            f"best {measure.title} on {where}",
            target=_CROSS_VALIDATION,
            direction=measure.direction,
        )
        for name, column, measure, where in [
            ("cross-validation", "criterion.cv-average-precision", _MAIN, _FOLDS),
            *(
                (f"cross-validation-{name}", f"criterion.cv-{name}", row, _FOLDS)
                for name, row in MEASURES.items()
            ),
            ("oracle", "oracle.average-precision", _MAIN, "the test part"),
        ]
    ],
)
