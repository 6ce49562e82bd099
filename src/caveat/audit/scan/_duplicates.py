"""Rows that stand in the table twice: exactly, nearly, or with another target."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata
from sklearn.neighbors import NearestNeighbors

from caveat.audit.scan._column import Column
from caveat.audit.scan._evidence import Evidence
from caveat.audit.scan._finding import Finding

_MOST_LISTED = 200
_MOST_ROWS = 6_000
_MOST_COLUMNS = 60
# The tenth neighbour of a small table, the twentieth of others: rows of one person
# are up to a dozen, and must not be most of the neighbourhood.
_FAR, _SMALL_TABLE = (10, 20), 400
FARTHER = 2 * _FAR[-1]
_CHANCE, _LAX_CHANCE = 0.001, 0.02


def copies(evidence: Evidence) -> list[Finding]:
    """Find rows that agree in every column but those that name rows."""
    shown = [one for one in evidence.columns if one.distinct > 1 and not one.names_rows]
    if not shown:
        return []
    key = row_keys(shown)
    features = pd.factorize(key)[0]
    counts = np.bincount(features)
    again = counts[features] > 1
    if not again.any() or _by_chance(shown, evidence.seed) > 0.2 * _extra(features):
        return []
    same_target = pd.factorize(pd.MultiIndex.from_arrays([key, _answers(evidence)]))[0]
    twice = np.bincount(same_target)[same_target] > 1
    torn = again & ~_agrees(features, evidence)
    found = []
    rows = len(key)
    copied = _extra(same_target[twice]) if twice.any() else 0
    if copied:
        share = copied / rows
        found.append(_duplicates(share, copied, twice, evidence))
    if torn.any():
        found.append(_conflict(torn, evidence))
    return found


def row_keys(columns: list[Column]) -> NDArray[np.uint64]:
    """Hash each row over the values of some columns."""
    frame = pd.DataFrame({j: one.identity for j, one in enumerate(columns)})
    return pd.util.hash_pandas_object(frame, index=False).to_numpy()


def _answers(evidence: Evidence) -> NDArray[np.float64]:
    target = evidence.target
    return target.numbers if target.regression else target.codes.astype(float)


def _extra(codes: NDArray[np.intp]) -> int:
    """Count rows beyond the first of each value."""
    return len(codes) - len(np.unique(codes))


def _by_chance(columns: list[Column], seed: int) -> int:
    """Count copies in a table whose columns were shuffled one by one.

    Few columns of few values repeat themselves without anybody copying a row.
    """
    rng = np.random.default_rng([seed, 4])
    rows = len(columns[0].identity)
    mixed = [one.rows(rng.permutation(rows)) for one in columns]
    return _extra(pd.factorize(row_keys(mixed))[0])


def _agrees(features: NDArray[np.intp], evidence: Evidence) -> NDArray[np.bool_]:
    answers = pd.Series(_answers(evidence))
    spread = answers.groupby(features).transform("max") - answers.groupby(
        features
    ).transform("min")
    return (spread == 0).to_numpy()


def _listed(chosen: NDArray[np.bool_], evidence: Evidence) -> tuple[int, ...]:
    return tuple(int(i) for i in evidence.row_numbers[chosen][:_MOST_LISTED])


def _severity(share: float) -> str:
    return "serious" if share >= 0.05 else "careful" if share >= 0.01 else "note"


def _duplicates(
    share: float, copied: int, twice: NDArray[np.bool_], evidence: Evidence
) -> Finding:
    return Finding(
        kind="duplicate",
        severity=_severity(share),
        rows=_listed(twice, evidence),
        number=share,
        measure="share",
        sentence=(
            f"{copied:,} of {len(twice):,} rows are copies of another row, target "
            "included; a copy in the test part is a question whose answer was seen."
        ),
        fix="Drop the copies, or keep them together in every split.",
        size=0.8 + share,
    )


def _conflict(torn: NDArray[np.bool_], evidence: Evidence) -> Finding:
    share = float(torn.mean())
    return Finding(
        kind="conflict",
        severity=_severity(share),
        rows=_listed(torn, evidence),
        number=share,
        measure="share",
        sentence=(
            f"{int(torn.sum()):,} rows agree in every column but not in the target: no "
            "model can tell them apart."
        ),
        fix="Find out which of their targets is right, or what column is missing.",
        size=0.85 + share,
    )


def near_copies(evidence: Evidence) -> list[Finding]:
    """Find rows that lie far nearer to another row than rows of this table do."""
    points = _points(evidence)
    if points is None:
        return []
    number, X = points
    distance, near = NearestNeighbors(n_neighbors=FARTHER).fit(X).kneighbors()
    bar = near_bar(distance)
    is_near = (distance[:, 0] < bar) & (distance[:, 0] > 0)
    # A copy is a copy both ways.
    both = is_near & (near[near[:, 0], 0] == np.arange(len(near)))
    share = float(is_near.mean())
    if share < 0.02 or both.sum() < 6:
        return []
    surely = distance[:, 0] < near_bar(distance, may_be_lax=False)
    is_serious = np.mean(surely & is_near) >= 0.1
    severity = "serious" if is_serious else "careful"
    return [_near(share, severity, is_near, number, evidence)]


def near_bar(
    distance: NDArray[np.float64], *, may_be_lax: bool = True
) -> NDArray[np.float64]:
    """Return for each row below which distance another row is a near copy of it.

    Where rows spread evenly over d dimensions, the nearest of n neighbours is closer
    than t times the n-th with probability (n - 1) t^d. We learn d from neighbours twice
    as far, which copies do not move. One row in a thousand is a near copy by chance; if
    four times more rows than chance gives are near by a laxer bar (one in fifty), rows
    of the same person or thing are among them, and the laxer bar is taken.

    Parameters
    ----------
    distance : array of shape (rows, FARTHER)
        From each row to its nearest other rows, nearest first.
    may_be_lax : bool
        Whether the laxer bar may be taken.

    Returns
    -------
    array of float, one per row; below 0 where no bar can be learnt
    """
    many = _FAR[len(distance) >= _SMALL_TABLE]
    nearest, far, farther = (distance[:, n - 1] for n in (1, many, 2 * many))
    usable = (far > 0) & (farther > 0)
    if usable.mean() < 0.9:
        return np.full(len(distance), -1.0)
    growth = float(np.mean(np.log(farther[usable] / far[usable])))
    dimension = np.log(2) / max(growth, 1e-9)

    def bar(chance: float) -> NDArray[np.float64]:
        ratio = (chance / (many - 1)) ** (1 / max(dimension, 1.0))
        return np.where(usable, min(ratio, 0.5) * far, 0.0)

    lax = bar(_LAX_CHANCE)
    share = np.mean((nearest < lax) & (nearest > 0))
    return lax if may_be_lax and share >= 4 * _LAX_CHANCE else bar(_CHANCE)


def _near(
    share: float,
    severity: str,
    is_near: NDArray[np.bool_],
    number: NDArray[np.intp],
    evidence: Evidence,
) -> Finding:
    rows = tuple(int(i) for i in evidence.row_numbers[number[is_near]][:_MOST_LISTED])
    return Finding(
        kind="near-duplicate",
        severity=severity,
        rows=rows,
        number=share,
        measure="share",
        sentence=(
            f"{100 * share:.0f} % of the rows have another row that is nearly the "
            "same, far nearer than this table's rows lie to one another: copies, or "
            "rows of one person or thing."
        ),
        fix="Keep near copies together in every split, or drop all but one.",
        # Below a group that a column names: its rows are near one another, too.
        size=0.75 + 0.15 * share,
    )


def _points(
    evidence: Evidence,
) -> tuple[NDArray[np.intp], NDArray[np.float64]] | None:
    """Rows as points: numbers by their normal scores; None if there are too few."""
    smooth = [
        one
        for one in evidence.columns
        if one.order is not None
        and one.kind in ("number", "integer")
        and not one.names_rows
        and one.distinct > 30
    ]
    rows = len(evidence.target)
    if len(smooth) < 2 or rows < 60:
        return None
    rng = np.random.default_rng([evidence.seed, 5])
    if len(smooth) > _MOST_COLUMNS:
        smooth = [smooth[j] for j in rng.choice(len(smooth), _MOST_COLUMNS, False)]
    found = []
    for one in smooth:
        assert one.order is not None
        known = np.isfinite(one.order)
        values = np.where(known, one.order, np.median(one.order[known]))
        found.append(ndtri(rankdata(values) / (len(values) + 1)).astype(np.float32))
    points = np.column_stack(found)
    number = np.arange(rows)
    if rows > _MOST_ROWS:
        # A slab of the cloud, not a sample of it: copies stay beside one another.
        along = np.argsort(points @ rng.normal(size=points.shape[1]), kind="stable")
        start = int(rng.integers(0, rows - _MOST_ROWS))
        number = np.sort(along[start : start + _MOST_ROWS])
    return number, points[number].astype(float)
