"""Latent features: what the clusterers see. Labels never enter.

A representation has ``fit(X)`` and ``transform(X)`` on encoded rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from sklearn.base import clone
from sklearn.utils import get_tags

from caveat.exceptions import InvalidInput

Floats = NDArray[np.float64]


class Representation(Protocol):
    """What turns encoded rows into latent features, without labels."""

    def fit(self, X: Floats) -> Self:
        """Learn from training rows."""
        ...

    def transform(self, X: Floats) -> Floats:
        """Give the latent features of rows."""
        ...


def latent_size(latent: int | str, *, images: bool, columns: int) -> int:
    """Choose the number of latent features: 64 for images and wide tables, else 2.

    The paper takes 64 for its images and 2 for its table of 27 variables.

    Examples
    --------
    >>> latent_size("auto", images=False, columns=30)
    2
    """
    if latent != "auto":
        return int(latent)
    return 64 if images or columns >= 64 else 2


@dataclass(frozen=True)
class Represent:
    """Makes a fresh representation for every fold.

    Attributes
    ----------
    make : callable
        ``(columns, seed, tick)`` to a representation that is not yet fitted.
    ticks : int
        Sum of all ``tick(count)`` while it is fitted.
    """

    make: Callable[[int, int, Callable[[int], None]], Any]
    ticks: int = 0

    def __call__(self, columns: int, seed: int, tick: Callable[[int], None]) -> Any:
        """Make one for so many encoded columns."""
        return self.make(columns, seed, tick)


class Plain:
    """The encoded rows as they are."""

    def __init__(self, latent: int) -> None:
        self.latent = latent

    def fit(self, X: Floats) -> Self:
        """Nothing to learn."""
        return self

    def transform(self, X: Floats) -> Floats:
        """Give the rows back."""
        return X


class PrincipalComponents:
    """Centred principal components, exact, not whitened.

    They come from the eigenvectors of the smaller of the two product matrices, so
    neither many rows nor many pixels hurt. Components without variance are left out.

    Parameters
    ----------
    latent : int
        Number of components, at most min(columns, rows - 1).

    Attributes
    ----------
    mean_ : ndarray of shape (columns,)
    components_ : ndarray of shape (components, columns)
        Unit rows by decreasing variance; the largest entry of each is positive.
    """

    def __init__(self, latent: int) -> None:
        self.latent = latent

    def fit(self, X: Floats) -> Self:
        """Find the axes of largest variance."""
        n, d = X.shape
        self.mean_ = X.mean(axis=0, dtype=np.float64)
        centred = X - self.mean_
        count = max(1, min(self.latent, d, n - 1))
        tall = n >= d
        product = centred.T @ centred if tall else centred @ centred.T
        size = len(product)
        values, vectors = eigh(product, subset_by_index=[size - count, size - 1])
        values, vectors = values[::-1], vectors[:, ::-1]
        varied = values > max(values[0], 0.0) * size * np.finfo(float).eps
        axes = vectors[:, varied].T
        if not tall:
            axes = (axes @ centred) / np.sqrt(values[varied])[:, None]
        largest = np.abs(axes).argmax(axis=1)
        signs = np.sign(axes[np.arange(len(axes)), largest])
        self.components_ = axes * signs[:, None]
        return self

    def transform(self, X: Floats) -> Floats:
        """Project rows."""
        return (X - self.mean_) @ self.components_.T


class Transformer:
    """A person's own scikit-learn transformer, fitted without labels."""

    def __init__(self, transformer: Any) -> None:
        if get_tags(transformer).target_tags.required:
            raise InvalidInput(
                f"representation: {type(transformer).__name__} asks for labels; EAPP "
                "must not see labels, pass a transformer that does without"
            )
        self.transformer = clone(transformer)

    def fit(self, X: Floats) -> Self:
        """Fit on training rows; a transformer that wants `y` is refused."""
        try:
            self.transformer.fit(X)
        except (TypeError, ValueError) as error:
            raise InvalidInput(
                f"representation: {type(self.transformer).__name__} cannot be fitted "
                f"to the rows alone ({error}); EAPP must not see labels"
            ) from error
        return self

    def transform(self, X: Floats) -> Floats:
        """Transform rows."""
        features = np.asarray(self.transformer.transform(X), float)
        if features.ndim != 2 or len(features) != len(X):
            raise InvalidInput(
                f"representation: {type(self.transformer).__name__} gave shape "
                f"{features.shape} for {len(X)} rows; it must give a row for each"
            )
        if not np.isfinite(features).all():
            raise InvalidInput(
                f"representation: {type(self.transformer).__name__} gave numbers "
                "that are not finite"
            )
        return features
