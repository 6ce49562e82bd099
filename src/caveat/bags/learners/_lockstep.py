"""Configurations of one learner trained together: the same batches for all of them.

Configurations of a grid have the same seed, hence the same first weights, the same
items in every step and the same random directions. These are drawn once for all; each
network keeps its own loss, rate and optimiser, and ends as it would have ended alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from torch import Tensor, nn

from caveat.bags.learners import _perceptron as passes
from caveat.bags.learners._bag_batches import BagBatches
from caveat.bags.learners._network import BagLoss
from caveat.bags.learners._thin_items import Items, make_items
from caveat.bags.losses import unit_items
from caveat.training import Diverged, Training, sandbox


@dataclass(frozen=True)
class Student:
    """One perceptron: what it minimises, and how fast."""

    network: nn.Sequential
    objective: BagLoss
    learning_rate: float


def train_together(
    students: Sequence[Student],
    x: Tensor,
    bags: NDArray,
    sampler: BagBatches,
    *,
    updates: int,
    seed: int,
) -> list[Training]:
    """Train perceptrons of one shape in place, as `caveat.training.train` would.

    Parameters
    ----------
    students : sequence of Student
        Linear layers with ReLUs in between, at least two of them.
    x : tensor of shape (items, features)
    bags : array of shape (items,)
    sampler : BagBatches
    updates : int
        How many steps to make.
    seed : int
        Seeds batches and directions, the same for all.

    Returns
    -------
    list of Training
    """
    adversarial = any(student.objective.adversarial for student in students)
    memory = Memory(students[0].network, sampler.largest, adversarial)
    items = make_items(x)
    desks = [Desk(student, memory) for student in students]
    with sandbox(seed) as generator, threadpool_limits(1, user_api="blas"):
        batches = _batches(sampler, generator)
        for step in range(updates):
            rows = next(batches)
            items.take(rows)
            directions = None
            if adversarial:
                directions = unit_items(torch.randn(len(rows), x.shape[1])).numpy()
            present, place = np.unique(bags[rows.numpy()], return_inverse=True)
            for desk in desks:
                desk.step(items, present, place, directions, step, updates)
    for desk in desks:
        desk.finish(updates)
    epochs = updates // len(sampler)
    return [Training(d.losses, [], None, updates, epochs, "budget") for d in desks]


def _batches(sampler: BagBatches, generator: torch.Generator) -> Iterator[Tensor]:
    while True:
        yield from sampler.epoch(generator)


class Memory:
    """Arrays that networks of one shape use one after the other.

    Parameters
    ----------
    network : torch.nn.Sequential
    rows : int
        Items of the largest batch.
    adversarial : bool
        Whether items are learnt from twice, as they are and moved.
    """

    def __init__(self, network: nn.Sequential, rows: int, adversarial: bool) -> None:
        shapes = [w.shape for w in network.parameters() if w.ndim == 2]
        first, features = shapes[0]
        widths = [shape[0] for shape in shapes[:-1]]
        # Staying in the hidden layer pays where items are wider and many.
        squares = 2 * first * (features + rows)
        self.narrow = features >= first and squares < 3 * rows * features
        learnt, moved = (2 * rows, rows) if adversarial else (rows, 0)
        self.entered = _empty(rows, first)
        self.hidden = [_empty(learnt, width) for width in widths]
        self.slopes = [_empty(learnt, width) for width in widths]
        self.z = _empty(learnt, shapes[-1][0])
        self.slope = _empty(learnt, shapes[-1][0])
        self.log_h, self.h = _empty(rows, shapes[-1][0]), _empty(rows, shapes[-1][0])
        self.probe = [_empty(moved, width) for width in widths]
        self.reach = _empty(moved, first)
        self.source = _empty(moved, first if self.narrow else features)
        self.gram, self.mixed = _empty(first, first), _empty(first, first)
        self.product = _empty(features, first)


class Desk:
    """A student at work: weights, gradients and moments in arrays of their own."""

    def __init__(self, student: Student, memory: Memory) -> None:
        self.student = student
        self.memory = memory
        self.losses: list[float] = []
        weights = [w.detach().numpy() for w in student.network.parameters()]
        weights[0] = weights[0].T
        self.flat = np.concatenate([w.ravel() for w in weights])
        self.grad, self.mean = np.zeros_like(self.flat), np.zeros_like(self.flat)
        self.square = np.zeros_like(self.flat)
        self.weights, self.biases = _layers(self.flat, weights)
        self.grads = _layers(self.grad, weights)

    def step(
        self,
        items: Items,
        present: NDArray,
        place: NDArray,
        directions: NDArray | None,
        step: int,
        updates: int,
    ) -> None:
        """Make one update."""
        n, memory, objective = len(place), self.memory, self.student.objective
        entered, h, log_h = memory.entered[:n], memory.h[:n], memory.log_h[:n]
        hidden, z = _first(memory.hidden, n), memory.z[:n]
        items.enter(self.weights[0], entered)
        passes.answer(self.weights, self.biases, entered, hidden, z)
        passes.log_softmax(z, log_h, h)
        value = objective.slopes(log_h, h, present, place, memory.slope[:n])
        adversary = objective.adversary(step, updates)
        rows = n
        if adversary is not None:
            rows = 2 * n
            value += adversary.weight * self._move(n, adversary, directions)
        if not math.isfinite(value):
            raise Diverged(f"the loss is {value}", step=step)
        self.losses.append(value)
        hidden, slopes = _first(memory.hidden, rows), _first(memory.slopes, rows)
        slope = memory.slope[:rows]
        passes.learn(n, slope, self.weights, hidden, slopes, self.grads)
        items.pull(slopes[0][:n], self.grads[1][0], self.grads[0][0])
        if adversary is not None:
            passes.learn_moves(
                slopes[0][n:],
                memory.source[:n],
                adversary.eps,
                memory.narrow,
                self.weights[0],
                self.grads[0][0],
                memory.mixed,
                memory.product,
            )
        rate = self.student.learning_rate
        passes.adam_step(self.flat, self.grad, self.mean, self.square, rate, step + 1)

    def _move(self, n: int, adversary: Any, directions: Any) -> float:
        """Apply the network to items moved in the worst directions."""
        memory, entered = self.memory, self.memory.entered[:n]
        h, log_h = memory.h[:n], memory.log_h[:n]
        source, reach = memory.source[:n], memory.reach[:n]
        moved, z = tuple(a[n : 2 * n] for a in memory.hidden), memory.z[n : 2 * n]
        passes.worst(
            directions,
            h,
            self.weights,
            self.biases,
            entered,
            adversary.xi,
            adversary.n_power,
            memory.narrow,
            _first(memory.probe, n),
            _first(memory.slopes, n),
            memory.gram,
            z,
            source,
            reach,
        )
        passes.answer_moved(
            self.weights, self.biases, entered, reach, adversary.eps, moved, z
        )
        slope = memory.slope[n : 2 * n]
        return passes.divergence(z, log_h, h, adversary.weight, slope)

    def finish(self, updates: int) -> None:
        """Give the network its weights."""
        if not np.isfinite(self.flat).all():
            raise Diverged("a weight is not finite", step=updates)
        network, (first, *others) = self.student.network, self.weights
        linear = [layer for layer in network if isinstance(layer, nn.Linear)]
        parts = zip(linear, (first.T, *others), self.biases, strict=True)
        with torch.no_grad():
            for layer, weight, bias in parts:
                layer.weight.copy_(torch.from_numpy(weight))
                layer.bias.copy_(torch.from_numpy(bias))
        network.eval()


def _empty(*shape: int) -> NDArray[np.float32]:
    return np.empty(shape, dtype=np.float32)


def _first(arrays: Sequence[NDArray], n: int) -> tuple[NDArray, ...]:
    return tuple(array[:n] for array in arrays)


def _layers(flat: NDArray, like: Sequence[NDArray]) -> tuple[Any, Any]:
    """See numbers laid end to end as weights of all layers, and biases."""
    ends = np.cumsum([array.size for array in like])
    parts = np.split(flat, ends[:-1])
    views = [p.reshape(a.shape) for p, a in zip(parts, like, strict=True)]
    return tuple(views[::2]), tuple(views[1::2])
