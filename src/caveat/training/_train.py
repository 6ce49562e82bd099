"""The one training loop."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from caveat.exceptions import InvalidInput
from caveat.training._batches import Batch, Sampler, Shuffled, as_tensors
from caveat.training._best import Best
from caveat.training._budget import Budget
from caveat.training._objective import LossFunction, Objective
from caveat.training._optimisers import Recipe, adam
from caveat.training._resume import Progress
from caveat.training._run import Evaluate, Run, Training
from caveat.training._sandbox import sandbox


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
    evaluate: Evaluate | None = None,
    checkpoints: int | Collection[int] | None = None,
    best: Best | None = None,
    seed: int = 0,
    device: str | torch.device = "cpu",
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
        become float32, whole numbers int64.
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
    budget = Budget(steps, epochs, checkpoints)
    target = torch.device(device)
    with sandbox(seed, device=target, threads=threads) as generator:
        module.to(target).train()
        tensors = as_tensors(data, target)
        n_rows = len(next(iter(tensors.values())))
        cut = sampler or Shuffled(n_rows, batch_size, drop_last=drop_last)
        chosen = _optimiser(optimiser, module)
        run = Run(
            module=module,
            objective=_objective(objective),
            data=tensors,
            optimiser=chosen,
            schedule=schedule(chosen) if schedule else None,
            total=budget.updates(len(cut)),
            batches_per_epoch=len(cut),
            device=target,
            clip=clip,
            evaluate=evaluate,
            rule=best,
        )
        run.objective.begin(run)
        file = None
        if save_to is not None:
            settings = {"seed": seed, "steps": steps, "epochs": epochs}
            file = Progress(save_to, run, generator, settings, every=save_every)
        _loop(run, cut, generator, budget, file, progress)
        return run.finish()


def _loop(
    run: Run,
    sampler: Sampler,
    generator: torch.Generator,
    budget: Budget,
    file: Progress | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    watched = run.evaluate is not None or run.rule is not None
    epoch_start, position = generator.get_state(), 0
    if file is not None:
        epoch_start, position = file.load() or (epoch_start, position)
    batches: Sequence[Tensor] = ()
    while not run.stopped:
        if not batches:
            batches = sampler.epoch(generator)
            if not batches:
                raise InvalidInput("an epoch has no batch; give the sampler more rows")
        batch = run.batch(batches[position])
        run.losses.append(run.objective.step(run, batch))
        run.objective.after_step(run, batch)
        run.updates += 1
        position += 1
        ended = position == len(batches)
        if ended:
            run.end_epoch()
            batches, position, epoch_start = (), 0, generator.get_state()
        if budget.is_spent(run.updates, run.epoch):
            run.stop("budget")
        checked = watched and (
            bool(run.stopped)
            or budget.is_checkpoint(run.updates, run.epoch, epoch_ended=ended)
        )
        if checked:
            run.checkpoint()
        if progress is not None and (ended or checked):
            progress(run.updates, run.total)
        if file is not None and file.is_due(epoch_ended=ended):
            file.save(epoch_start, position)


def _objective(
    given: Objective | Callable[[nn.Module, Batch], Tensor],
) -> Objective:
    return given if isinstance(given, Objective) else LossFunction(given)


def _optimiser(
    given: Recipe | torch.optim.Optimizer | None, module: nn.Module
) -> torch.optim.Optimizer:
    if isinstance(given, torch.optim.Optimizer):
        return given
    weights = [weight for weight in module.parameters() if weight.requires_grad]
    if not weights:
        raise InvalidInput(
            "the network has no weight that requires a gradient; there is nothing to "
            "train"
        )
    return (given or adam())(weights)
