"""Every algorithm, measure, criterion and rule for partial labels, row by row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from caveat import measures
from caveat._registry import Entry, Registry, rule

Space = Mapping[str, Mapping[str, Any]]

#: What every search draws, as the benchmark does (PLENCH, Table 8).
COMMON: Space = {
    "learning_rate": {"log10-uniform": [-4.5, -2.5]},
    "weight_decay": {"log10-uniform": [-6.0, -3.0]},
    "batch_size": {"choice": [32, 64, 128]},
}

_POWERS = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1]


def _row(
    name: str,
    target: str,
    family: str,
    summary: str,
    paper: str,
    *,
    display: str = "",
    plench: str = "",
    space: Space | None = None,
    known_weak: bool = False,
    calibrated: bool = True,
    stacks: bool = True,
    needs_views: bool = False,
    quick: Mapping[str, Any] | None = None,
    params: Mapping[str, Any] | None = None,
) -> Entry:
    shown = display or name.upper()
    return Entry(
        name=name,
        target=f"caveat.candidates.{target}",
        display=shown,
        summary=summary,
        paper=paper,
        extra="deep",
        space={**COMMON, **(space or {})},
        known_weak=known_weak,
        quick=dict(quick or {}),
        params=dict(params or {}),
        facts={
            "family": family,
            "plench": plench or shown.replace("-", "_"),
            "calibrated": calibrated,
            # Whether several configurations can train at once; the class knows it,
            # too, but needs torch to say so.
            "stacks": stacks,
            "needs_views": needs_views,
        },
    )


_IDENTIFICATION, _AVERAGING = "identification", "averaging"
_GENERATION, _COMPLEMENTARY = "data generation", "complementary labels"
_HOLISTIC, _NOISY = "holistic", "noisy sets"
#: What compares views of an image trains alone.
_IMAGES: dict[str, Any] = {"stacks": False, "needs_views": True}
_PICO: Space = {
    "width": {"choice": [64, 128, 256]},
    "queue": {"choice": [4096, 8192]},
    "momentum": {"choice": [0.9, 0.999]},
    "prototype_momentum": {"choice": [0.99, 0.9]},
    "weight": {"choice": [0.5, 1.0]},
}
_QUICK = {"allow_identical_views": True, "width": 8, "queue": 64, "start": 4}

LEARNERS = Registry(
    "learner",
    [
        _row(
            "proden",
            "learners._identification:Proden",
            _IDENTIFICATION,
            "cross-entropy against confidences that follow the model",
            "Lv et al. (2020)",
        ),
        _row(
            "rc",
            "learners._identification:Proden",
            _IDENTIFICATION,
            "risk-consistent; the same form as PRODEN",
            "Feng et al. (2020b)",
        ),
        _row(
            "cavl",
            "learners._identification:Cavl",
            _IDENTIFICATION,
            "the largest class activation value is taken as true",
            "Zhang et al. (2022)",
        ),
        _row(
            "pop",
            "learners._identification:Pop",
            _IDENTIFICATION,
            "identification that also purifies the sets",
            "Xu et al. (2023b)",
            space={
                "window": {"choice": [3, 4, 5, 6, 7]},
                "warm_up": {"choice": [10, 15, 20]},
                "theta": {"log10-uniform": [-4.5, -2.5]},
                "inc": {"log10-uniform": [-4.5, -2.5]},
            },
            quick={"warm_up": 2, "window": 2},
        ),
        _row(
            "abs-mae",
            "learners._averaging:AbsMae",
            _AVERAGING,
            "absolute error, averaged over the candidates",
            "Lv et al. (2024a)",
            calibrated=False,
        ),
        _row(
            "abs-gce",
            "learners._averaging:AbsGce",
            _AVERAGING,
            "generalised cross-entropy, averaged over the candidates",
            "Lv et al. (2024a)",
        ),
        _row(
            "exp",
            "learners._averaging:Exp",
            _GENERATION,
            "exp(-mass of the candidates)",
            "Feng et al. (2020a)",
        ),
        _row(
            "log",
            "learners._averaging:Log",
            _GENERATION,
            "CC, weighted by what a set excludes",
            "Feng et al. (2020a)",
        ),
        _row(
            "mcl-gce",
            "learners._averaging:MclGce",
            _GENERATION,
            "unbiased risk of complementary labels, generalised cross-entropy",
            "Feng et al. (2020a)",
        ),
        _row(
            "mcl-mse",
            "learners._averaging:MclMse",
            _GENERATION,
            "unbiased risk of complementary labels, squared error",
            "Feng et al. (2020a)",
        ),
        _row(
            "mcl-mae",
            "learners._averaging:MclMae",
            _GENERATION,
            "unbiased risk of complementary labels, absolute error",
            "Feng et al. (2020a)",
            calibrated=False,
        ),
        _row(
            "cc",
            "learners._averaging:Cc",
            _GENERATION,
            "-log of the candidates' joint probability",
            "Feng et al. (2020b)",
        ),
        _row(
            "lws",
            "learners._leveraged:Lws",
            _GENERATION,
            "leveraged weighted sigmoid losses",
            "Wen et al. (2021)",
            space={"leverage": {"choice": [1, 2]}},
            calibrated=False,
        ),
        _row(
            "idgp",
            "learners._idgp:Idgp",
            _GENERATION,
            "a second network learns how wrong candidates come about",
            "Qiao et al. (2023a)",
            space={"warm_up": {"choice": [5, 10, 15, 20]}},
            quick={"warm_up": 2},
            stacks=False,
        ),
        _row(
            "pc",
            "learners._complementary:Pc",
            _COMPLEMENTARY,
            "pairwise comparison of excluded labels with all others",
            "Ishida et al. (2017)",
            calibrated=False,
        ),
        _row(
            "forward",
            "learners._complementary:Forward",
            _COMPLEMENTARY,
            "log-loss of excluded labels through a transition matrix",
            "Yu et al. (2018)",
            display="Forward",
        ),
        _row(
            "nn",
            "learners._complementary:Nn",
            _COMPLEMENTARY,
            "unbiased risk, class risks kept non-negative",
            "Ishida et al. (2019)",
            known_weak=True,
        ),
        _row(
            "ga",
            "learners._complementary:Ga",
            _COMPLEMENTARY,
            "unbiased risk, with gradient ascent",
            "Ishida et al. (2019)",
            known_weak=True,
        ),
        _row(
            "scl-exp",
            "learners._complementary:SclExp",
            _COMPLEMENTARY,
            "exp of the excluded labels' probabilities",
            "Chou et al. (2020)",
        ),
        _row(
            "scl-nl",
            "learners._complementary:SclNl",
            _COMPLEMENTARY,
            "-log(1 - p) of the excluded labels",
            "Chou et al. (2020)",
        ),
        _row(
            "l-w",
            "learners._complementary:Lw",
            _COMPLEMENTARY,
            "weighted discriminative loss",
            "Gao & Zhang (2021)",
        ),
        _row(
            "op-w",
            "learners._complementary:Opw",
            _COMPLEMENTARY,
            "weighted order-preserving loss",
            "Liu et al. (2023)",
            calibrated=False,
        ),
        _row(
            "valen",
            "learners._valen:Valen",
            _HOLISTIC,
            "label distributions recovered over a neighbour graph",
            "Xu et al. (2021)",
            space={
                "warm_up": {"choice": [1000, 2000, 3000, 4000, 5000]},
                "neighbours": {"choice": [3, 4]},
            },
            quick={"warm_up": 10},
            stacks=False,
        ),
        _row(
            "pico",
            "learners._pico:Pico",
            _HOLISTIC,
            "class prototypes from contrasted views name the label",
            "Wang et al. (2022)",
            display="PiCO",
            space=_PICO,
            **_IMAGES,
            quick=_QUICK,
        ),
        _row(
            "able",
            "learners._able:Able",
            _HOLISTIC,
            "contrast weighted by the confidences of shared candidates",
            "Xia et al. (2022)",
            space={
                "width": {"choice": [64, 128, 256]},
                "weight": {"choice": [0.5, 1.0, 2.0]},
                "temperature": {"choice": [0.03, 0.05, 0.07, 0.09]},
            },
            **_IMAGES,
            quick={"allow_identical_views": True, "width": 8},
        ),
        _row(
            "crdpll",
            "learners._crdpll:Crdpll",
            _HOLISTIC,
            "views of an image must agree on a candidate",
            "Wu et al. (2022)",
            **_IMAGES,
            quick={"allow_identical_views": True},
        ),
        _row(
            "dirk",
            "learners._dirk:Dirk",
            _HOLISTIC,
            "a teacher's opinion, rectified so that candidates come first",
            "Wu et al. (2024)",
            space={
                "momentum": {"choice": [0.5, 0.9, 0.99]},
                "queue": {"choice": [4096, 8192]},
                "width": {"choice": [64, 128, 256]},
                "weight": {"choice": [0.1, 0.3, 0.5, 0.7, 0.9, 1.0]},
                "label_temperature": {"choice": [0.2, 0.4, 0.6]},
                "temperature": {"choice": [0.03, 0.05, 0.07, 0.09]},
            },
            **_IMAGES,
            quick={"allow_identical_views": True, "width": 8, "queue": 64, "start": 4},
        ),
        _row(
            "papi",
            "learners._papi:Papi",
            _HOLISTIC,
            "features drawn to the prototypes that the classifier believes in",
            "Xia et al. (2023)",
            display="PaPi",
            space={
                "width": {"choice": [64, 128, 256]},
                "weight": {"choice": [0.5, 1.0]},
                "temperature": {"choice": [0.1, 0.3, 1.0]},
            },
            **_IMAGES,
            quick={"allow_identical_views": True, "width": 8, "ramp": 1},
        ),
        _row(
            "solar",
            "learners._solar:Solar",
            _HOLISTIC,
            "labels dealt out so that every class gets its share",
            "Wang et al. (2022b)",
            display="SoLar",
            space={
                "sharpness": {"choice": [1.0, 3.0, 5.0]},
                "weight": {"choice": [0.5, 0.9]},
                "last_ratio": {"choice": [0.5, 0.8]},
            },
            **_IMAGES,
            quick={"allow_identical_views": True, "queue": 64, "ramp": 2},
        ),
        _row(
            "fredis",
            "learners._fredis:Fredis",
            _NOISY,
            "labels join and leave the sets while learning",
            "Qiao et al. (2023b)",
            space={
                "inc": {"choice": _POWERS},
                "dec": {"choice": _POWERS},
                "times": {"choice": [1, 2, 3, 4, 5]},
                "change_size": {"choice": [50, 100, 500, 300, 800, 1000]},
                "update_interval": {"choice": [10, 20]},
                "lam": {"choice": [1, 10]},
                "alpha": {"choice": [1e-3, 1e-2, 1e-1, 1]},
            },
            quick={"update_interval": 2},
        ),
        _row(
            "alim",
            "learners._alim:Alim",
            _NOISY,
            "PiCO that lets labels outside a set in, and mixes items",
            "Xu et al. (2023a)",
            space={
                **_PICO,
                "start_epoch": {"choice": [20, 40, 80, 100, 140]},
                "noise_rate": {"choice": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]},
            },
            **_IMAGES,
            quick={**_QUICK, "start_epoch": 2},
        ),
        _row(
            "pico+",
            "learners._pico_plus:PicoPlus",
            _NOISY,
            "PiCO that trusts the items near their prototypes only",
            "Wang et al. (2024)",
            display="PiCO+",
            plench="PiCO_plus",
            space={
                **_PICO,
                "start": {"choice": [1, 250]},
                "pure_ratio": {"choice": [0.6, 0.8, 0.95, 0.99, 1.0]},
                "neighbours_start": {"choice": [2, 5000, 100]},
                "neighbours": {"choice": [8, 16]},
                "guess_temperature": {"choice": [0.1, 0.07]},
                "unreliable_weight": {"choice": [0.1, 0.5]},
                "label_weight": {"choice": [2, 3, 5]},
            },
            **_IMAGES,
            quick={**_QUICK, "pure_ratio": 0.8, "neighbours_start": 8},
        ),
    ],
    entry_points_group="caveat.candidates",
)

_MAX = {"direction": "max", "range": (0.0, 1.0)}

MEASURES = Registry("measure", [measures.get("accuracy")])

CRITERIA = Registry(
    "criterion",
    [
        Entry(
            name="covering-rate",
            target="caveat.candidates.criteria:covering_rate",
            summary="share of validation items whose prediction is a candidate",
            paper="Wang et al. (2025)",
            facts=_MAX,
        ),
        Entry(
            name="approximated-accuracy",
            target="caveat.candidates.criteria:approximated_accuracy",
            summary="share of the candidates' probability that the prediction has",
            paper="Wang et al. (2025)",
            facts=_MAX,
        ),
        Entry(
            name="approximated-accuracy-legacy",
            target="caveat.candidates._plench:plench_approximated_accuracy",
            summary="the same as published code computes it, 1 where it underflows",
            facts=_MAX,
        ),
    ],
)


RULES = Registry(
    "rule",
    [
        rule(
            name,
            column,
            summary,
            target=f"caveat.candidates.criteria:{function}",
            direction="max",
            checkpoint=checkpoint,
        )
        for name, column, checkpoint, function, summary in (
            (
                "covering-rate",
                "criterion.covering-rate",
                "best",
                "covering_rate",
                "largest covering rate on validation items",
            ),
            (
                "approximated-accuracy",
                "criterion.approximated-accuracy",
                "best",
                "approximated_accuracy",
                "largest approximated accuracy on validation items",
            ),
            (
                "approximated-accuracy-legacy",
                "criterion.approximated-accuracy-legacy",
                "best",
                "approximated_accuracy",
                "approximated accuracy as published code computes it; for comparison "
                "only",
            ),
            (
                "oracle",
                "oracle.accuracy",
                "last",
                "oracle_accuracy",
                "largest accuracy on validation items, last checkpoint",
            ),
            (
                "oracle-early-stopping",
                "oracle.accuracy",
                "best",
                "oracle_accuracy",
                "largest accuracy on validation items, any checkpoint",
            ),
        )
    ],
)


def algorithms() -> list[str]:
    """Names of all algorithms, in reading order.

    Returns
    -------
    list of str

    Examples
    --------
    >>> algorithms()[:4]
    ['proden', 'rc', 'cavl', 'pop']
    """
    return list(LEARNERS)
