"""Optimisers by recipe: settings now, weights later.

All are torch's own, in the fused form where there is one: a single kernel updates
all weights, which halves the time of a step of a small network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import torch
from torch import nn

Recipe = Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]

_kernel: Any = getattr(torch, "_fused_adam_", None)


class Adam(torch.optim.Adam):
    """Torch's Adam, with a second way to step.

    Around its kernel, `step` asks for hooks and profilers and sorts the weights by
    device, which takes longer than the kernel itself for a small network; and the first
    one loads torch's compiler, which takes longer than many a run. `advance` calls the
    kernel; the numbers are the same. Torch does not promise to keep the kernel: where
    it is gone or has changed, `advance` is `step`.
    """

    # The same without the note to the compiler, which would load it to be read.
    add_param_group = getattr(
        torch.optim.Adam.add_param_group,
        "__wrapped__",
        torch.optim.Adam.add_param_group,
    )

    def advance(self) -> None:
        """Make one update, without hooks and closures."""
        todo = []
        for group in self.param_groups:
            ready = [weight for weight in group["params"] if weight.grad is not None]
            if not _is_usual(group, ready) or not kernel_is_known():
                self.step()
                return
            todo.append((group, ready))
        for group, ready in todo:
            if ready:
                states = [self.state[weight] for weight in ready]
                for weight, state in zip(ready, states, strict=True):
                    if not state:
                        state.update(_first_state(weight))
                _call_kernel(group, ready, states)


def _first_state(weight: torch.Tensor) -> dict[str, torch.Tensor]:
    """Give what Adam remembers of a weight before the first update, as torch does."""
    means = ("exp_avg", "exp_avg_sq")
    zeros = {name: torch.zeros_like(weight, requires_grad=False) for name in means}
    return {"step": torch.zeros((), device=weight.device), **zeros}


def _is_usual(group: dict[str, Any], weights: list[torch.Tensor]) -> bool:
    """Tell whether one call of the kernel does what `step` would."""
    return (
        group["fused"]
        and not group["amsgrad"]
        and not group.get("decoupled_weight_decay")
        and isinstance(group["lr"], float)
        and len({(weight.device, weight.dtype) for weight in weights}) <= 1
    )


@torch.no_grad()
def _call_kernel(
    group: dict[str, Any], weights: list[torch.Tensor], states: list[Any]
) -> None:
    steps = [state["step"] for state in states]
    torch._foreach_add_(steps, 1)
    _kernel(
        weights,
        [weight.grad for weight in weights if weight.grad is not None],
        [state["exp_avg"] for state in states],
        [state["exp_avg_sq"] for state in states],
        [],
        steps,
        amsgrad=False,
        lr=group["lr"],
        beta1=group["betas"][0],
        beta2=group["betas"][1],
        weight_decay=group["weight_decay"],
        eps=group["eps"],
        maximize=group["maximize"],
    )


@lru_cache(maxsize=1)
def kernel_is_known() -> bool:
    """Tell whether torch has the kernel that `advance` calls, and it is still Adam.

    Tried out once in a process: three updates of four numbers, against the formulas of
    Kingma and Ba (2015), Algorithm 1.
    """
    lr, decay, eps, (beta1, beta2) = 0.1, 0.01, 1e-8, (0.9, 0.999)
    group = {"lr": lr, "weight_decay": decay, "eps": eps, "betas": (beta1, beta2)}
    start = torch.tensor([-2.0, -0.5, 0.5, 2.0])
    weight = nn.Parameter(start.clone())
    state = _first_state(weight)
    expected = start.double()
    mean, square = torch.zeros_like(expected), torch.zeros_like(expected)
    try:
        for number in range(1, 4):
            weight.grad = weight.detach() - number
            _call_kernel({**group, "maximize": False}, [weight], [state])
            slope = expected - number + decay * expected
            mean = beta1 * mean + (1 - beta1) * slope
            square = beta2 * square + (1 - beta2) * slope**2
            scale = (square / (1 - beta2**number)).sqrt() + eps
            expected = expected - lr * mean / (1 - beta1**number) / scale
    except (AttributeError, LookupError, TypeError, RuntimeError):
        return False
    return torch.allclose(weight.detach().double(), expected, rtol=1e-5)


def adam(
    lr: float = 1e-3,
    *,
    weight_decay: float = 0.0,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
) -> Recipe:
    """Adam; weight decay is an L2 penalty, added to the gradient.

    Examples
    --------
    >>> from caveat.training import adam, mlp
    >>> optimiser = adam(lr=0.01)(mlp(2, [3], 1).parameters())
    >>> optimiser.param_groups[0]["lr"]
    0.01
    """
    settings = {"lr": lr, "weight_decay": weight_decay, "betas": betas, "eps": eps}
    return _recipe(Adam, settings)


def adamw(
    lr: float = 1e-3,
    *,
    weight_decay: float = 1e-2,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
) -> Recipe:
    """AdamW; weight decay shrinks the weights directly."""
    settings = {"lr": lr, "weight_decay": weight_decay, "betas": betas, "eps": eps}
    return _recipe(torch.optim.AdamW, settings)


def sgd(lr: float, *, momentum: float = 0.0, weight_decay: float = 0.0) -> Recipe:
    """Stochastic gradient descent, with momentum if asked for."""
    settings = {"lr": lr, "momentum": momentum, "weight_decay": weight_decay}
    return _recipe(torch.optim.SGD, settings)


def rmsprop(lr: float = 1e-2, *, weight_decay: float = 0.0) -> Recipe:
    """Root-mean-square propagation, which has no fused form."""

    def make(weights: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
        return torch.optim.RMSprop(weights, lr=lr, weight_decay=weight_decay)

    return make


def _recipe(kind: Any, settings: dict[str, Any]) -> Recipe:
    def make(weights: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
        listed = list(weights)
        fused = all(weight.device.type in ("cpu", "cuda") for weight in listed)
        return kind(listed, fused=fused, **settings)

    return make
