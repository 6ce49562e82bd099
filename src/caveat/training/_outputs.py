"""What a network says of rows, and how wide its answers are."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from caveat.exceptions import InvalidInput


@contextmanager
def evaluating(module: nn.Module) -> Iterator[None]:
    """Switch dropout and the like off, keep no gradients, and switch back."""
    training = module.training
    module.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        module.train(training)


def outputs(module: nn.Module, *x: Tensor, batch_size: int = 8192) -> Any:
    """Apply a network to all rows, batch by batch, without gradients.

    In the precision and on the device in which it was trained.

    Parameters
    ----------
    module : torch.nn.Module
        Evaluated as after training: no dropout, batch statistics fixed.
    *x : tensor
        Its inputs, on any device; batches are moved to that of the module.
    batch_size : int, default=8192
        Rows at a time.

    Returns
    -------
    tensor

    Examples
    --------
    >>> import torch
    >>> from caveat.training import mlp, outputs
    >>> outputs(mlp(2, [4], 3), torch.zeros(5, 2)).shape
    torch.Size([5, 3])
    """
    device = next((weight.device for weight in module.parameters()), x[0].device)
    batches = zip(*(each.split(batch_size) for each in x), strict=True)
    with evaluating(module):
        parts = [module(*(one.to(device) for one in batch)) for batch in batches]
    return torch.cat(parts)


def output_shape(module: nn.Module, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Find the shape of a network's answer without computing it.

    A copy of the network on torch's meta device has shapes but no numbers, so even
    a large one answers at once.

    Parameters
    ----------
    module : torch.nn.Module
    *shapes : tuple of int
        Shape of each input.

    Returns
    -------
    tuple of int

    Examples
    --------
    >>> from caveat.training import mlp, output_shape
    >>> output_shape(mlp(10, [64], 3), (128, 10))
    (128, 3)
    >>> output_shape(mlp(10, [64], 3), (128, 11))
    Traceback (most recent call last):
    ...
    caveat.exceptions.InvalidInput: the network cannot take input of the shapes
    (128, 11): ...
    """
    ghost = copy.deepcopy(module).to("meta")
    inputs = [torch.empty(shape, device="meta") for shape in shapes]
    try:
        with evaluating(ghost):
            return tuple(ghost(*inputs).shape)
    except (RuntimeError, ValueError) as error:
        raise InvalidInput(
            f"the network cannot take input of the shapes "
            f"{', '.join(map(str, shapes))}: {str(error).splitlines()[0]}"
        ) from error
