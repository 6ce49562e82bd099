"""A chain of dense layers, with both passes written out.

Autograd keeps a graph, allocates every gradient anew, and walks from node to node in
between; on networks of a few hundred units that is a third of a step. Here the same
matrix products are called in the same order, so results are equal to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from caveat.exceptions import InvalidInput

aten = torch.ops.aten

#: For every activation: what it does to a tensor in place, and the way back from the
#: gradient by its result and that result, which may overwrite the gradient.
_ACTIVATIONS: dict[
    type[nn.Module],
    tuple[Callable[[Any, Tensor], Tensor], Callable[[Any, Tensor, Tensor], Tensor]],
] = {
    nn.ReLU: (
        lambda layer, h: h.relu_(),
        lambda layer, slope, h: aten.threshold_backward.grad_input(
            slope, h, 0, grad_input=slope
        ),
    ),
    nn.Tanh: (
        lambda layer, h: h.tanh_(),
        lambda layer, slope, h: aten.tanh_backward(slope, h),
    ),
}


@dataclass
class Answer:
    """What a network said of a batch, and what it takes to go back.

    Attributes
    ----------
    z : tensor
        The network's output, a leaf: a loss leaves its gradient here.
    inputs : list of tensor
        Of every linear layer.
    updates : int
        How many updates the chain had seen.
    """

    z: Tensor
    inputs: list[Tensor]
    updates: int


class DenseChain:
    """Linear layers with activations in between, on the CPU.

    Made by `of`, which declines every other network.

    Parameters
    ----------
    layers : list of torch.nn.Linear
    activations : list of torch.nn.Module
        One fewer.
    """

    def __init__(self, layers: list[nn.Linear], activations: list[nn.Module]) -> None:
        self.layers = layers
        self.updates = 0
        self.activations = [(a, *_ACTIVATIONS[type(a)]) for a in activations]
        self.buffers = [
            (torch.empty_like(layer.weight), torch.empty_like(layer.bias))
            for layer in layers
        ]

    @classmethod
    def of(cls, module: nn.Module) -> DenseChain | None:
        """Take a network apart, or decline: None means that autograd must do it."""
        if type(module) is not nn.Sequential or not len(module):
            return None
        if any(_is_watched(part) for part in module.modules()):
            return None
        parts = list(module)
        layers, activations = parts[::2], parts[1::2]
        if len(layers) != len(activations) + 1:
            return None
        if not all(type(part) in _ACTIVATIONS for part in activations):
            return None
        linear = [part for part in layers if type(part) is nn.Linear]
        if len(linear) < len(layers) or not all(map(_is_plain, linear)):
            return None
        return cls(linear, activations)

    @torch.no_grad()
    def forward(self, x: Tensor) -> Answer:
        """Apply the network, and keep what the way back needs."""
        inputs = [x]
        for layer, (kind, apply, _) in zip(self.layers, self.activations, strict=False):
            x = apply(kind, torch.addmm(layer.bias, x, layer.weight.t()))
            inputs.append(x)
        last = self.layers[-1]
        z = torch.addmm(last.bias, x, last.weight.t())
        return Answer(z, inputs, self.updates)

    @torch.no_grad()
    def backward(self, answer: Answer, slope: Tensor) -> None:
        """Add the weights' gradients to what is there.

        Parameters
        ----------
        answer : Answer
        slope : tensor
            Gradient of the loss by the network's output.
        """
        if answer.updates != self.updates:
            raise InvalidInput(
                "a loss goes back to an answer from before the network's last update; "
                "call run.forward again after run.descend"
            )
        for number in range(len(self.layers) - 1, -1, -1):
            layer, (weight, bias) = self.layers[number], self.buffers[number]
            _leave(layer.weight, torch.mm, weight, slope.t(), answer.inputs[number])
            _leave(layer.bias, torch.sum, bias, slope, 0)
            if number:
                kind, _, back = self.activations[number - 1]
                slope = back(kind, slope.mm(layer.weight), answer.inputs[number])


def _leave(weight: Tensor, compute: Any, buffer: Tensor, *of: Any) -> None:
    """Compute a gradient, in the buffer if the weight has none yet."""
    if weight.grad is None:
        weight.grad = compute(*of, out=buffer)
    else:
        weight.grad += compute(*of)


def _is_plain(layer: nn.Linear) -> bool:
    """Tell whether a layer is all that its weights say."""
    return layer.bias is not None and all(
        weight.device.type == "cpu"
        and weight.requires_grad
        and weight.is_contiguous()
        and not weight._backward_hooks
        and not getattr(weight, "_post_accumulate_grad_hooks", None)
        for weight in (layer.weight, layer.bias)
    )


def _is_watched(part: nn.Module) -> bool:
    """Tell whether somebody looks at, or changes, what goes through a layer."""
    return bool(
        part._forward_hooks
        or part._forward_pre_hooks
        or part._backward_hooks
        or part._backward_pre_hooks
    )
