"""Learned representations: an autoencoder, and its variational kin.

Both terms of a loss are made dimensionless, so that images and tables need no
settings of their own: errors are divided by the mean variance of the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from caveat.eapp.representations._by_name import TICKS
from caveat.eapp.representations._networks import Autoencoder, Shape, autoencoder
from caveat.training import (
    Batch,
    Best,
    LossFunction,
    Run,
    adam,
    outputs,
    sandbox,
    train,
)

Floats = NDArray[np.float64]
# So many rows make the larger batch worth its while.
MANY_ROWS = 5_000
# Passes over the rows, at most; those without a better loss that end a training.
PASSES, PATIENCE = 50, 5
# For tables: updates that 50 passes are meant to have, and patience in updates.
UPDATES, WAIT = 1_000, 100

# Torch's generator and number of threads belong to the whole process: folds that run
# in threads train one after the other.
_TORCH = RLock()


@contextmanager
def alone(seed: int = 0) -> Iterator[None]:
    """Have torch to oneself: one thread, and its generator seeded."""
    with _TORCH, sandbox(seed):
        yield


@dataclass(frozen=True)
class TrainingSettings:
    """How networks are trained.

    Attributes
    ----------
    epochs : int or None
        Most passes over the rows before any clustering. None is 50, and for tables as
        many as make a thousand updates: a small table has a batch or two in a pass.
    rounds : int
        Most passes for each k, with clustering (`kmeans_ae` only).
    lam : float
        Weight of the clustering loss (`kmeans_ae` only).
    learning_rate : float
    """

    epochs: int | None = None
    rounds: int = 20
    lam: float = 0.01
    learning_rate: float = 1e-3


class LearnedFeatures:
    """Features that an autoencoder finds, trained by its reconstruction alone.

    Parameters
    ----------
    latent : int
        Number of features, at most min(columns, rows - 1).
    shape : (side, side, channels) or None
        Of the images that the rows are; None for a table.
    seed : int
        Of first weights, batches and whatever else draws.
    tick : callable
        ``tick(count)`` is called after every batch; all counts add up to `TICKS`.
    settings : mapping
        See `TrainingSettings`.

    Warnings
    --------
    What a network finds depends on its seed: another one moves the curve.
    """

    codes = 1
    # Epochs that follow the first training.
    _later = 0

    def __init__(
        self,
        latent: int,
        *,
        shape: Shape | None = None,
        seed: int = 0,
        tick: Callable[[int], None] = lambda count: None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.latent = latent
        self.shape = shape
        self.seed = seed
        self.tick = tick
        self.settings = TrainingSettings(**(settings or {}))

    def fit(self, X: Floats) -> Self:
        """Train on rows, until the loss has not fallen by 0.1 % for a while.

        That is five epochs, of a table at least a hundred updates: the loss of an epoch
        of one batch goes up and down by more than it falls.
        """
        n, d = X.shape
        sizes = batches(n)
        passes, patience = self.passes(n)
        self.size_ = max(1, min(self.latent, d, n - 1))
        self.unit_ = mean_variance(X)
        with alone(self.seed):
            self.network_ = autoencoder(
                d, self.size_, self.shape, codes=self.codes, seed=self.seed
            )
            self.optimiser_ = adam(lr=self.settings.learning_rate)(
                self.network_.parameters()
            )
            self._ticks = Ticks(self.tick, passes + self._later)
            self.training_ = train(
                self.network_,
                Counted(self._loss, self._ticks),
                {"x": torch.as_tensor(X, dtype=torch.float32)},
                epochs=passes,
                optimiser=self.optimiser_,
                best=Best(patience=patience, tolerance=1e-3, restore=False),
                seed=self.seed,
                **sizes,
            )
        self._ticks.end(passes)
        return self

    def passes(self, n: int) -> tuple[int, int]:
        """Give the most epochs over so many rows, and how many may bring nothing."""
        given = self.settings.epochs
        if self.shape is not None:
            return given or PASSES, PATIENCE
        each = max(1, n // batches(n)["batch_size"])
        least = max(PASSES, -(-UPDATES // each))
        return given or least, max(PATIENCE, -(-WAIT // each))

    def transform(self, X: Floats) -> Floats:
        """Give the features of rows."""
        return encode(self.network_.encoder, X)[:, : self.size_]

    def _loss(self, network: nn.Module, batch: Batch) -> Tensor:
        return reconstruction_loss(network(batch["x"]), batch["x"], self.unit_)


class VariationalFeatures(LearnedFeatures):
    """Means of a variational autoencoder's codes.

    The encoder gives mean and log-variance of every latent feature; the loss is half
    the squared error, in units of the columns' mean variance, plus the divergence of
    the codes from a standard normal, both summed over a row.

    References
    ----------
    .. [1] D. P. Kingma, M. Welling (2014). Auto-encoding variational Bayes. ICLR.
    """

    codes = 2

    def _loss(self, network: nn.Module, batch: Batch) -> Tensor:
        assert isinstance(network, Autoencoder)
        x = batch["x"]
        mean, log_variance = network.encoder(x).chunk(2, dim=1)
        log_variance = log_variance.clamp(-12, 12)
        noise = torch.randn_like(mean)
        guess = network.decoder(mean + noise * (0.5 * log_variance).exp())
        error = (guess - x).square().sum(dim=1) / (2 * self.unit_)
        divergence = mean.square() + log_variance.exp() - 1 - log_variance
        return (error + divergence.sum(dim=1) / 2).mean()


def reconstruction_loss(guess: Tensor, x: Tensor, unit: float) -> Tensor:
    """Mean squared error in units of the columns' mean variance."""
    return (guess - x).square().mean() / unit


def encode(encoder: nn.Module, X: Floats) -> Floats:
    """Apply an encoder to rows."""
    with alone():
        rows = torch.as_tensor(X, dtype=torch.float32)
        return outputs(encoder, rows, batch_size=1024).numpy().astype(np.float64)


def mean_variance(X: Floats) -> float:
    """Mean variance of the columns; 1 if none varies."""
    return float(X.var(axis=0, dtype=np.float64).mean()) or 1.0


def batches(n: int) -> dict[str, Any]:
    """Choose the batch size; a last, smaller batch is left out.

    Rows are shuffled in every epoch, so none is left out for long. A batch of one row
    has no spread that a clustering loss could be measured by.
    """
    size = 256 if n >= MANY_ROWS else 64
    return {"batch_size": size, "drop_last": n > size}


class Ticks:
    """Tells how much of a training is done, in parts of `TICKS`.

    Parameters
    ----------
    tick : callable
        Gets the parts that have been added.
    epochs : int
        Most epochs that all runs of the training take together.

    Examples
    --------
    >>> told = []
    >>> ticks = Ticks(told.append, 4)
    >>> ticks.end(3), ticks.end(1), told
    (None, None, [7500, 2500])
    """

    def __init__(self, tick: Callable[[int], None], epochs: int) -> None:
        self._tick = tick
        self._epochs = epochs
        self._ended = 0
        self._told = 0

    def follow(self, run: Run) -> None:
        """Tell of a batch of the current run."""
        self._reach(self._ended + (run.updates + 1) / run.batches_per_epoch)

    def end(self, epochs: int) -> None:
        """Tell that a run of so many epochs, at most, has ended."""
        self._ended += epochs
        self._reach(self._ended)

    def _reach(self, epochs: float) -> None:
        count = int(TICKS * epochs / self._epochs) - self._told
        if count > 0:
            self._told += count
            self._tick(count)


class Counted(LossFunction):
    """A loss whose batches are counted."""

    def __init__(
        self, function: Callable[[nn.Module, Batch], Tensor], ticks: Ticks
    ) -> None:
        super().__init__(function)
        self.ticks = ticks

    def after_step(self, run: Run, batch: Batch) -> None:
        """Count the batch."""
        self.ticks.follow(run)
