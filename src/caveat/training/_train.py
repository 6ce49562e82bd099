"""The one training loop."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from caveat.training._batches import Batch, Sampler
from caveat.training._best_checkpoint import Best
from caveat.training._job import Job
from caveat.training._objective import Objective
from caveat.training._optimisers import Recipe
from caveat.training._run import Evaluate, Training
from caveat.training._views import View


def train(
    module: nn.Module,
    objective: Objective | Callable[[nn.Module, Batch], Tensor],
    data: Mapping[str, Any],
    *,
    steps: int | None = None,
    epochs: int | None = None,
    batch_size: int = 128,
    drop_last: bool = False,
    sampler: Sampler | None = None,
    optimiser: Recipe | torch.optim.Optimizer | None = None,
    schedule: Callable[[torch.optim.Optimizer], Any] | None = None,
    clip: float | None = None,
    views: Mapping[str, View] | None = None,
    evaluate: Evaluate | None = None,
    checkpoints: int | Collection[int] | None = None,
    best: Best | None = None,
    seed: int = 0,
    device: str | torch.device = "cpu",
    precision: str = "float32",
    channels_last: bool = False,
    threads: int | None = 1,
    save_to: str | os.PathLike[str] | None = None,
    save_every: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Training:
    """Train a network, in place.

    Same arguments, same weights, to the last bit: everything random comes from
    `seed`, and torch's own generator and number of threads are left as they were.

    Parameters
    ----------
    module : torch.nn.Module
        The network. It is moved to the device and ends in evaluation mode.
    objective : Objective or callable
        What is minimised: ``function(module, batch)`` gives the loss, or an
        `Objective` for whatever does more.
    data : mapping of str to array or tensor
        Training rows, such as ``{"x": X, "y": y}``; all with as many rows. Reals
        become float32, whole numbers int64; images of bytes stay bytes.
    steps, epochs : int
        The budget, one of the two: updates, or passes over the rows.
    batch_size : int, default=128
        Rows in an update, at most as many as there are.
    drop_last : bool, default=False
        Leave the last, smaller batch of each epoch out.
    sampler : Sampler or None, default=None
        Another way to cut an epoch into batches, such as one batch per bag.
    optimiser : recipe, Optimizer or None, default=None
        None is `adam()`. A recipe gets the weights that require a gradient.
    schedule : callable or None, default=None
        Makes a learning-rate scheduler of the optimiser; it steps every epoch.
    clip : float or None, default=None
        Largest norm of the gradient.
    views : mapping of str to callable, or None, default=None
        ``{"weak": maker, ...}`` with ``maker(x, generator)``: what
        ``batch.view("weak")`` gives to an objective that names it in its `views`.
        "plain" are the rows as they are, unless a maker is given, such as one that
        turns bytes into numbers.
    evaluate : callable or None, default=None
        ``evaluate(run)`` gives named scores; called at checkpoints, in evaluation
        mode and without gradients.
    checkpoints : int, collection of int or None, default=None
        Every so many updates (epochs, if the budget is in epochs), or at these. None
        means ten times in all (every epoch). The end of a run always is one.
    best : Best or None, default=None
        Which checkpoint's weights to keep, and when to stop early.
    seed : int, default=0
        Seeds batches, dropout and whatever else draws.
    device : str or torch.device, default="cpu"
        Where to train.
    precision : {"float32", "bfloat16"}, default="float32"
        "bfloat16" lets torch compute products in half the width, in steps and in
        `evaluate`; weights and losses stay single.
    channels_last : bool, default=False
        Lay the weights of convolutions out as GPUs like them.
    threads : int or None, default=1
        For torch during the run; None leaves the number alone.
    save_to : path or None, default=None
        File for the state of the run. If it is there, the run goes on from it, and
        ends with the same weights as if it had never been interrupted.
    save_every : int or None, default=None
        Save after every so many updates; None means every epoch.
    progress : callable or None, default=None
        Gets ``(updates, total)`` after every epoch and checkpoint.

    Returns
    -------
    Training
        Losses, checkpoints, and why it ended.

    Raises
    ------
    Diverged
        When a loss or a weight is no longer finite.

    Examples
    --------
    >>> import torch
    >>> from caveat.training import adam, mlp, train
    >>> x = torch.linspace(-1, 1, 64)[:, None]
    >>> data = {"x": x, "y": (x[:, 0] > 0).long()}
    >>> def loss(module, batch):
    ...     return torch.nn.functional.cross_entropy(module(batch["x"]), batch["y"])
    >>> network = mlp(1, [16], 2, seed=0)
    >>> training = train(network, loss, data, epochs=20, optimiser=adam(lr=0.05))
    >>> training.updates, training.losses[-1] < 0.1
    (20, True)
    """
    job = Job(
        module=module,
        objective=objective,
        data=data,
        steps=steps,
        epochs=epochs,
        batch_size=batch_size,
        drop_last=drop_last,
        sampler=sampler,
        optimiser=optimiser,
        schedule=schedule,
        clip=clip,
        views=views,
        evaluate=evaluate,
        checkpoints=checkpoints,
        best=best,
        seed=seed,
        device=device,
        precision=precision,
        channels_last=channels_last,
        threads=threads,
        save_to=save_to,
        save_every=save_every,
        progress=progress,
    )
    return job.train()
