"""ResNet-32 for small images."""

from __future__ import annotations

from torch import Tensor, nn

from caveat.training.images._networks import Classified, Shape, spread_convolutions

WIDTHS, BLOCKS = (16, 32, 64), 5


class BasicBlock(nn.Module):
    """Two convolutions, and a short cut around them."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(after)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or before != after:
            self.downsample = nn.Sequential(
                nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after)
            )

    def forward(self, x: Tensor) -> Tensor:
        """Add what the convolutions find to what came in."""
        found = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(found + (x if self.downsample is None else self.downsample(x)))


class ResNet(nn.Module):
    """Three stages of five blocks; 64 features."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, WIDTHS[0], 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(WIDTHS[0])
        self.relu = nn.ReLU(inplace=True)
        self.layer1 = _stage(WIDTHS[0], WIDTHS[0], 1)
        self.layer2 = _stage(WIDTHS[0], WIDTHS[1], 2)
        self.layer3 = _stage(WIDTHS[1], WIDTHS[2], 2)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw first weights."""
        spread_convolutions(self)

    def forward(self, x: Tensor) -> Tensor:
        """Give the features of images: means over what is left of the area."""
        x = self.relu(self.bn1(self.conv1(x)))
        return self.layer3(self.layer2(self.layer1(x))).mean(dim=(2, 3))


def _stage(before: int, after: int, stride: int) -> nn.Sequential:
    blocks = [BasicBlock(before, after, stride)]
    blocks += [BasicBlock(after, after, 1) for _ in range(BLOCKS - 1)]
    return nn.Sequential(*blocks)


def resnet32(shape: Shape, n_classes: int) -> Classified:
    """Build ResNet-32: 3 x 3 convolutions in stages of 16, 32 and 64 channels.

    Parameters
    ----------
    shape : (height, width, channels)
    n_classes : int

    References
    ----------
    .. [1] K. He et al. (2016). Deep residual learning for image recognition. CVPR.

    Examples
    --------
    >>> network = resnet32((32, 32, 3), 10)
    >>> sum(weight.numel() for weight in network.parameters())
    466906
    """
    return Classified(ResNet(shape[2]), WIDTHS[-1], n_classes)
