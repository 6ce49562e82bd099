"""Which learners to join by a bar: maximal groups that no test tells apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from caveat.exceptions import InvalidInput, UnknownName
from caveat.statistics._checks import check_share, check_values

# Their number can grow as 3^(learners / 3), and nobody reads a figure of so many.
_MOST_GROUPS = 10_000


def cliques_by_difference(
    ranks: pd.Series | Mapping[Any, float], difference: float
) -> tuple[tuple[Any, ...], ...]:
    """Maximal groups of learners whose average ranks lie closer than a difference.

    Parameters
    ----------
    ranks : Series or mapping of name to float
        Average ranks, such as ``average_ranks(...).ranks``.
    difference : float
        Such as `critical_difference` gives; ranks that differ by as much or more
        are told apart.

    Returns
    -------
    tuple of tuples of names
        Groups of two or more, each best first; no group lies inside another.

    Warnings
    --------
    Not being told apart is no equality, and it does not pass on: the first and the
    last of two overlapping groups may well differ.

    Examples
    --------
    >>> cliques_by_difference({"a": 1.2, "b": 1.9, "c": 2.4, "d": 4.5}, 1.0)
    (('a', 'b'), ('b', 'c'))
    """
    names = [name for name, _ in ranks.items()]
    values = check_values("ranks", [rank for _, rank in ranks.items()])
    if np.isnan(values).any() or not difference >= 0:
        raise InvalidInput(
            f"ranks or difference ({difference!r}) are not numbers; pass ranks of "
            "learners that took part"
        )
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    groups = []
    reached = 0
    for start in range(len(ordered)):
        stop = start + 1
        while stop < len(ordered) and ordered[stop] - ordered[start] < difference:
            stop += 1
        # A run that ends where an earlier one did lies inside that one.
        if stop > reached and stop - start > 1:
            groups.append(tuple(names[i] for i in order[start:stop]))
        reached = max(reached, stop)
    return tuple(groups)


def cliques_by_tests(
    tests: pd.DataFrame,
    *,
    alpha: float = 0.05,
    p: str = "p_holm",
    order: Sequence[Any] | None = None,
    contiguous: bool = False,
) -> tuple[tuple[Any, ...], ...]:
    """Maximal groups of learners of which no pairwise test tells two apart.

    Parameters
    ----------
    tests : DataFrame with columns ``a``, ``b`` and the p-values
        One row per pair, such as `wilcoxon_holm` gives. A pair that is not there,
        or has NaN, is not told apart.
    alpha : float, default=0.05
        A pair with a p-value of at most alpha is told apart.
    p : str, default="p_holm"
        Column of p-values.
    order : sequence, optional
        All learners, best first; decides the order inside and among the groups.
        Default: as they come in `tests`.
    contiguous : bool, default=False
        Only groups of neighbours in that order.

    Returns
    -------
    tuple of tuples of names
        Groups of two or more, each in the given order.

    Warnings
    --------
    Pairwise tests need not agree with the order of ranks: a group can skip a
    learner between two others. A plain bar would then claim too much; mark its
    members with dots. With `contiguous` no bar claims too much, but pairs that are
    not neighbours and not told apart may have no bar.

    References
    ----------
    .. [1] C. Bron, J. Kerbosch (1973). Algorithm 457: finding all cliques of an
       undirected graph. Communications of the ACM 16(9).

    Examples
    --------
    >>> tests = pd.DataFrame({"a": ["x", "x", "y"], "b": ["y", "z", "z"],
    ...                       "p_holm": [0.5, 0.01, 0.2]})
    >>> cliques_by_tests(tests)
    (('x', 'y'), ('y', 'z'))
    """
    level = check_share("alpha", alpha)
    for column in ("a", "b", p):
        if column not in tests.columns:
            raise UnknownName.among("column", column, tests.columns)
    names = list(dict.fromkeys(order if order is not None else _names(tests)))
    place = {name: i for i, name in enumerate(names)}
    unknown = [name for name in _names(tests) if name not in place]
    if unknown:
        raise InvalidInput(
            f"{str(unknown[0])!r} is tested but not in the order; list all learners"
        )
    # Bit j of near[i]: learners i and j are not told apart.
    near = [((1 << len(names)) - 1) & ~(1 << i) for i in range(len(names))]
    apart = tests[tests[p] <= level]
    for a, b in zip(apart["a"], apart["b"], strict=True):
        near[place[a]] &= ~(1 << place[b])
        near[place[b]] &= ~(1 << place[a])
    found = _contiguous(near) if contiguous else _maximal(near)
    groups = sorted(members for members in found if len(members) > 1)
    return tuple(tuple(names[i] for i in members) for members in groups)


def _names(tests: pd.DataFrame) -> list[Any]:
    """All names, in the order in which a table of all pairs goes through them."""
    return list(dict.fromkeys([*tests["a"], *tests["b"]]))


def _contiguous(near: list[int]) -> list[tuple[int, ...]]:
    runs = []
    reached = 0
    for start in range(len(near)):
        stop, shared = start + 1, near[start]
        while stop < len(near) and shared >> stop & 1:
            shared &= near[stop]
            stop += 1
        if stop > reached:
            runs.append(tuple(range(start, stop)))
        reached = max(reached, stop)
    return runs


def _maximal(near: list[int]) -> list[tuple[int, ...]]:
    """All maximal cliques (Bron and Kerbosch with a pivot, sets as bits)."""
    found: list[tuple[int, ...]] = []
    stack = [(0, (1 << len(near)) - 1, 0)] if near else []
    while stack:
        clique, candidates, done = stack.pop()
        if not candidates and not done:
            found.append(tuple(_bits(clique)))
            if len(found) > _MOST_GROUPS:
                raise InvalidInput(
                    f"{len(near)} learners form more than {_MOST_GROUPS} groups; pass "
                    "contiguous=True or fewer learners"
                )
            continue
        # A maximal clique without the pivot has some member that is not near it, so
        # that it is enough to branch on those.
        pivot = max(
            _bits(candidates | done), key=lambda i: (candidates & near[i]).bit_count()
        )
        for i in _bits(candidates & ~near[pivot]):
            stack.append((clique | 1 << i, candidates & near[i], done & near[i]))
            candidates &= ~(1 << i)
            done |= 1 << i
    return found


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
