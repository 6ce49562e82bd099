"""The multi-layer perceptron that most papers mean."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from torch import nn

from caveat.exceptions import InvalidInput, UnknownName
from caveat.training._sandbox import seeded

_ACTIVATIONS: dict[str, type[nn.Module]] = {
    "relu": nn.ReLU,
    "leaky-relu": nn.LeakyReLU,
    "elu": nn.ELU,
    "selu": nn.SELU,
    "gelu": nn.GELU,
    "silu": nn.SiLU,
    "tanh": nn.Tanh,
}


def mlp(
    n_inputs: int,
    hidden: Sequence[int],
    n_outputs: int,
    *,
    activation: str = "relu",
    dropout: float = 0.0,
    seed: int | None = None,
) -> nn.Sequential:
    """Build linear layers with an activation, and dropout if asked for, in between.

    Weights start as PyTorch starts them: uniform between plus and minus one over the
    square root of the number of inputs of a layer.

    Parameters
    ----------
    n_inputs, n_outputs : int
        Width of the input and of the output.
    hidden : sequence of int
        Width of each hidden layer; none makes it a linear model.
    activation : str, default="relu"
        Also "leaky-relu", "elu", "selu", "gelu", "silu", "tanh".
    dropout : float, default=0.0
        Share of hidden units that a training step leaves out.
    seed : int or None, default=None
        Seeds the first weights, and leaves torch's own generator alone. None takes
        them from that generator.

    Returns
    -------
    torch.nn.Sequential

    Examples
    --------
    >>> mlp(4, [100, 100], 3, seed=0)[0].weight.shape
    torch.Size([100, 4])
    """
    widths = [n_inputs, *hidden, n_outputs]
    if min(widths) < 1:
        raise InvalidInput(f"a layer is {min(widths)} wide; one unit is the least")
    if not 0 <= dropout < 1:
        raise InvalidInput(f"dropout is {dropout}; pass a share from 0 up to below 1")
    if activation not in _ACTIVATIONS:
        raise UnknownName.among("activation", activation, _ACTIVATIONS)
    with seeded(seed):
        layers: list[nn.Module] = []
        for before, after in pairwise(widths[:-1]):
            layers += [nn.Linear(before, after), _ACTIVATIONS[activation]()]
            layers += [nn.Dropout(dropout)] if dropout else []
        return nn.Sequential(*layers, nn.Linear(widths[-2], widths[-1]))
