"""Where the candidate sets of a study come from: the data, or a generator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.candidates._candidates import CandidateSets, Mask
from caveat.candidates._generators import (
    complementary_candidates,
    flip_candidates,
    instance_candidates,
    noisy_candidates,
    uniform_candidates,
)
from caveat.exceptions import InvalidInput, UnknownName
from caveat.study.topic import Context, grid_worlds

Rng = np.random.Generator
Maker = Callable[[NDArray, int, float, Rng, pd.DataFrame], Mask]

DEFAULTS = {"candidates": "given", "rate": 0.3, "noise": 0.0}


def _instance(codes: NDArray, q: int, rate: float, rng: Rng, X: pd.DataFrame) -> Mask:
    """Wrong labels by a linear model's opinion of rows that it did not see."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline

    from caveat.tables import TableEncoder

    folds = int(min(5, np.bincount(codes, minlength=q)[np.unique(codes)].min()))
    if folds < 2:
        raise InvalidInput(
            "scenario: candidates: instance needs two items of every class in training"
        )
    model = make_pipeline(TableEncoder(), LogisticRegression(max_iter=500))
    splitter = StratifiedKFold(
        folds, shuffle=True, random_state=int(rng.integers(2**31))
    )
    found = cross_val_predict(model, X, codes, cv=splitter, method="predict_proba")
    proba = np.zeros((len(codes), q))
    proba[:, np.unique(codes)] = found
    return instance_candidates(codes, proba, rate=rate, random_state=rng)


MAKERS: dict[str, Maker] = {
    "uniform": lambda y, q, rate, rng, X: uniform_candidates(y, q, random_state=rng),
    "uniform-legacy": lambda y, q, rate, rng, X: uniform_candidates(
        y, q, method="legacy", random_state=rng
    ),
    "flip": lambda y, q, rate, rng, X: flip_candidates(
        y, q, rate=rate, random_state=rng
    ),
    "pairwise": lambda y, q, rate, rng, X: flip_candidates(
        y, q, rate=rate, pairwise=True, random_state=rng
    ),
    "instance": _instance,
    "complementary": lambda y, q, rate, rng, X: complementary_candidates(
        y, q, random_state=rng
    ),
}

_WITH_RATE = ("flip", "pairwise", "instance")


def candidate_worlds(scenario: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Expand and check the scenario grid of a study file.

    Examples
    --------
    >>> candidate_worlds({"candidates": "flip", "rate": [0.1, 0.5]})
    [{'candidates': 'flip', 'rate': 0.1, 'noise': 0.0},
     {'candidates': 'flip', 'rate': 0.5, 'noise': 0.0}]
    """
    worlds = []
    for world in grid_worlds(scenario, DEFAULTS):
        name = world["candidates"]
        if name != "given" and name not in MAKERS:
            raise UnknownName.among("way to candidates", name, ["given", *MAKERS])
        for key in ("rate", "noise"):
            value = world[key]
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not 0 <= value < 1:
                raise InvalidInput(
                    f"scenario: {key} is {value!r}; pass a probability from 0 up to "
                    "below 1"
                )
        # A rate that nothing reads must not make two worlds of one.
        if name not in _WITH_RATE:
            world = {**world, "rate": None}
        if world not in worlds:
            worlds.append(world)
    return worlds


def make_candidates(
    world: Mapping[str, Any],
    given: Mask | None,
    codes: NDArray,
    X: pd.DataFrame,
    classes: tuple[Any, ...],
    seed: int,
) -> CandidateSets:
    """Take the candidate sets of the training rows from the data, or draw them."""
    rng = np.random.default_rng(seed)
    if world["candidates"] == "given":
        if given is None:
            raise InvalidInput(
                "the data set has no candidates; write scenario: {candidates: flip, "
                "rate: 0.3} (or uniform, pairwise, instance, complementary)"
            )
        matrix = given
    else:
        maker = MAKERS[world["candidates"]]
        matrix = maker(codes, len(classes), world["rate"] or 0.0, rng, X)
    if world["noise"]:
        matrix = noisy_candidates(matrix, codes, rate=world["noise"], random_state=rng)
    return CandidateSets(matrix, classes)


def takes_images(context: Context) -> bool:
    """Whether the learner gets images: if it compares views, or names a network."""
    if context.dataset.image_shape is None:
        return False
    named = [context.spec["learner"]["params"]]
    named += [params for _, params in context.configurations]
    wants = any(given.get("network") is not None for given in named)
    return wants or bool(context.entry.facts.get("needs_views"))
