"""Features and clusters learnt together, one cluster more at a time: the paper's way.

After pre-training by reconstruction, every k has rounds of its own: an epoch that
pulls points towards their centroids, then k-means from where the centroids are. The
next k splits the largest cluster and goes on. Each k keeps its own encoder.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from torch import Tensor, nn

from caveat.eapp.clusters._clusterers import kmeans_centroids
from caveat.eapp.clusters._clusters import Clusters
from caveat.eapp.clusters._split_largest import split_largest
from caveat.eapp.representations._autoencoders import (
    LearnedFeatures,
    alone,
    batches,
    encode,
    reconstruction_loss,
)
from caveat.eapp.representations._networks import Autoencoder
from caveat.training import Batch, Objective, Run, train

Floats = NDArray[np.float64]
# A k has settled when fewer of its points than this change their cluster, but not
# before it had so many rounds.
SETTLED = 0.001
LEAST_ROUNDS = 3


class FixedEncoder:
    """The encoder as it was at one k."""

    def __init__(self, encoder: nn.Module) -> None:
        self.encoder = copy.deepcopy(encoder)

    def transform(self, X: Floats) -> Floats:
        """Give the features of rows."""
        return encode(self.encoder, X)


class KMeansFeatures(LearnedFeatures):
    """An autoencoder whose features gather around centroids, k by k.

    References
    ----------
    .. [1] V. Ortiz Castelló et al. (2022). Extended a priori probability (EAPP).
       IEEE Access 10, section II.C. The losses are ours; the paper gives none.
    .. [2] B. Yang, X. Fu, N. D. Sidiropoulos, M. Hong (2017). Towards
       k-means-friendly spaces: simultaneous deep learning and clustering. ICML.
    """

    def path(
        self, X: Floats, ks: Sequence[int]
    ) -> Iterator[tuple[int, Clusters | str, FixedEncoder | None]]:
        """Yield, for every k, clusters (or why there are none) and the encoder."""
        settings, steps = self.settings, ks[-1] - ks[0] + 1
        self._later = steps * settings.rounds
        self.fit(X)
        Z = self.transform(X)
        centroids = kmeans_centroids(Z, ks[0], self.seed)
        for k in range(ks[0], ks[-1] + 1):
            if k > ks[0]:
                nearest = Clusters(centroids).distances(Z).argmin(axis=1)
                grown = split_largest(Z, nearest, centroids)
                if grown is None:
                    self._ticks.end(self.settings.rounds * (ks[-1] - k + 1))
                    for larger in (other for other in ks if other >= k):
                        yield larger, f"no cluster of k = {k - 1} can be split", None
                    return
                centroids = grown
            centroids = self._settle(X, Z, centroids)
            Z = self.transform(X)
            if k in ks:
                yield k, Clusters(centroids), FixedEncoder(self.network_.encoder)

    def _settle(self, X: Floats, Z: Floats, centroids: Floats) -> Floats:
        """Train with centroids until the points stay where they are."""
        gathering = Gathering(
            Z,
            centroids,
            unit=self.unit_,
            lam=self.settings.lam,
            follow=self._ticks.follow,
        )
        with alone(self.seed):
            train(
                self.network_,
                gathering,
                {"x": torch.as_tensor(X, dtype=torch.float32)},
                epochs=self.settings.rounds,
                optimiser=self.optimiser_,
                # Another order of the rows for every k.
                seed=self.seed + len(centroids),
                **batches(len(X)),
            )
        self._ticks.end(self.settings.rounds)
        return gathering.centroids


class Gathering(Objective):
    """Reconstruction and clustering loss; k-means after every epoch.

    Parameters
    ----------
    Z : ndarray of shape (n, latent)
        Features before the first epoch.
    centroids : ndarray of shape (k, latent)
    unit : float
        Mean variance of the columns.
    lam : float
        Weight of the clustering loss.
    follow : callable
        Gets the run after every batch, to tell how far it is.

    Attributes
    ----------
    rounds : int
        Epochs so far.
    moved : float
        Share of points that the last k-means gave another cluster.
    """

    def __init__(
        self,
        Z: Floats,
        centroids: Floats,
        *,
        unit: float,
        lam: float,
        follow: Callable[[Run], None] = lambda run: None,
    ) -> None:
        self.centroids = centroids
        self.nearest = Clusters(centroids).distances(Z).argmin(axis=1)
        self.unit = unit
        self.lam = lam
        self.follow = follow
        self.rounds = 0
        self.moved = 1.0

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """Reconstruct, and gather."""
        network = run.module
        assert isinstance(network, Autoencoder)
        x = batch["x"]
        z = network.encoder(x)
        rec = reconstruction_loss(network.decoder(z), x, self.unit)
        targets = torch.as_tensor(self.centroids, dtype=z.dtype, device=z.device)
        return rec + self.lam * clustering_loss(z, targets)

    def after_step(self, run: Run, batch: Batch) -> None:
        """Tell of the batch."""
        self.follow(run)

    def after_epoch(self, run: Run) -> None:
        """Move the centroids; stop when the points have settled."""
        network = run.module
        assert isinstance(network, Autoencoder)
        self.move(encode(network.encoder, run.data["x"].numpy()))
        if self.has_settled():
            run.stop()

    def move(self, Z: Floats) -> None:
        """Run k-means on new features, from the current centroids."""
        model = KMeans(
            len(self.centroids),
            init=self.centroids,
            n_init=1,
            max_iter=10,
            random_state=0,
        ).fit(Z)
        self.centroids = model.cluster_centers_
        nearest = Clusters(self.centroids).distances(Z).argmin(axis=1)
        self.moved = float((nearest != self.nearest).mean())
        self.nearest = nearest
        self.rounds += 1

    def has_settled(self) -> bool:
        """Tell whether hardly any point changed its cluster."""
        return self.rounds >= LEAST_ROUNDS and self.moved < SETTLED


def clustering_loss(z: Tensor, centroids: Tensor) -> Tensor:
    """Squared distance to the nearest centroid, as a share of the spread.

    L = mean ‖z_i - μ_a(i)‖² / (mean ‖z_i - z̄‖² + 1e-8), with a(i) the nearest centroid.
    The spread keeps its gradient: shrinking all features gains nothing, so the latent
    space does not collapse.

    Examples
    --------
    >>> z = torch.tensor([[0.0], [1.0], [4.0], [5.0]])
    >>> round(clustering_loss(z, torch.tensor([[0.5], [4.5]])).item(), 4)
    0.0588
    """
    with torch.no_grad():
        nearest = torch.cdist(z, centroids).argmin(dim=1)
    within = (z - centroids[nearest]).square().sum(dim=1).mean()
    spread = (z - z.mean(dim=0)).square().sum(dim=1).mean()
    return within / (spread + 1e-8)
