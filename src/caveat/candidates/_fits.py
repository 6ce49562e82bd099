"""Training of one trial's configurations, together where they can be."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from caveat.candidates._algorithm import TRAINING, Algorithm
from caveat.candidates._classifier import PartialLabelClassifier
from caveat.candidates._joint_training import fit_all
from caveat.candidates._plench import (
    CIFAR_MEAN,
    CIFAR_STD,
    DATASETS,
    LONGER,
    PlenchScaler,
    plench_checkpoints,
    plench_hash,
)
from caveat.candidates._worlds import takes_images
from caveat.exceptions import InvalidInput
from caveat.study.topic import Context, Row
from caveat.training.images import ImageEncoder

if TYPE_CHECKING:
    from caveat.candidates.study import Problem

STEPS, IMAGE_STEPS, EVERY = 10_000, 60_000, 1000


def fit(
    context: Context, problem: Problem, kind: type[Algorithm]
) -> list[tuple[int, Any, list[Row]]]:
    """Give every configuration's number, its model or why it has none, its rows."""
    numbers = [index for index, _ in context.configurations]
    models = [
        _classifier(context, kind, params, index)
        for index, params in context.configurations
    ]
    steps, every = _budget(context)
    plench = context.protocol == "plench"
    held, tested = problem.items(problem.validation), problem.items(problem.test)

    def watch(now: PartialLabelClassifier) -> Row:
        return problem.scores(now._logits(held).numpy(), now._logits(tested).numpy())

    with warnings.catch_warnings():
        # The outcome's notes say it once.
        warnings.filterwarnings("ignore", message="candidates:")
        failures = fit_all(
            models,
            problem.items(problem.train),
            problem.sets[problem.train],
            encoder=_plench_encoder(problem) if plench else None,
            checkpoints=plench_checkpoints(steps, every) if plench else None,
            watch=watch,
            progress=context.progress,
        )
    return [
        (index, failure, [])
        if failure is not None
        else (index, model, [_row(found) for found in model.history_])
        for index, model, failure in zip(numbers, models, failures, strict=True)
    ]


def _plench_encoder(problem: Problem) -> PlenchScaler | ImageEncoder:
    if not isinstance(problem.X, np.ndarray):
        return PlenchScaler().fit(problem.X)
    # The benchmark's numbers are for three channels.
    given = (CIFAR_MEAN, CIFAR_STD) if problem.X.shape[-1] == 3 else (None, None)
    return ImageEncoder(*given).fit(problem.X)


def _classifier(
    context: Context, kind: type[Algorithm], params: Mapping[str, Any], index: int
) -> PartialLabelClassifier:
    steps, every = _budget(context)
    chosen = {**context.spec["learner"]["params"], **params}
    own = {name: chosen[name] for name in kind.settings() if name in chosen}
    variant = own.pop("variant", "paper")
    told = {name: chosen[name] for name in TRAINING if name in chosen}
    if context.protocol == "plench" and takes_images(context):
        # It draws from 64, 128 and 256 for images, with the same random numbers.
        told["batch_size"] = 2 * told.get("batch_size", 128)
    return PartialLabelClassifier(
        kind,
        variant=variant,
        params={**context.entry.params, **own},
        max_steps=steps,
        checkpoint_every=every,
        random_state=_run_seed(context, index),
        **told,
    )


def _budget(context: Context) -> tuple[int, int]:
    given = context.training
    if "epochs" in given:
        raise InvalidInput(
            f"search: epochs is {given['epochs']}; partial-label runs are counted in "
            "steps, write steps: 10000"
        )
    usual = STEPS
    if context.protocol == "plench":
        images = context.dataset.image_shape is not None
        usual = IMAGE_STEPS if images else STEPS * LONGER.get(context.dataset.name, 1)
    steps = int(given.get("steps", usual))
    return steps, int(given.get("checkpoint-every", EVERY))


def _run_seed(context: Context, index: int) -> int:
    if context.protocol != "plench":
        return context.seed("learner", config=index)
    name = context.dataset.name
    spelt = context.entry.facts.get("plench", context.entry.name)
    return plench_hash(DATASETS.get(name, name), spelt, index, context.repeat)


def _row(found: Mapping[str, Any]) -> Row:
    scores = {name: value for name, value in found.items() if "." in name}
    return {
        "checkpoint": found["updates"],
        **scores,
        "fact.epoch": found["epoch"],
        "fact.loss": found["loss"],
    }
