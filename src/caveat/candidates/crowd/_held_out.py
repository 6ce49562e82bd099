"""Which way to labels is right for a crowd, told without any truth.

One person's answer is left out of each of many items; every method labels the item
from the others' answers; how well does the label predict the answer that was left
out? A right label predicts what reliable people say, also those who were not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caveat.candidates.crowd._long_table import Answers, sums
from caveat.candidates.crowd._model import decide

Floats = NDArray[np.float64]
Labeller = Callable[[Answers], Floats]

_SHRINK = 5.0
"""A person's own table counts as much as the crowd's at so many answers."""
_SURE = 2.0
"""Standard errors by which another method must predict better than the usual one."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What labels from the others' answers say about answers that were left out.

    Attributes
    ----------
    names : tuple of str
        The methods.
    item : int array
        Item of every answer that was left out.
    agreement : array of shape (n_methods, n_left_out)
        1 if the answer is the method's label; a set of m labels that holds it, 1/m.
    gain : array of shape (n_methods, n_left_out)
        Logarithm of the probability of the answer, given the method's label, over
        that without: information in nats.
    posterior : list of arrays
        What every method said of the item.
    """

    names: tuple[str, ...]
    item: NDArray[np.intp]
    agreement: Floats
    gain: Floats
    posterior: list[Floats]

    def mean(self, values: Floats) -> tuple[float, float]:
        """Return a mean over left-out answers and its standard error by items."""
        items = int(self.item.max()) + 1
        count = np.bincount(self.item, minlength=items)
        by_item = sums(self.item, values - values.mean(), items)
        used = int((count > 0).sum())
        spread = float(np.sqrt((by_item**2).sum())) / max(len(values), 1)
        return float(values.mean()), spread * np.sqrt(used / max(used - 1, 1))

    def choose(self, usual: str) -> str:
        """Choose a method: the usual one, unless another surely predicts better."""
        place = self.names.index(usual)
        best, by = usual, 0.0
        for name, gain in zip(self.names, self.gain, strict=True):
            more, error = self.mean(gain - self.gain[place])
            if more > _SURE * error and more > by:
                best, by = name, more
        return best


def leave_out(
    answers: Answers,
    methods: Mapping[str, Labeller],
    *,
    rounds: int = 5,
    random_state: int = 0,
) -> HeldOut | None:
    """Leave one answer out of half of the items, some times, and label the items.

    Parameters
    ----------
    answers : Answers
    methods : mapping of str to callable
        Gets the answers that are left, returns items by classes.
    rounds : int, default=5
    random_state : int, default=0

    Returns
    -------
    HeldOut, or None where no item has two answers.

    Warnings
    --------
    It rewards labels that predict people. Where all people share an error, the label
    that repeats the error predicts best.
    """
    rng = np.random.default_rng([random_state, 43])
    places, told = [], []
    for _ in range(rounds):
        chosen = _one_each(answers, rng)
        if not len(chosen):
            return None
        kept = np.ones(len(answers), dtype=bool)
        kept[chosen] = False
        rest = answers.keep(kept)
        places.append(chosen)
        told.append([way(rest)[answers.item[chosen]] for way in methods.values()])
    place = np.concatenate(places)
    posterior = [np.concatenate([one[n] for one in told]) for n in range(len(methods))]
    return _judge(answers, place, tuple(methods), posterior)


def _one_each(answers: Answers, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw one answer of half of the items that have two at least."""
    order = rng.permutation(len(answers))
    _, first = np.unique(answers.item[order], return_index=True)
    chosen = order[first]
    asked = rng.random(len(chosen)) < 0.5
    several = answers.per_item[answers.item[chosen]] > 1
    found = chosen[several & asked]
    return found if len(found) else chosen[several]


def _judge(
    answers: Answers,
    place: NDArray[np.intp],
    names: tuple[str, ...],
    posterior: list[Floats],
) -> HeldOut:
    _, people, classes = answers.shape
    who, rows = answers.annotator[place], np.arange(len(place))
    # Every left-out answer as shares of its labels.
    again = np.repeat(rows, answers.sizes[place])
    starts = np.concatenate([[0], np.cumsum(answers.sizes)])
    within = np.arange(len(again)) - np.repeat(
        np.cumsum(answers.sizes[place]) - answers.sizes[place], answers.sizes[place]
    )
    label = answers.label[starts[place][again] + within]
    worth = (1.0 / answers.sizes[place])[again]
    named = np.zeros((len(place), classes))
    np.add.at(named, (again, label), worth)
    plain = _predictive(named, who, np.zeros(len(place), np.intp), people, 1)
    agreement, gain = [], []
    for one in posterior:
        told = decide(one)
        agreement.append(named[rows, told])
        chance = _predictive(named, who, told, people, classes)
        gain.append(np.log(chance) - np.log(plain))
    return HeldOut(
        names, answers.item[place], np.array(agreement), np.array(gain), posterior
    )


def _predictive(
    named: Floats,
    who: NDArray[np.intp],
    told: NDArray[np.intp],
    people: int,
    kinds: int,
) -> Floats:
    """Return the probability of every answer by all others, its own not counted.

    What a person says when a label is told, drawn towards what all say.
    """
    classes = named.shape[1]
    table = np.zeros((people * kinds, classes))
    np.add.at(table, who * kinds + told, named)
    crowd = table.reshape(people, kinds, classes).sum(axis=0)
    own = table[who * kinds + told] - named
    shared = crowd[told] - named + 0.5
    shared /= shared.sum(axis=1, keepdims=True)
    chance = (own + _SHRINK * shared) / (own.sum(axis=1) + _SHRINK)[:, None]
    return np.maximum((named * chance).sum(axis=1), 1e-12)
