"""Learners, measures, criteria and rules of label proportions, row by row.

To add a learner: its module, and a row here.
"""

from math import inf

from caveat import measures
from caveat._registry import Entry, Registry, rule

_LAMBDAS = [0, 1, 10, 100]
_BOTH = ("binary", "multiclass")
# It solves over all pairs of bags: above so many this takes longer than all else of a
# look at a file, which leaves the learner out.
_PAIRS = {"most_bags": 1000}

LEARNERS = Registry(
    "learner",
    [
        Entry(
            name="em-lr",
            target="caveat.bags.learners._em:EMLogisticRegression",
            display="EM/LR",
            summary="logistic regression on labels it assigns itself",
            paper="Comarela et al. (2018)",
            grid={"C": [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]},
            tasks=_BOTH,
        ),
        Entry(
            name="mm",
            target="caveat.bags.learners._mean_map:MeanMap",
            display="MM",
            summary="linear, from class means that explain the bag means",
            paper="Quadrianto et al. (2009)",
            grid={"lam": _LAMBDAS},
            tasks=_BOTH,
        ),
        Entry(
            name="lmm",
            target="caveat.bags.learners._laplacian_mean_map:LaplacianMeanMap",
            display="LMM",
            summary="mean map with class means that vary smoothly over bags",
            paper="Patrini et al. (2014)",
            grid={
                "lam": _LAMBDAS,
                "gamma": [0.01, 0.1, 1.0],
                "sigma": [0.25, 0.5, 1.0],
            },
            tasks=_BOTH,
            facts=_PAIRS,
        ),
        Entry(
            name="amm",
            target="caveat.bags.learners._alternating_mean_map:AlternatingMeanMap",
            display="AMM",
            summary="mean map that labels the items itself, round by round",
            paper="Patrini et al. (2014)",
            grid={"lam": _LAMBDAS, "gamma": [0.01, 0.1, 1.0]},
            tasks=_BOTH,
            facts=_PAIRS,
        ),
        Entry(
            name="dllp",
            target="caveat.bags.learners._dllp:DLLPClassifier",
            display="DLLP",
            summary="network whose mean output meets the bags' proportions",
            paper="Ardehaly & Culotta (2017)",
            extra="deep",
            grid={"learning_rate": [1e-2, 1e-3, 1e-4, 1e-5, 1e-6]},
            quick={"n_steps": 100, "learning_rate": 0.01},
            tasks=_BOTH,
        ),
        Entry(
            name="inverse-calibration",
            target="caveat.bags.learners._inverse_calibration:InverseCalibration",
            display="InvCal",
            summary="support vector regression of log-odds on bag means",
            paper="Rueping (2010)",
            grid={"C": [0.1, 1.0, 10.0, 100.0], "epsilon": [0.0, 0.01, 0.1]},
            tasks=_BOTH,
        ),
        Entry(
            name="proportion-svm",
            target="caveat.bags.learners._proportion_svm:ProportionSVM",
            display="∝SVM",
            summary="linear, a wide margin for labels it assigns near the shares",
            paper="Yu et al. (2013)",
            grid={"C": [0.1, 1.0, 10.0], "C_p": [1.0, 10.0, 100.0]},
            tasks=_BOTH,
        ),
        Entry(
            name="bag-forward-correction",
            target="caveat.bags.learners._forward_correction:BagForwardCorrection",
            display="forward correction",
            summary="linear, trained through a transition matrix to guess the bag",
            paper="Zhang, Wang & Scott (2022)",
            grid={"lam": [0.1, 1.0, 10.0, 100.0]},
            tasks=_BOTH,
        ),
        Entry(
            name="bag-forward-network",
            target="caveat.bags.learners._forward_network:BagForwardNetwork",
            display="forward correction (network)",
            summary="network, trained through a transition matrix to guess the bag",
            paper="Zhang, Wang & Scott (2022)",
            extra="deep",
            grid={"learning_rate": [1e-2, 1e-3, 1e-4]},
            quick={"n_steps": 100, "epochs": None, "learning_rate": 0.01},
            tasks=_BOTH,
        ),
        Entry(
            name="llpfc",
            target="caveat.bags.learners._forward_network:BagForwardNetwork",
            display="LLPFC",
            summary="forward correction within random groups of bags",
            paper="Zhang, Wang & Scott (2022)",
            extra="deep",
            params={"groups": "random"},
            grid={"learning_rate": [1e-2, 1e-3, 1e-4]},
            quick={"n_steps": 100, "epochs": None, "learning_rate": 0.01},
            tasks=_BOTH,
        ),
        Entry(
            name="llp-vat",
            target="caveat.bags.learners._vat:LLPVAT",
            display="LLP-VAT",
            summary="DLLP that also resists small changes of the items",
            paper="Tsai & Lin (2020)",
            extra="deep",
            grid={"learning_rate": [1e-2, 1e-3, 1e-4], "eps": [0.25, 0.5, 1.0]},
            quick={"n_steps": 100, "learning_rate": 0.01},
            tasks=_BOTH,
        ),
        Entry(
            name="easy-llp",
            target="caveat.bags.learners._easy_llp:EasyLLP",
            display="EasyLLP",
            summary="network on an unbiased estimate of the item loss",
            paper="Busa-Fekete et al. (2023)",
            extra="deep",
            grid={"learning_rate": [1e-2, 1e-3, 1e-4]},
            quick={"n_steps": 100, "learning_rate": 0.01},
            tasks=_BOTH,
        ),
        Entry(
            name="mix-bag",
            target="caveat.bags.learners._mix_bag:MixBag",
            display="MixBag",
            summary="DLLP that also meets the shares of mixed bags, within margins",
            paper="Asanomi et al. (2023)",
            extra="deep",
            grid={"learning_rate": [1e-2, 1e-3, 1e-4], "mix": [0.1, 1.0]},
            quick={"n_steps": 100, "learning_rate": 0.01},
            tasks=_BOTH,
        ),
        Entry(
            name="transport-llp",
            target="caveat.bags.learners._transport:TransportLLP",
            display="transported labels",
            summary="network on soft labels that meet every bag's share exactly",
            paper="Liu et al. (2021)",
            extra="deep",
            grid={"learning_rate": [1e-2, 1e-3, 1e-4]},
            quick={"n_steps": 100, "learning_rate": 0.01},
            tasks=_BOTH,
        ),
    ],
    entry_points_group="caveat.bags",
)

MEASURES = Registry(
    "measure",
    [measures.get(name) for name in ("f1", "accuracy", "balanced-accuracy", "auc")],
)

_SPLITS = "caveat.bags.selection._splits"

SPLITTERS = Registry(
    "strategy",
    [
        Entry(
            name="full-bag-kfold",
            target=f"{_SPLITS}:FullBagKFold",
            summary="folds of whole bags",
        ),
        Entry(
            name="split-bag-kfold",
            target=f"{_SPLITS}:SplitBagKFold",
            summary="every bag cut into folds",
        ),
        Entry(
            name="split-bag-shuffle",
            target=f"{_SPLITS}:SplitBagShuffle",
            summary="random halves of every bag",
        ),
        Entry(
            name="split-bag-bootstrap",
            target=f"{_SPLITS}:SplitBagBootstrap",
            summary="draws with replacement from every bag",
        ),
    ],
)

RULE = "split-bag-shuffle"
"""How learner and settings are chosen without labels, if nothing else is asked for."""
_SCORES = {
    "": ("bag_l1", "share error summed over bags", inf),
    "-weighted": ("bag_l1_weighted", "share error, bags weighted by their items", inf),
    "-kl": ("bag_kl", "divergence of predicted from known shares", inf),
    "-soft": ("bag_l1", "share error of mean probabilities", inf),
}

CRITERIA = Registry(
    "criterion",
    [
        Entry(
            name=strategy.name + suffix,
            target=f"caveat.bags.criteria:{function}",
            summary=f"{what}; {strategy.summary}",
            facts={"direction": "min", "range": (0.0, top)},
        )
        for strategy in SPLITTERS.values()
        for suffix, (function, what, top) in _SCORES.items()
    ],
)

RULES = Registry(
    "rule",
    [
        *(
            rule(
                criterion.name,
                f"criterion.{criterion.name}",
                f"smallest {criterion.summary}",
                target=criterion.target,
                paper="Franco et al. (2023)",
            )
            for criterion in CRITERIA.values()
        ),
        rule(
            "oracle",
            "oracle.error",
            "smallest error on the validation parts, which needs labels",
            target="caveat.bags.criteria:oracle_error",
        ),
    ],
)
