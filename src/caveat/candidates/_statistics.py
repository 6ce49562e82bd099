"""How ambiguous candidate sets are, and how noisy where the truth is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caveat.candidates._candidates import CandidateSets, as_candidates
from caveat.exceptions import InvalidInput, listing

UNSURE = 0.7
"""A suggestion below this probability is called unsure."""


@dataclass(frozen=True)
class CandidateStatistics:
    """What a collection of candidate sets is like.

    Attributes
    ----------
    n_items, n_classes : int
    mean_size : float
        Candidates of an item, on average.
    histogram : dict of int to int
        Size of a set to the number of items that have one of this size.
    singletons, full : float
        Share of items with one candidate, and with all classes.
    frequencies : array of shape (n_classes,)
        Share of items that each class is a candidate of.
    never_candidate : tuple
        Classes that are candidates of no item.
    noise_rate : float or None
        Share of items whose true label is no candidate; None without the truth.
    flipping : array of shape (n_classes, n_classes) or None
        Row j, column k: how often class k is a candidate of items of class j. The
        diagonal is below 1 where there is noise; rows of absent classes are NaN.
    ambiguity : float or None
        Largest entry of `flipping` off the diagonal, the ambiguity degree. At 1, two
        classes cannot be told apart.
    never_true : tuple or None
        Classes that are no item's true label.
    """

    n_items: int
    n_classes: int
    mean_size: float
    histogram: dict[int, int]
    singletons: float
    full: float
    frequencies: NDArray[np.float64]
    never_candidate: tuple[Any, ...]
    noise_rate: float | None = None
    flipping: NDArray[np.float64] | None = None
    ambiguity: float | None = None
    never_true: tuple[Any, ...] | None = None


def candidate_statistics(
    candidates: Any, y: ArrayLike | None = None
) -> CandidateStatistics:
    """Describe candidate sets.

    Parameters
    ----------
    candidates : CandidateSets, or anything `as_candidates` takes
    y : array-like of labels, optional
        The truth, where it is known.

    Returns
    -------
    CandidateStatistics

    Warnings
    --------
    Without `y` nothing tells noise from ambiguity: small sets can all be wrong. The
    ambiguity degree is a maximum over estimated shares, so a class of few items pushes
    it up by chance.

    References
    ----------
    .. [1] T. Cour, B. Sapp, B. Taskar (2011). Learning from partial labels. JMLR 12.
    .. [2] W. Wang et al. (2025). Realistic evaluation of deep partial-label learning
       algorithms. ICLR.

    Examples
    --------
    >>> found = candidate_statistics([[1, 1, 0], [0, 1, 0], [1, 0, 1]], [0, 1, 1])
    >>> found.mean_size, found.histogram, found.noise_rate
    (1.6666666666666667, {1: 1, 2: 2}, 0.3333333333333333)
    >>> found.flipping[1]
    array([0.5, 0.5, 0.5])
    """
    sets = as_candidates(candidates, warn=False)
    sizes, counts = np.unique(sets.sizes, return_counts=True)
    used = sets.matrix.sum(axis=0) > 0
    truth = {} if y is None else _truth(sets, y)
    return CandidateStatistics(
        n_items=len(sets),
        n_classes=sets.shape[1],
        mean_size=float(sets.sizes.mean()),
        histogram=dict(zip(sizes.tolist(), counts.tolist(), strict=True)),
        singletons=float((sets.sizes == 1).mean()),
        full=float((sets.sizes == sets.shape[1]).mean()),
        frequencies=sets.matrix.mean(axis=0),
        never_candidate=_named(sets, ~used),
        **truth,
    )


def confused_pairs(
    flipping: NDArray[np.float64] | None, classes: tuple[Any, ...], most: int = 8
) -> list[tuple[str, str, float]]:
    """List what is a candidate beside the true label: (true, other, how often).

    Examples
    --------
    >>> flipping = candidate_statistics([[1, 1, 0], [0, 1, 0]], [0, 1]).flipping
    >>> confused_pairs(flipping, ("ant", "bee", "fly"))
    [('ant', 'bee', 1.0)]
    """
    if flipping is None:
        return []
    shares = np.nan_to_num(flipping)
    np.fill_diagonal(shares, 0.0)
    order = np.argsort(-shares, axis=None, kind="stable")[:most]
    pairs = [divmod(int(flat), len(classes)) for flat in order]
    return [
        (str(classes[true]), str(classes[other]), float(shares[true, other]))
        for true, other in pairs
        if shares[true, other] > 0
    ]


def label_codes(y: ArrayLike, classes: tuple[Any, ...]) -> NDArray[np.intp]:
    """Column of every label, or an error that names the unknown one."""
    place = {label: column for column, label in enumerate(classes)}
    values = np.asarray(y)
    if values.ndim != 1:
        raise InvalidInput(
            f"y: found the shape {values.shape}; pass one label per item"
        )
    unknown = [label for label in values.tolist() if label not in place]
    if unknown:
        raise InvalidInput(
            f"y: {unknown[0]!r} is not a class; there are {listing(classes)}"
        )
    return np.array([place[label] for label in values.tolist()], dtype=np.intp)


def _truth(sets: CandidateSets, y: ArrayLike) -> dict[str, Any]:
    codes = label_codes(y, sets.classes)
    if len(codes) != len(sets):
        raise InvalidInput(
            f"y: found {len(codes)} labels for {len(sets)} sets; pass one each"
        )
    columns = sets.shape[1]
    counts = np.bincount(codes, minlength=columns)
    hits = np.zeros((columns, columns))
    np.add.at(hits, codes, sets.matrix)
    with np.errstate(invalid="ignore"):
        flipping = np.where(counts[:, None] > 0, hits / counts[:, None], np.nan)
    off = flipping[~np.eye(columns, dtype=bool)]
    return {
        "noise_rate": float((~sets.matrix[np.arange(len(codes)), codes]).mean()),
        "flipping": flipping,
        "ambiguity": float(np.nanmax(off)),
        "never_true": _named(sets, counts == 0),
    }


def _named(sets: CandidateSets, where: NDArray[np.bool_]) -> tuple[Any, ...]:
    return tuple(sets.classes[column] for column in np.flatnonzero(where))
