"""What a network knows just before it answers: the input of its last layer."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

from caveat.exceptions import InvalidInput


def last_layer(module: nn.Module) -> nn.Linear:
    """Find the linear layer that answers: the last that the network registers.

    Examples
    --------
    >>> from caveat.training import last_layer, mlp
    >>> last_layer(mlp(4, [16], 3))
    Linear(in_features=16, out_features=3, bias=True)
    """
    found = [part for part in module.modules() if isinstance(part, nn.Linear)]
    if not found:
        raise InvalidInput(
            f"the {type(module).__name__} has no linear layer to answer with; end it "
            "with torch.nn.Linear(features, classes)"
        )
    return found[-1]


def with_features(module: nn.Module, x: Tensor) -> tuple[Tensor, Tensor]:
    """Give a network's answer to a batch, and the features it answered by.

    Any network whose last step is a linear layer will do: what goes into that layer
    is looked at on the way.

    Parameters
    ----------
    module : torch.nn.Module
    x : tensor

    Returns
    -------
    answer, features : tensor

    Examples
    --------
    >>> import torch
    >>> from caveat.training import mlp, with_features
    >>> answer, features = with_features(mlp(4, [16], 3), torch.zeros(2, 4))
    >>> answer.shape, features.shape
    (torch.Size([2, 3]), torch.Size([2, 16]))
    """
    seen: list[Tensor] = []

    def keep(layer: nn.Module, given: tuple[Tensor, ...]) -> None:
        seen.append(given[0])

    handle = last_layer(module).register_forward_pre_hook(keep)
    try:
        answer = module(x)
    finally:
        handle.remove()
    return answer, seen[-1]


class ProjectionHead(nn.Sequential):
    """Two layers that put features on the unit sphere, for contrastive losses.

    Parameters
    ----------
    n_features : int
        Width of the input and of the layer between.
    width : int
        Width of the output, which has length 1.

    Examples
    --------
    >>> import torch
    >>> head = ProjectionHead(16, 8)
    >>> bool(torch.allclose(head(torch.randn(3, 16)).norm(dim=1), torch.ones(3)))
    True
    """

    def __init__(self, n_features: int, width: int) -> None:
        super().__init__(
            nn.Linear(n_features, n_features),
            nn.ReLU(),
            nn.Linear(n_features, width),
        )

    def forward(self, x: Tensor) -> Tensor:
        """Project, and divide by the length."""
        return F.normalize(super().forward(x), dim=1)
