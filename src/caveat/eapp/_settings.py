"""The parameters of EAPP, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from caveat.eapp._inputs import SCALINGS
from caveat.eapp._null_band import BANDS
from caveat.eapp.labelings._choice import LABELINGS
from caveat.eapp.labelings._scores import SCORES
from caveat.eapp.registry import CLUSTERERS, REPRESENTATIONS
from caveat.eapp.target._read import MULTICLASS, TASKS
from caveat.exceptions import InvalidInput, UnknownName

SELECTIONS = {
    "both": (True, True),
    "train": (True, False),
    "honest": (True, False),
    "test": (False, True),
    "paper": (False, True),
}
SCHEMES = ("independent", "incremental")
AGGREGATES = ("auto", "mean", "pooled")
GMM_DISTANCES = ("euclidean", "mahalanobis")
# Settings of networks: the least value, and whether it is a whole number.
TRAINING = {
    "epochs": (1, True),
    "rounds": (1, True),
    "lam": (0.0, False),
    "learning_rate": (1e-12, False),
}


def check_settings(model: Any) -> None:
    """Refuse parameters that make no sense, before any work is done."""
    for kind, known in (
        ("labeling", LABELINGS),
        ("selection", SELECTIONS),
        ("score", SCORES),
        ("scheme", SCHEMES),
        ("aggregate", AGGREGATES),
        ("gmm_distance", GMM_DISTANCES),
        ("band", BANDS),
        ("task", TASKS),
        ("multiclass", MULTICLASS),
        ("scaling", SCALINGS),
    ):
        given = getattr(model, kind)
        if not isinstance(given, str) or given not in known:
            raise UnknownName.among(kind, given, known)
    if isinstance(model.representation, str):
        _check_representation(model)
    elif not hasattr(model.representation, "transform"):
        raise InvalidInput(
            f"representation: found {model.representation!r}; pass a name or a "
            "transformer with fit and transform"
        )
    if not isinstance(model.clusterer, str) or model.clusterer not in CLUSTERERS:
        raise UnknownName.among("clusterer", model.clusterer, CLUSTERERS)
    _check_seed(model.random_state)
    _whole(model, "k_max", 2)
    _whole(model, "shuffles", 0)
    if model.latent != "auto":
        _whole(model, "latent", 1)
    if model.n_jobs != -1:
        _whole(model, "n_jobs", 1)
    if not isinstance(model.alpha, float | int) or not 0 < model.alpha < 1:
        raise InvalidInput(
            f"alpha: found {model.alpha!r}; pass a level between 0 and 1"
        )
    grows = "incremental" in CLUSTERERS[model.clusterer].facts
    if model.scheme == "incremental" and not grows:
        raise InvalidInput(
            f"scheme: 'incremental' grows k-means clusters, the clusterer is "
            f"{model.clusterer!r}; use scheme='independent'"
        )
    if model.aggregate == "pooled" and SELECTIONS[model.selection] == (False, True):
        raise InvalidInput(
            "aggregate: 'pooled' is not defined for a labeling chosen on each test "
            "part; use 'mean'"
        )


def _check_representation(model: Any) -> None:
    """Refuse what a representation cannot be joined with."""
    brought = REPRESENTATIONS[model.representation].facts.get("clusters")
    if brought and (model.clusterer != brought or model.scheme != "independent"):
        raise InvalidInput(
            f"clusterer: {model.representation!r} brings its own growing k-means, "
            f"found clusterer={model.clusterer!r}, scheme={model.scheme!r}; leave "
            "both out"
        )
    if model.training is None:
        return
    if not isinstance(model.training, Mapping):
        raise InvalidInput(
            f"training: found {model.training!r}; pass a mapping such as "
            "{'epochs': 20}"
        )
    for name, value in model.training.items():
        if name not in TRAINING:
            raise UnknownName.among("training setting", name, TRAINING)
        least, whole = TRAINING[name]
        number = isinstance(value, int | np.integer | float) and value == value
        fits = number and not isinstance(value, bool) and value >= least
        if not fits or (whole and value != int(value)):
            kind = "whole number" if whole else "number"
            raise InvalidInput(
                f"training: {name} is {value!r}; pass a {kind} from {least:g}"
            )


def _check_seed(random_state: Any) -> None:
    """Refuse a seed that no generator takes."""
    try:
        check_random_state(random_state)
    except ValueError as error:
        raise InvalidInput(
            f"random_state: found {random_state!r}; pass a whole number from 0 to "
            "4294967295, a RandomState or None"
        ) from error


def _whole(model: Any, name: str, least: int) -> None:
    value = getattr(model, name)
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or value < least:
        raise InvalidInput(f"{name}: found {value!r}; pass a whole number from {least}")
