"""Answers that are left out: one of an item, of about half of the items at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from caveat.candidates.crowd._long_table import Answers

Ints = NDArray[np.intp]
Floats = NDArray[np.float64]

_MOST_ROUNDS = 3


def rounds_of(
    answers: Answers, least: int, seed: int | list[int]
) -> Iterator[tuple[Ints, Answers, Answers]]:
    """Give the places of answers that are left out, the rest, and what is left out.

    Parameters
    ----------
    answers : Answers
    least : int
        As many rounds, three at most, as leave out so many answers.
    seed : int or list of int

    Yields
    ------
    place, rest, out
        Nothing at all where no item has two answers.
    """
    rng = np.random.default_rng(seed)
    half = max(1, int((answers.per_item > 1).sum()) // 2)
    for _ in range(min(_MOST_ROUNDS, -(-least // half))):
        place = _one_each(answers, rng)
        if not len(place):
            return
        kept = np.ones(len(answers), dtype=bool)
        kept[place] = False
        yield place, answers.keep(kept), answers.keep(~kept)


def _one_each(answers: Answers, rng: np.random.Generator) -> Ints:
    """Draw one answer of half of the items that have two at least."""
    order = rng.permutation(len(answers))
    _, first = np.unique(answers.item[order], return_index=True)
    chosen = order[first]
    asked = rng.random(len(chosen)) < 0.5
    several = answers.per_item[answers.item[chosen]] > 1
    found = chosen[several & asked]
    return np.sort(found if len(found) else chosen[several])


def named_shares(answers: Answers) -> Floats:
    """Return every answer as shares of its labels, answers by classes."""
    found = np.zeros((len(answers), len(answers.classes)))
    found[answers.answer, answers.label] = 1.0
    return found / answers.sizes[:, None]
