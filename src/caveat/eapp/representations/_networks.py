"""Autoencoders: a table's by layers, an image's by convolutions. No labels anywhere."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from caveat.training import seeded

Shape = tuple[int, int, int]
# Images up to this side are put on a canvas of that side and halved three times.
SMALL_CANVAS = 32
CHANNELS = (32, 64, 128, 256)


class Autoencoder(nn.Module):
    """Rows to latent features and back.

    Attributes
    ----------
    encoder, decoder : torch.nn.Sequential
    """

    def __init__(self, encoder: nn.Sequential, decoder: nn.Sequential) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, x: Tensor) -> Tensor:
        """Reconstruct rows."""
        return self.decoder(self.encoder(x))


def autoencoder(
    columns: int, latent: int, shape: Shape | None, *, codes: int = 1, seed: int
) -> Autoencoder:
    """Build an autoencoder for rows of a table or of pixels.

    Parameters
    ----------
    columns : int
        Width of a row.
    latent : int
        Number of latent features.
    shape : (side, side, channels) or None
        Of the images that the rows are; None for a table.
    codes : int, default=1
        How many numbers the encoder gives for each latent feature.
    seed : int
        Of the first weights.

    Examples
    --------
    >>> network = autoencoder(30, 2, None, seed=0)
    >>> [layer.out_features for layer in network.encoder[::2]]
    [120, 60, 2]
    >>> network.decoder[-1].out_features
    30
    """
    with seeded(seed):
        if shape is None:
            network = _of_table(columns, latent, codes)
        else:
            network = _of_images(shape, latent, codes)
        for layer in network.modules():
            if isinstance(layer, nn.Linear | nn.Conv2d | nn.ConvTranspose2d):
                nn.init.kaiming_uniform_(layer.weight, nonlinearity="relu")
                nn.init.zeros_(layer.bias)  # type: ignore[arg-type]
    # Convolutions run a fifth faster on a CPU with the channels last in memory.
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return network


def _of_table(columns: int, latent: int, codes: int) -> Autoencoder:
    first = min(512, max(32, 4 * columns))
    second = max(16, first // 2)
    encoder = nn.Sequential(
        nn.Linear(columns, first),
        nn.ReLU(),
        nn.Linear(first, second),
        nn.ReLU(),
        nn.Linear(second, latent * codes),
    )
    decoder = nn.Sequential(
        nn.Linear(latent, second),
        nn.ReLU(),
        nn.Linear(second, first),
        nn.ReLU(),
        nn.Linear(first, columns),
    )
    return Autoencoder(encoder, decoder)


def _of_images(shape: Shape, latent: int, codes: int) -> Autoencoder:
    side, _, channels = shape
    blocks = 3 if side <= SMALL_CANVAS else 4
    # A canvas that can be halved so often: 32, or the next multiple of 16.
    canvas = SMALL_CANVAS if side <= SMALL_CANVAS else -(-side // 16) * 16
    inner = canvas // 2**blocks
    widths = CHANNELS[:blocks]
    size = widths[-1] * inner**2
    down: list[nn.Module] = [OnCanvas(shape, canvas)]
    before = channels
    for width in widths:
        down += [
            nn.Conv2d(before, width, 3, stride=2, padding=1),
            nn.BatchNorm2d(width),
            nn.ReLU(),
        ]
        before = width
    up: list[nn.Module] = [
        nn.Linear(latent, size),
        nn.ReLU(),
        nn.Unflatten(1, (widths[-1], inner, inner)),
    ]
    for width in widths[-2::-1]:
        up += [
            nn.ConvTranspose2d(before, width, 4, stride=2, padding=1),
            nn.BatchNorm2d(width),
            nn.ReLU(),
        ]
        before = width
    up += [
        nn.ConvTranspose2d(before, channels, 4, stride=2, padding=1),
        nn.Sigmoid(),
        OffCanvas(shape, canvas),
    ]
    return Autoencoder(
        nn.Sequential(*down, nn.Flatten(), nn.Linear(size, latent * codes)),
        nn.Sequential(*up),
    )


class OnCanvas(nn.Module):
    """Rows of pixels as images in the middle of a square canvas of zeros."""

    def __init__(self, shape: Shape, canvas: int) -> None:
        super().__init__()
        self.shape = shape
        before = (canvas - shape[0]) // 2
        self.margins = (before, canvas - shape[0] - before)

    def forward(self, x: Tensor) -> Tensor:
        """Put rows on the canvas, channels first."""
        images = x.view(-1, *self.shape).permute(0, 3, 1, 2)
        return nn.functional.pad(images, (*self.margins, *self.margins))


class OffCanvas(nn.Module):
    """The way back: the images on the canvas as rows of pixels."""

    def __init__(self, shape: Shape, canvas: int) -> None:
        super().__init__()
        start = (canvas - shape[0]) // 2
        self.inside = slice(start, start + shape[0])

    def forward(self, images: Tensor) -> Tensor:
        """Cut the images out and lay their pixels in a row, channels last."""
        inner = images[:, :, self.inside, self.inside]
        return inner.permute(0, 2, 3, 1).flatten(1)
