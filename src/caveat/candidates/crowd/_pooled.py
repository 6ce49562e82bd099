"""The default: all that people may be like, pooled over draws."""

from __future__ import annotations

from copy import copy

import numpy as np

from caveat.candidates.crowd._dawid_skene import DawidSkene
from caveat.candidates.crowd._kinds import KindsOfPeople
from caveat.candidates.crowd._long_table import Answers
from caveat.candidates.crowd._model import CrowdModel, Floats
from caveat.candidates.crowd._skill import OneCoin

_CHAINS, _WARM, _DRAWS = 4, 5, 40
_LEAST_DRAWS, _CELLS = 8, 20_000_000
"""Fewer draws, where answers times classes times draws are more: they matter less."""


class PooledCrowd(CrowdModel):
    """Dawid-Skene over kinds of people, pooled over draws.

    What people are like is not known beforehand: somebody knows the answer more or
    less often and else follows an own taste or common errors, guesses, or names wrong
    labels on purpose. How many are of which kind is learnt, and everybody's table of
    confusions is drawn to those of the kind. Labels are means over draws of all of it
    (Gibbs sampling [1]_ [2]_) that begin where EM ends. So few answers make nobody
    sure, and probabilities are about as high as labels are right.

    Parameters
    ----------
    random_state : int, default=0
        What is drawn.

    Attributes
    ----------
    classes_, annotators_, objective_, n_iter_
        As in all crowd models. `objective_` is that of the EM that comes before.

    Warnings
    --------
    It takes people for independent, given the truth. Where all people share an error,
    agreement is no sign of being right. Where no item has two answers, nothing tells
    how good people are: probabilities then follow from what is usual.

    References
    ----------
    .. [1] H.-C. Kim, Z. Ghahramani (2012). Bayesian classifier combination. AISTATS.
    .. [2] D. Hovy, T. Berg-Kirkpatrick, A. Vaswani, E. Hovy (2013). Learning whom to
       trust with MACE. NAACL-HLT.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [(i, who, i % 2) for i in range(6) for who in ("ann", "ben")]
    >>> rows += [(i, "cy", 1) for i in range(6)]
    >>> answers = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    >>> PooledCrowd().fit(answers).predict().tolist()
    [0, 1, 0, 1, 0, 1]
    """

    def __init__(self, *, random_state: int = 0) -> None:
        self.random_state = random_state

    def _fit(self, found: Answers) -> tuple[Floats, list[float]]:
        return self._pooled(found, _CHAINS)

    def posterior_of(self, answers: Answers) -> Floats:
        """Label the same items from some of the answers."""
        if answers is self.answers_:
            return self.posterior_
        return self._pooled(answers, _CHAINS // 2)[0]

    def _pooled(self, found: Answers, chains: int) -> tuple[Floats, list[float]]:
        """Return the mean over draws, and the objective of the EM before them."""
        if found.per_item.max() < 2:
            # Nothing tells one person's skill from another's.
            alike = OneCoin().fit(found)
            return alike.posterior_, list(alike.objective_)
        if len(found.annotators) < 3:
            # Nothing tells who guesses: everybody is much like all others.
            one, other = OneCoin(prior=10.0).fit(found), DawidSkene().fit(found)
            return 0.5 * (one.posterior_ + other.posterior_), list(other.objective_)
        model = KindsOfPeople().fit(found)
        rng = np.random.default_rng([self.random_state, 50])
        most = _CELLS // max(len(found) * len(found.classes), 1)
        draws = min(most // chains, _DRAWS)
        if draws < 2 * _WARM:
            chains, draws = 1, max(min(most, _DRAWS), _LEAST_DRAWS)
        total = np.zeros_like(model.posterior_)
        for _ in range(chains):
            chain, posterior = copy(model), model.posterior_
            for turn in range(_WARM + draws):
                posterior = chain.draw(found, posterior, rng)
                if turn >= _WARM:
                    total += posterior
        return total / (chains * draws), model.objective_.tolist()
