"""Several runs at once: networks of one shape in batched matrix products.

Runs over the same rows, with layers and batches of the same sizes, go in lockstep. Each
keeps its own order of rows, random numbers, loss and optimiser, so it ends as it would
have ended alone. On small networks the calls around the products are what is saved.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from caveat.training._batches import Batch
from caveat.training._dense import DenseChain
from caveat.training._diverged import Diverged
from caveat.training._job import Job
from caveat.training._loop import Loop
from caveat.training._objective import Objective
from caveat.training._run import Training
from caveat.training._sandbox import sandbox

#: Multiplications of one pass from which the products take all the time: measured on
#: one core, four runs together gain 1.2 times at 10 million of them, 1.1 at 40, and
#: nothing at 100, where several networks crowd each other out of the cache.
LARGEST = 50_000_000


def train_all(jobs: Sequence[Job]) -> list[Training | Diverged]:
    """Train several networks, those that fit each other together.

    Parameters
    ----------
    jobs : sequence of Job
        Those whose data are the same tensors, whose networks are dense layers of the
        same widths, not too large, whose batches are of one size and whose objective
        `stacks`, train together; all others one after the other. The results are the
        same.

    Returns
    -------
    list of Training or Diverged
        For every job, in their order. A run that diverges does not touch the others.

    Examples
    --------
    >>> import torch
    >>> from caveat.training import Job, Objective, adam, mlp, train_all
    >>> class Squares(Objective):
    ...     stacks = True
    ...     def answer(self, z, batch):
    ...         gap = z - batch["x"]
    ...         return gap.square().mean(), 2 * gap / gap.numel()
    >>> data = {"x": torch.linspace(-1, 1, 32)[:, None]}
    >>> jobs = [Job(module=mlp(1, [8], 1, seed=0), objective=Squares(), data=data,
    ...             optimiser=adam(rate), epochs=20) for rate in (0.1, 0.001)]
    >>> good, slow = train_all(jobs)
    >>> good.losses[0] == slow.losses[0], good.losses[-1] < slow.losses[-1]
    (True, True)
    """
    together: dict[Hashable, list[int]] = {}
    for number, job in enumerate(jobs):
        together.setdefault(_kind(job) or number, []).append(number)
    found: dict[int, Training | Diverged] = {}
    for numbers in together.values():
        chosen = [jobs[number] for number in numbers]
        results = _stacked(chosen) if len(chosen) > 1 else [_alone(chosen[0])]
        found.update(zip(numbers, results, strict=True))
    return [found[number] for number in range(len(jobs))]


def _kind(job: Job) -> Hashable:
    """Say what runs must have in common to go together; None goes alone."""
    objective = job.objective
    if not isinstance(objective, Objective) or not objective.stacks:
        return None
    if job.precision != "float32":
        return None
    if torch.device(job.device).type != "cpu" or "x" not in job.data:
        return None
    if any(
        item is not None
        for item in (job.sampler, job.schedule, job.clip, job.save_to, job.views)
    ):
        return None
    chain = DenseChain.of(job.module)
    if chain is None:
        return None
    weights = sum(layer.weight.numel() for layer in chain.layers)
    if weights * job.batch_size > LARGEST:
        return None
    return (
        tuple((layer.weight.shape, layer.weight.dtype) for layer in chain.layers),
        tuple(type(kind) for kind, *_ in chain.activations),
        tuple((name, id(value)) for name, value in sorted(job.data.items())),
        (job.batch_size, job.drop_last, job.threads),
    )


def _alone(job: Job) -> Training | Diverged:
    try:
        return job.train()
    except Diverged as error:
        return error


@dataclass(eq=False)
class _Seat:
    """A run in a stack, its random numbers, and how it ended."""

    loop: Loop
    stream: Tensor
    result: Training | Diverged | None = None


def _stacked(jobs: list[Job]) -> list[Training | Diverged]:
    seats = []
    with sandbox(0, threads=jobs[0].threads):
        for job in jobs:
            with sandbox(job.seed, threads=job.threads) as generator:
                loop = job.begin(generator, job.budget)
                seats.append(_Seat(loop, torch.get_rng_state()))
        stack = _Stack(seats)
        try:
            while stack.seats:
                stack.turn()
        finally:
            stack.release()
    return [seat.result for seat in seats if seat.result is not None]


class _Layer:
    """One layer of all networks: they share its memory, and that of its gradients."""

    def __init__(self, layers: list[torch.nn.Linear]) -> None:
        self.weight = torch.stack([layer.weight.detach() for layer in layers])
        self.bias = torch.stack([layer.bias.detach() for layer in layers])[:, None]
        self.weight_slope = torch.zeros_like(self.weight)
        self.bias_slope = torch.zeros_like(self.bias)
        for number, layer in enumerate(layers):
            layer.weight.data = self.weight[number]
            layer.bias.data = self.bias[number, 0]
            layer.weight.grad = self.weight_slope[number]
            layer.bias.grad = self.bias_slope[number, 0]


class _Stack:
    """Runs in lockstep, until the last of them has ended."""

    def __init__(self, seats: list[_Seat]) -> None:
        self._join(seats)

    def _join(self, seats: list[_Seat]) -> None:
        self.seats = seats
        chains = [DenseChain.of(seat.loop.run.module) for seat in seats]
        columns = zip(*(chain.layers for chain in chains if chain), strict=True)
        self.layers = [_Layer(list(layers)) for layers in columns]
        self.activations = chains[0].activations if chains and chains[0] else []

    def release(self) -> None:
        """Give every network its own memory back."""
        for seat in self.seats:
            for weight in seat.loop.run.module.parameters():
                weight.data, weight.grad = weight.data.clone(), None

    def turn(self) -> None:
        """Make one update of every run; those that end leave."""
        x, batches = self._batches()
        z, inputs = self._forward(x)
        values: list[float | None] = []
        slopes = torch.zeros_like(z)
        for seat, own, slope, batch in zip(self.seats, z, slopes, batches, strict=True):
            values.append(self._ask(seat, own, slope, batch))
        self._backward(inputs, slopes)
        for seat, value, batch in zip(self.seats, values, batches, strict=True):
            if seat.result is None:
                self._follow(seat, value, batch)
        if any(seat.result is not None for seat in self.seats):
            self.release()
            self._join([seat for seat in self.seats if seat.result is None])

    def _batches(self) -> tuple[Tensor, list[Batch]]:
        """Gather the next rows of all runs at once: they have the same data."""
        drawn = [seat.loop.rows() for seat in self.seats]
        rows = [own for own in drawn if isinstance(own, Tensor)]
        flat, shape = torch.cat(rows), (len(rows), -1)
        parts = {
            name: tensor.index_select(0, flat).unflatten(0, shape)
            for name, tensor in self.seats[0].loop.run.data.items()
        }
        return parts["x"], [
            Batch(own, {name: part[number] for name, part in parts.items()})
            for number, own in enumerate(rows)
        ]

    @staticmethod
    def _ask(seat: _Seat, z: Tensor, slope: Tensor, batch: Batch) -> float | None:
        """Write the derivative of a run's loss down, and give the loss."""
        torch.set_rng_state(seat.stream)
        found = seat.loop.run.objective.answer(z, batch)
        seat.stream = torch.get_rng_state()
        if found is None:
            return None
        value = found[0].item()
        if not math.isfinite(value):
            step = seat.loop.run.updates
            seat.result = Diverged(f"the loss is {value}", step=step)
        slope.copy_(found[1])
        return value

    @staticmethod
    def _follow(seat: _Seat, value: float | None, batch: Batch) -> None:
        run = seat.loop.run
        torch.set_rng_state(seat.stream)
        try:
            if value is not None:
                run.advance(run.optimiser)
            seat.loop.follow(batch, value or 0.0)
            if run.stopped:
                seat.result = run.finish()
        except Diverged as error:
            seat.result = error
        seat.stream = torch.get_rng_state()

    @torch.no_grad()
    def _forward(self, x: Tensor) -> tuple[Tensor, list[Tensor]]:
        inputs = [x]
        for layer, (kind, apply, _) in zip(self.layers, self.activations, strict=False):
            x = apply(kind, torch.baddbmm(layer.bias, x, layer.weight.mT))
            inputs.append(x)
        last = self.layers[-1]
        return torch.baddbmm(last.bias, x, last.weight.mT), inputs

    @torch.no_grad()
    def _backward(self, inputs: list[Tensor], slope: Tensor) -> None:
        for number in range(len(self.layers) - 1, -1, -1):
            layer = self.layers[number]
            torch.bmm(slope.mT, inputs[number], out=layer.weight_slope)
            torch.sum(slope, 1, keepdim=True, out=layer.bias_slope)
            if number:
                kind, _, back = self.activations[number - 1]
                slope = back(kind, slope.bmm(layer.weight), inputs[number])
