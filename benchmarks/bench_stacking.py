"""Configurations that train together against one after the other.

Run it as ``OMP_NUM_THREADS=1 python benchmarks/bench_stacking.py``. Several networks
learn by CC from made-up candidates of the shape of Lost: one after the other with the
passes written out, as `caveat.training` does, or stacked into batched matrix products.
Configurations differ in learning rate and weight decay, so each has its own update by
Adam's kernel either way. Weights must agree. Printed is the tenth percentile of the CPU
time of a step, by configuration.
"""

from __future__ import annotations

import platform
import time

import numpy as np
import torch
from torch import Tensor, nn

from caveat.training._optimisers import Adam

ROWS, COLUMNS, CLASSES, STEPS, TURNS = 1122, 108, 16, 60, 3
CASES = [  # configurations, batch, hidden units
    (10, 128, 500),
    (10, 32, 500),
    (3, 32, 500),
    (10, 128, 64),
    (10, 32, 64),
]


def weights(count: int, hidden: int) -> list[Tensor]:
    """Give the same first weights to every configuration."""
    generator = torch.Generator().manual_seed(0)
    shapes = [(hidden, COLUMNS), (1, hidden), (CLASSES, hidden), (1, CLASSES)]
    drawn = [0.05 * torch.randn(*shape, generator=generator) for shape in shapes]
    return [w.expand(count, *w.shape).clone() for w in drawn]


def slope(z: Tensor, S: Tensor) -> Tensor:
    """Give the derivative of CC by the logits."""
    inside = z.masked_fill(~S, -torch.inf)
    return (z.softmax(-1) - inside.softmax(-1)) / z.shape[-2]


def prepared(parts: list[Tensor]) -> list[nn.Parameter]:
    """Make weights whose gradients are written in place."""
    learning = [nn.Parameter(part) for part in parts]
    for weight in learning:
        weight.grad = torch.zeros_like(weight)
    return learning


def optimisers(parts: list[list[nn.Parameter]]) -> list[Adam]:
    """Give every configuration an Adam with settings of its own."""
    return [
        Adam(part, lr=1e-3 / (1 + number), weight_decay=1e-5 * number, fused=True)
        for number, part in enumerate(parts)
    ]


@torch.no_grad()
def slopes_alone(weights: list[nn.Parameter], x: Tensor, S: Tensor) -> None:
    """Compute the gradients of one configuration."""
    W, b, V, c = weights
    h = torch.addmm(b, x, W.t()).relu_()
    g = slope(torch.addmm(c, h, V.t()), S)
    torch.mm(g.t(), h, out=V.grad)
    torch.sum(g, 0, keepdim=True, out=c.grad)
    back = torch.ops.aten.threshold_backward(g.mm(V), h, 0)
    torch.mm(back.t(), x, out=W.grad)
    torch.sum(back, 0, keepdim=True, out=b.grad)


@torch.no_grad()
def slopes_stacked(weights: list[nn.Parameter], x: Tensor, S: Tensor) -> None:
    """Compute the gradients of all configurations."""
    W, b, V, c = weights
    h = torch.baddbmm(b, x, W.mT).relu_()
    g = slope(torch.baddbmm(c, h, V.mT), S)
    torch.bmm(g.mT, h, out=V.grad)
    torch.sum(g, 1, keepdim=True, out=c.grad)
    back = torch.ops.aten.threshold_backward(g.bmm(V), h, 0)
    torch.bmm(back.mT, x, out=W.grad)
    torch.sum(back, 1, keepdim=True, out=b.grad)


def measure(count: int, batch: int, hidden: int) -> None:
    """Time both ways and print a line."""
    generator = torch.Generator().manual_seed(1)
    X = torch.randn(ROWS, COLUMNS, generator=generator)
    S = torch.rand(ROWS, CLASSES, generator=generator) < 0.15
    S[:, 0] = True
    drawn = [
        torch.randint(0, ROWS, (count, batch), generator=generator)
        for _ in range(STEPS)
    ]

    def alone() -> tuple[float, Tensor]:
        parts = [prepared(list(part)) for part in zip(*first(), strict=True)]
        adams = optimisers(parts)
        spent = []
        for rows in drawn:
            start = time.process_time()
            for part, adam, own in zip(parts, adams, rows, strict=True):
                slopes_alone(part, X.index_select(0, own), S.index_select(0, own))
                adam.advance()
            spent.append(time.process_time() - start)
        found = torch.stack([part[0].detach() for part in parts])
        return float(np.percentile(spent, 10)), found

    def stacked() -> tuple[float, Tensor]:
        whole = prepared(first())
        parts = [prepared([w.data[k] for w in whole]) for k in range(count)]
        for k, part in enumerate(parts):
            for weight, own in zip(whole, part, strict=True):
                own.grad = weight.grad[k]
        adams = optimisers(parts)
        spent = []
        for rows in drawn:
            start = time.process_time()
            flat = rows.view(-1)
            x = X.index_select(0, flat).view(count, batch, -1)
            slopes_stacked(whole, x, S.index_select(0, flat).view(count, batch, -1))
            for adam in adams:
                adam.advance()
            spent.append(time.process_time() - start)
        return float(np.percentile(spent, 10)), whole[0].detach()

    def first() -> list[Tensor]:
        return weights(count, hidden)

    turns = [(alone(), stacked()) for _ in range(TURNS)]
    torch.testing.assert_close(turns[0][0][1], turns[0][1][1], rtol=1e-3, atol=1e-4)
    one, all_ = (min(turn[way][0] for turn in turns) for way in (0, 1))
    print(
        f"{count:2} configurations, {COLUMNS}-{hidden}-{CLASSES}, batch {batch:3}: "
        f"one after the other {1e6 * one / count:5.0f} µs, "
        f"stacked {1e6 * all_ / count:5.0f} µs, ratio {one / all_:.2f}",
        flush=True,
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, Python {platform.python_version()}, one thread")
    for case in CASES:
        measure(*case)
