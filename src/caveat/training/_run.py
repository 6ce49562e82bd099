"""A run: where training stands, what it has seen, and what it keeps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from caveat.exceptions import InvalidInput, UnknownName
from caveat.training._batches import Batch, Rows, Source
from caveat.training._best_checkpoint import Best, Waiting
from caveat.training._dense import Answer, DenseChain
from caveat.training._diverged import Diverged
from caveat.training._objective import Objective
from caveat.training._optimisers import Adam, Recipe
from caveat.training._outputs import evaluating
from caveat.training._precision import computing
from caveat.training._views import Views

Evaluate = Callable[["Run"], Mapping[str, Any]]


@dataclass
class Training:
    """What a run leaves behind, besides the trained module.

    Attributes
    ----------
    losses : list of float
        The loss of every update, before the update.
    checkpoints : list of dict
        ``updates``, ``epoch``, ``loss`` (mean since the checkpoint before) and what
        `evaluate` gave.
    best : int or None
        Which checkpoint the rule chose.
    updates, epochs : int
        How many updates and whole epochs were made.
    stopped : {"budget", "patience", "objective"}
        What ended it.
    """

    losses: list[float]
    checkpoints: list[dict[str, Any]]
    best: int | None
    updates: int
    epochs: int
    stopped: str


@dataclass
class Run:
    """A run in progress, as objectives and `evaluate` see it.

    Attributes
    ----------
    module : torch.nn.Module
        The network in training.
    data : dict of str to tensor
        All training rows, on the device.
    optimiser : torch.optim.Optimizer
        May be replaced by an objective that trains in phases.
    total : int
        How many updates there will be if nothing stops the run early.
    batches_per_epoch : int
    device : torch.device
    updates, epoch : int
        Updates and whole epochs made so far.
    losses, checkpoints : list
        As in `Training`. On a GPU the losses of an epoch are fetched at its end, so
        that no step waits for a number.
    parts, optimisers : dict by name
        What the objective has added, see `add`.
    """

    module: nn.Module
    objective: Objective
    data: dict[str, Tensor]
    optimiser: torch.optim.Optimizer
    schedule: Any
    total: int
    batches_per_epoch: int
    device: torch.device
    clip: float | None = None
    evaluate: Evaluate | None = None
    rule: Best | None = None
    views: Views = field(default_factory=Views)
    precision: str = "float32"
    updates: int = 0
    epoch: int = 0
    losses: list[float] = field(default_factory=list)
    checkpoints: list[dict[str, Any]] = field(default_factory=list)
    stopped: str = ""
    parts: dict[str, nn.Module] = field(default_factory=dict)
    optimisers: dict[str, torch.optim.Optimizer] = field(default_factory=dict)
    unread: list[Tensor] = field(default_factory=list)
    waiting: Waiting = field(default_factory=Waiting)
    best_weights: dict[str, Tensor] | None = None
    # Networks whose passes are written out, and their answers of this step.
    chains: dict[nn.Module, DenseChain | None] = field(default_factory=dict)
    answers: list[tuple[DenseChain, Answer]] = field(default_factory=list)

    @property
    def share(self) -> float:
        """How much of the run is behind us, from 0 to 1: for ramps and schedules."""
        return self.updates / self.total

    def stop(self, reason: str = "objective") -> None:
        """End the run after this update; the first reason counts."""
        self.stopped = self.stopped or reason

    def add(
        self,
        name: str,
        module: nn.Module,
        optimiser: Recipe | None = None,
    ) -> nn.Module:
        """Add a network that an objective trains beside the run's, such as a head.

        Called in `Objective.begin`. It goes to the device, is saved and resumed with
        the run, and refused if its weights leave the finite numbers.

        Parameters
        ----------
        name : str
        module : torch.nn.Module
            One whose weights do not require a gradient, such as a momentum network,
            gets no optimiser.
        optimiser : recipe or None, default=None
            Makes an optimiser of its own, ``run.optimisers[name]``, to be stepped with
            ``run.descend(loss, optimiser)``. None hands its weights to the optimiser of
            the run.
        """
        if name in self.parts:
            raise InvalidInput(f"the run has a part {name!r} already; rename one")
        self.parts[name] = module.to(self.device).train()
        weights = [weight for weight in module.parameters() if weight.requires_grad]
        if optimiser is not None:
            self.optimisers[name] = optimiser(weights)
        elif weights:
            self.optimiser.add_param_group({"params": weights})
        return module

    def batch(self, rows: Rows) -> Batch:
        """Gather rows of the data; of a pair, the second goes beside the first."""
        self.answers.clear()
        if isinstance(rows, tuple):
            return self._gather(rows[0], self._gather(rows[1], second=True))
        return self._gather(rows)

    def _gather(
        self, rows: Tensor, beside: Batch | None = None, *, second: bool = False
    ) -> Batch:
        there = rows.to(self.device, non_blocking=True)
        return Batch(
            there,
            {name: tensor.index_select(0, there) for name, tensor in self.data.items()},
            beside,
            Source(self.views, self.objective.views, self.updates, second),
        )

    def note(self, loss: float | Tensor) -> None:
        """Write the loss of a step down; a tensor is read later, by `settle`."""
        if isinstance(loss, Tensor):
            self.unread.append(loss)
        else:
            self.losses.append(loss)

    def settle(self) -> None:
        """Fetch the losses that were not read yet, and refuse what is not finite."""
        if not self.unread:
            return
        first = len(self.losses)
        values = torch.stack(self.unread).double().cpu().tolist()
        self.unread.clear()
        for number, value in enumerate(values):
            if not math.isfinite(value):
                raise Diverged(f"the loss is {value}", step=first + number)
        self.losses += values

    def forward(self, x: Tensor, module: nn.Module | None = None) -> Tensor:
        """Apply a network to a batch, as a loss needs it for `descend`.

        The answer has the numbers of ``module(x)``. For a chain of dense layers on the
        CPU, the way back to its weights is written out instead of left to autograd,
        to the same last bit: about a third of a step is saved.

        Parameters
        ----------
        x : tensor
        module : torch.nn.Module or None
            Another network than the run's.
        """
        network = self.module if module is None else module
        if network not in self.chains:
            self.chains[network] = DenseChain.of(network)
        chain = self.chains[network]
        plain = self.precision != "float32" or not torch.is_grad_enabled()
        if chain is None or x.requires_grad or plain:
            return network(x)
        answer = chain.forward(x)
        self.answers.append((chain, answer))
        return answer.z.requires_grad_()

    def descend(
        self, loss: Tensor, optimiser: torch.optim.Optimizer | None = None
    ) -> float | Tensor:
        """Make one update along the gradient of a loss, and return its value.

        Parameters
        ----------
        loss : scalar tensor
        optimiser : torch.optim.Optimizer or None
            Another one than the run's, for objectives with several networks.
        """
        value = self._finite(loss)
        chosen = optimiser or self.optimiser
        _clear(chosen)
        loss.backward()
        self._update(chosen)
        return value

    def follow(
        self,
        z: Tensor,
        loss: Tensor,
        slope: Tensor,
        optimiser: torch.optim.Optimizer | None = None,
    ) -> float | Tensor:
        """Make one update along a gradient that is known, and return the loss.

        Parameters
        ----------
        z : tensor
            What a network said, as `forward` gave it.
        loss : scalar tensor
        slope : tensor
            Derivative of the loss by `z`.
        optimiser : torch.optim.Optimizer or None
            Another one than the run's.
        """
        value = self._finite(loss)
        chosen = optimiser or self.optimiser
        _clear(chosen)
        if z.is_leaf:
            z.grad = slope
        else:
            z.backward(slope)
        self._update(chosen)
        return value

    def follow_all(
        self, loss: Tensor, slopes: Iterable[tuple[Tensor, Tensor]]
    ) -> float | Tensor:
        """Make one update along gradients by several answers, and return the loss.

        Parameters
        ----------
        loss : scalar tensor
        slopes : pairs of tensors
            What was said, or made of it, and the derivative of the loss by it with the
            others held fixed. Those that nothing learns from are left out.
        """
        value = self._finite(loss)
        _clear(self.optimiser)
        learning = [pair for pair in slopes if pair[0].requires_grad]
        torch.autograd.backward(
            [answer for answer, _ in learning], [slope for _, slope in learning]
        )
        self._update(self.optimiser)
        return value

    @property
    def reads_late(self) -> bool:
        """Whether losses are fetched at the end of an epoch: asking for one waits."""
        return self.device.type != "cpu"

    def _finite(self, loss: Tensor) -> float | Tensor:
        if self.reads_late:
            return loss.detach()
        value = loss.item()
        if not math.isfinite(value):
            raise Diverged(f"the loss is {value}", step=self.updates)
        return value

    def _update(self, optimiser: torch.optim.Optimizer) -> None:
        """Bring gradients from the answers to the weights, and step."""
        reached, left = [], []
        for chain, answer in self.answers:
            if answer.z.grad is None:
                left.append((chain, answer))
            else:
                chain.backward(answer, answer.z.grad)
                reached.append(chain)
        self.answers = left
        if self.clip is not None:
            weights = [w for group in optimiser.param_groups for w in group["params"]]
            nn.utils.clip_grad_norm_(weights, self.clip)
        self.advance(optimiser)
        for chain in reached:
            chain.updates += 1

    def advance(self, optimiser: torch.optim.Optimizer) -> None:
        """Step along the gradients that the weights have."""
        # A schedule counts the calls of `step`.
        if isinstance(optimiser, Adam) and self.schedule is None:
            optimiser.advance()
        else:
            optimiser.step()

    def end_epoch(self) -> None:
        """Do what is due after a pass over the rows."""
        self.epoch += 1
        self.objective.after_epoch(self)
        if self.schedule is not None:
            self.schedule.step()

    def checkpoint(self) -> None:
        """Evaluate the module as it is now, and keep its weights if it is the best."""
        self.check_weights()
        since = self.checkpoints[-1]["updates"] if self.checkpoints else 0
        recent = self.losses[since:]
        row: dict[str, Any] = {"updates": self.updates, "epoch": self.epoch}
        row["loss"] = math.fsum(recent) / len(recent)
        if self.evaluate is not None:
            with evaluating(self.module), computing(self.precision, self.device):
                scores = self.evaluate(self)
            row.update({name: _plain(score) for name, score in scores.items()})
        self.checkpoints.append(row)
        if self.rule is None:
            return
        if self.rule.score not in row:
            raise UnknownName.among("score", self.rule.score, list(row)[2:])
        if self.waiting.see(self.rule, row[self.rule.score], len(self.checkpoints) - 1):
            if self.rule.restore:
                self.best_weights = copy_of(self.module)
        elif self.waiting.is_over(self.rule):
            self.stop("patience")

    def check_weights(self) -> None:
        """Refuse to go on with a weight that is not finite."""
        for module in (self.module, *self.parts.values()):
            for name, tensor in module.state_dict().items():
                if tensor.is_floating_point() and not torch.isfinite(tensor).all():
                    raise Diverged(f"{name!r} is not finite", step=self.updates)

    def finish(self) -> Training:
        """Give the module its final weights."""
        if self.best_weights is not None:
            self.module.load_state_dict(self.best_weights)
        self.check_weights()
        self.module.eval()
        return Training(
            losses=self.losses,
            checkpoints=self.checkpoints,
            best=self.waiting.place,
            updates=self.updates,
            epochs=self.epoch,
            stopped=self.stopped,
        )


def copy_of(module: nn.Module) -> dict[str, Tensor]:
    """Copy all weights and buffers of a module."""
    return {name: w.detach().clone() for name, w in module.state_dict().items()}


def _clear(optimiser: torch.optim.Optimizer) -> None:
    """Forget the gradients of an optimiser's weights."""
    for group in optimiser.param_groups:
        for weight in group["params"]:
            weight.grad = None


def _plain(score: Any) -> Any:
    return score.item() if hasattr(score, "item") else score
