"""Which way to labels is right for a crowd, told without any truth.

One person's answer is left out of each of many items; every method labels the item
from the others' answers; how well does the label predict the answer that was left
out? A right label predicts what reliable people say, also those who were not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caveat.candidates.crowd._calibration import honest_temperature, to_the_power
from caveat.candidates.crowd._left_out import named_shares, rounds_of
from caveat.candidates.crowd._long_table import Answers, sums
from caveat.candidates.crowd._model import decide

Floats = NDArray[np.float64]
Labeller = Callable[[Answers], Floats]

_SHRINK = 5.0
"""A person's own table counts as much as the crowd's at so many answers."""
_ENOUGH = 20_000
"""So many answers left out are enough; three rounds are the most."""
_SURE = 2.0
"""Standard errors by which another method must predict better than the usual one."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What labels from the others' answers say about answers that were left out.

    Attributes
    ----------
    names : tuple of str
        The methods.
    item, annotator : int arrays
        Item of every answer that was left out, and whose it is.
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
    annotator: NDArray[np.intp]
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

    def choose(self, usual: str, rivals: Sequence[str] | None = None) -> str:
        """Choose a method: the usual one, unless another surely predicts better.

        Parameters
        ----------
        usual : str
        rivals : sequence of str, optional
            Methods that may take its place; else all.
        """
        place = self.names.index(usual)
        best, by = usual, 0.0
        for name in self.names if rivals is None else rivals:
            gain = self.gain[self.names.index(name)]
            more, error = self.mean(gain - self.gain[place])
            if more > _SURE * error and more > by:
                best, by = name, more
        return best

    def calibrated(self, name: str, answers: Answers, posterior: Floats) -> Floats:
        """Return what a method says of all items, as sure as it is right."""
        place = self.names.index(name)
        labels, agreement = self.posterior[place], self.agreement[place]
        temperature = honest_temperature(
            answers, posterior, labels, agreement, self.annotator
        )
        return to_the_power(posterior, temperature)


def leave_out(
    answers: Answers, methods: Mapping[str, Labeller], *, random_state: int = 0
) -> HeldOut | None:
    """Leave one answer out of half of the items, some times, and label the items.

    Parameters
    ----------
    answers : Answers
    methods : mapping of str to callable
        Gets the answers that are left, returns items by classes.
    random_state : int, default=0

    Returns
    -------
    HeldOut, or None where no item has two answers.

    Warnings
    --------
    It rewards labels that predict people. Where all people share an error, the label
    that repeats the error predicts best.
    """
    places, named, told = [], [], []
    for place, rest, out in rounds_of(answers, _ENOUGH, [random_state, 43]):
        places.append(place)
        named.append(named_shares(out))
        told.append([way(rest)[answers.item[place]] for way in methods.values()])
    if not places:
        return None
    posterior = [np.concatenate(one) for one in zip(*told, strict=True)]
    return _judge(
        answers,
        np.concatenate(places),
        np.concatenate(named),
        tuple(methods),
        posterior,
    )


def _judge(
    answers: Answers,
    place: NDArray[np.intp],
    named: Floats,
    names: tuple[str, ...],
    posterior: list[Floats],
) -> HeldOut:
    _, people, classes = answers.shape
    who, rows = answers.annotator[place], np.arange(len(place))
    plain = _predictive(named, who, np.zeros(len(place), np.intp), people, 1)
    agreement, gain = [], []
    for one in posterior:
        told = decide(one)
        agreement.append(named[rows, told])
        chance = _predictive(named, who, told, people, classes)
        gain.append(np.log(chance) - np.log(plain))
    both = np.array(agreement), np.array(gain)
    return HeldOut(names, answers.item[place], who, *both, posterior)


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
