"""DenseNet-22 with bottlenecks, for small images."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from caveat.training.images._networks import Classified, Shape, spread_convolutions

GROWTH, LAYERS, BLOCKS, COMPRESSION = 12, 3, 3, 2


class Bottleneck(nn.Module):
    """Twelve new channels from all that are there, through a narrow 1 x 1 layer."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv1 = nn.Conv2d(channels, 4 * GROWTH, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(4 * GROWTH)
        self.conv2 = nn.Conv2d(4 * GROWTH, GROWTH, 3, padding=1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Put the new channels behind the old ones."""
        narrow = self.conv1(self.bn1(x).relu())
        return torch.cat([x, self.conv2(self.bn2(narrow).relu())], dim=1)


class Transition(nn.Module):
    """Half the channels, half the side."""

    def __init__(self, before: int, after: int) -> None:
        super().__init__()
        self.bn1 = nn.BatchNorm2d(before)
        self.conv1 = nn.Conv2d(before, after, 1, bias=False)
        self.pool = nn.AvgPool2d(2)

    def forward(self, x: Tensor) -> Tensor:
        """Compress, then average over 2 x 2."""
        return self.pool(self.conv1(self.bn1(x).relu()))


class DenseNet(nn.Module):
    """Three dense blocks of three bottlenecks; 69 features."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        width = 2 * GROWTH
        self.conv1 = nn.Conv2d(channels, width, 3, padding=1, bias=False)
        stages: list[nn.Module] = []
        for block in range(BLOCKS):
            for _ in range(LAYERS):
                stages.append(Bottleneck(width))
                width += GROWTH
            if block < BLOCKS - 1:
                stages.append(Transition(width, width // COMPRESSION))
                width //= COMPRESSION
        self.stages = nn.Sequential(*stages)
        self.bn = nn.BatchNorm2d(width)
        self.width = width
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw first weights."""
        spread_convolutions(self)

    def forward(self, x: Tensor) -> Tensor:
        """Give the features of images: means over what is left of the area."""
        return self.bn(self.stages(self.conv1(x))).relu().mean(dim=(2, 3))


def densenet22(shape: Shape, n_classes: int) -> Classified:
    """Build DenseNet-22: growth 12, bottlenecks, half the channels between blocks.

    Parameters
    ----------
    shape : (height, width, channels)
    n_classes : int

    References
    ----------
    .. [1] G. Huang et al. (2017). Densely connected convolutional networks. CVPR.

    Examples
    --------
    >>> densenet22((32, 32, 3), 10).classifier.in_features
    69
    """
    featurizer = DenseNet(shape[2])
    return Classified(featurizer, featurizer.width, n_classes)
