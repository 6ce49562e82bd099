"""Votes: everybody alike, or by how well people agree with the majority."""

from __future__ import annotations

import numpy as np

from caveat.candidates.crowd._long_table import Answers, sums
from caveat.candidates.crowd._model import CrowdModel, Floats


class MajorityVote(CrowdModel):
    """The label that most people name; a set shares its vote among its labels.

    `predict_proba` gives the shares of the votes, so that ties are shared;
    `objective_` is how many votes go to the winning labels.

    Attributes
    ----------
    classes_, annotators_, objective_, n_iter_
        As in all crowd models; people are judged by the votes of the others.

    Warnings
    --------
    Shares of votes are no probabilities: two of three people are right more often
    than two times in three. Who guesses counts as much as who knows.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("a", "ann", "cat"), ("a", "ben", "cat|dog"), ("a", "cy", "dog")]
    >>> answers = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    >>> MajorityVote().fit(answers).predict_proba().loc["a"].tolist()
    [0.5, 0.5]
    """

    def _fit(self, found: Answers) -> tuple[Floats, list[float]]:
        votes = found.votes(self._weigh(found))
        total = votes.sum(axis=1, keepdims=True)
        # Whom nobody answered gets what the others got.
        overall = votes.sum(axis=0) / votes.sum()
        shares = np.where(total > 0, votes / np.where(total > 0, total, 1.0), overall)
        return shares, [float(votes.max(axis=1).sum())]

    def _credit(self, found: Answers) -> Floats:
        # By the others' votes: with three people, one's own is a third of the vote.
        return credit_by_others(found, found.votes())

    def _weigh(self, found: Answers) -> Floats:
        self.weights_ = np.ones(len(found.annotators))
        return self.weights_


class WeightedVote(MajorityVote):
    """A vote in which people count by how well they agree with the majority.

    The weight is the agreement beyond chance, 0 at least, with a prior worth `prior`
    answers.

    Parameters
    ----------
    prior : float, default=4.0
        How many answers with the agreement of the average annotator everybody is taken
        to have given already.

    Attributes
    ----------
    weights_ : array of shape (n_annotators,)
    classes_, annotators_, objective_, n_iter_
        As in all crowd models; people are judged by the votes of the others.

    Warnings
    --------
    Friends who copy from one another look reliable.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [(i, who, i % 2) for i in range(6) for who in ("ann", "ben")]
    >>> rows += [(i, "cy", 1 - i % 2) for i in range(6)]
    >>> answers = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    >>> WeightedVote().fit(answers).weights_.round(1)
    array([0.7, 0.7, 0. ])
    """

    def __init__(self, prior: float = 4.0) -> None:
        self.prior = prior

    def _weigh(self, found: Answers) -> Floats:
        self.weights_ = self._agreement(found)
        if not self.weights_.any():
            self.weights_ = np.ones(len(found.annotators))
        return self.weights_

    def _agreement(self, found: Answers) -> Floats:
        votes = found.votes()
        top = votes >= votes.max(axis=1, keepdims=True) - 1e-9
        people = len(found.annotators)
        credit = found.credit(top / top.sum(axis=1, keepdims=True))
        right = sums(found.annotator, credit, people)
        share = (right + self.prior * credit.mean()) / (
            found.per_annotator + self.prior
        )
        overall = votes.sum(axis=0) / len(found)
        chance = float(overall @ overall)
        return np.maximum(share - chance, 0.0) / max(1.0 - chance, 1e-9)


def credit_by_others(found: Answers, votes: Floats) -> Floats:
    """Return how far the others' votes on an item agree with every answer.

    The share of the others' votes that goes to its labels; 0 where there are none.
    """
    own = 1.0 / found.sizes
    rest = votes.sum(axis=1)[found.item] - 1.0
    there = votes[found.item[found.answer], found.label] - own[found.answer]
    hit = sums(found.answer, there, len(found)) / found.sizes
    return np.where(rest > 1e-9, hit / np.maximum(rest, 1e-9), 0.0)
