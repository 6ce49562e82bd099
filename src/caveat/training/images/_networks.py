"""Which networks there are for images, and how one is made of a name or a factory."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn

from caveat._registry import Entry, Registry
from caveat.exceptions import InvalidInput
from caveat.training._outputs import output_shape
from caveat.training._sandbox import seeded

Shape = tuple[int, ...]
Factory = Callable[[Shape, int], nn.Module]
"""Makes a network: the shape of an item, (h, w, c) or (columns,), and how many classes.

The network gets batches of the shape (items, c, h, w), or (items, columns).
"""

_HERE = "caveat.training.images"

NETWORKS = Registry(
    "network",
    [
        Entry(
            name="small-cnn",
            target=f"{_HERE}._small:small_cnn",
            summary="three convolutions, for CPUs and small images",
            extra="deep",
        ),
        Entry(
            name="resnet-32",
            target=f"{_HERE}._resnet:resnet32",
            summary="31 convolutions with short cuts, 64 features",
            paper="He et al. (2016)",
            extra="deep",
        ),
        Entry(
            name="densenet-22",
            target=f"{_HERE}._densenet:densenet22",
            summary="21 convolutions, each sees all before it, 69 features",
            paper="Huang et al. (2017)",
            extra="deep",
        ),
    ],
)


class Classified(nn.Module):
    """Features of an image, and a linear layer that answers by them.

    Parameters
    ----------
    featurizer : torch.nn.Module
    n_features, n_classes : int
    """

    def __init__(self, featurizer: nn.Module, n_features: int, n_classes: int) -> None:
        super().__init__()
        self.featurizer = featurizer
        self.classifier = nn.Linear(n_features, n_classes)

    def forward(self, x: Tensor) -> Tensor:
        """Give logits of a batch."""
        return self.classifier(self.featurizer(x))


def make_network(
    network: str | Factory, shape: Shape, n_classes: int, *, seed: int
) -> nn.Module:
    """Make a network by its name or its factory, with seeded first weights.

    Parameters
    ----------
    network : str or callable
        "small-cnn", "resnet-32" or "densenet-22", or ``factory(shape, n_classes)``.
    shape : tuple of int
        Of an item: (h, w, c), or (columns,).
    n_classes : int
    seed : int

    Examples
    --------
    >>> from torch import nn
    >>> make_network(lambda shape, q: nn.Linear(shape[0], q), (4,), 3, seed=0)
    Linear(in_features=4, out_features=3, bias=True)
    """
    factory = NETWORKS[network].load() if isinstance(network, str) else network
    if not callable(factory):
        raise InvalidInput(
            f"network is {network!r}; pass a name or a factory(shape, n_classes) of a "
            "torch.nn.Module"
        )
    if isinstance(network, str) and len(shape) != 3:
        raise InvalidInput(
            f"network {network!r} is for images, but the items have {shape[0]} "
            "columns; pass an array of the shape (n, h, w, c), or network=None"
        )
    with seeded(seed):
        found = factory(shape, n_classes)
    if not isinstance(found, nn.Module):
        raise InvalidInput(
            f"the factory of the network gave a {type(found).__name__}; it must give "
            "a torch.nn.Module"
        )
    answer = output_shape(found, (2, *input_shape(shape)))
    if answer != (2, n_classes):
        raise InvalidInput(
            f"the network answers 2 items with the shape {answer}; it owes "
            f"(2, {n_classes}): a logit for every class"
        )
    return found


def input_shape(shape: Shape) -> Shape:
    """Give the shape in which a network gets an item: channels first."""
    return (shape[2], shape[0], shape[1]) if len(shape) == 3 else shape


def spread_convolutions(module: nn.Module) -> None:
    """Start convolutions from N(0, 2 / (k k outputs)), batch norms from 1 and 0."""
    for part in module.modules():
        if isinstance(part, nn.Conv2d):
            fan = part.kernel_size[0] * part.kernel_size[1] * part.out_channels
            nn.init.normal_(part.weight, 0.0, (2.0 / fan) ** 0.5)
        elif isinstance(part, nn.BatchNorm2d):
            part.reset_parameters()
