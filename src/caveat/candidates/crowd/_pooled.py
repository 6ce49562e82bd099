"""Several models of one crowd, pooled by how well they predict what people say."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.candidates.crowd._calibration import honest_temperature, to_the_power
from caveat.candidates.crowd._dawid_skene import DawidSkene
from caveat.candidates.crowd._left_out import named_shares, rounds_of
from caveat.candidates.crowd._long_table import Answers
from caveat.candidates.crowd._model import CrowdModel, EMModel, Floats, decide, log_sum
from caveat.candidates.crowd._skill import OneCoin

Ints = NDArray[np.intp]

_LEFT_OUT = 2_000
"""So many answers left out, at least, where there are as many."""
_PRIORS = (1.0, 5.0, 15.0)


class PooledCrowd(CrowdModel):
    """One coin and Dawid-Skene with three priors, pooled, as sure as they are right.

    Which model of a crowd is right is not known beforehand. One answer is left out of
    half of the items, some times, and every model tells how likely it is. Half of the
    weight is shared equally, half goes to the mixture that predicts the answers best
    (stacking [1]_). How often the answers agree with the labels tells how often the
    labels are right; their probabilities are tempered until they say so, too.

    Parameters
    ----------
    random_state : int, default=0
        Which answers are left out.

    Attributes
    ----------
    models_ : dict of fitted models
    weights_ : Series
        By model; they add up to 1.
    temperature_ : float
        Above 1: the models were too sure of themselves.
    classes_, annotators_, objective_, n_iter_
        As in all crowd models. `objective_` is how well the mixture predicts answers
        that were left out, round by round of its weights.

    Warnings
    --------
    All models take people for independent, given the truth; so does their mean. Where
    all people share an error, agreement is no sign of being right.

    References
    ----------
    .. [1] Y. Yao, A. Vehtari, D. Simpson, A. Gelman (2018). Using stacking to average
       Bayesian predictive distributions. Bayesian Analysis 13(3).

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
        self.models_ = _fitted(found)
        every = np.array([model.posterior_ for model in self.models_.values()])
        equal = np.full(len(every), 1.0 / len(every))
        self.weights_ = pd.Series(equal, index=list(self.models_), name="weight")
        self.temperature_, objective = 1.0, [0.0]
        told = self._left_out(found)
        if told is not None:
            chance, labels, named, who = told
            best, objective = stacked(chance)
            self.weights_[:] = 0.5 * equal + 0.5 * best
            mixed = self._mixed(labels)
            agreement = named[np.arange(len(named)), decide(mixed)]
            self.temperature_ = honest_temperature(
                found, self._mixed(every), mixed, agreement, who
            )
        return to_the_power(self._mixed(every), self.temperature_), objective

    def posterior_of(self, answers: Answers) -> Floats:
        """Label the same items from some of the answers, with the same weights.

        The models are fitted again; only how they are pooled stays.
        """
        every = np.array([one.posterior_ for one in _fitted(answers).values()])
        return to_the_power(self._mixed(every), self.temperature_)

    def _mixed(self, posterior: Floats) -> Floats:
        return np.tensordot(self.weights_.to_numpy(), posterior, axes=1)

    def _left_out(self, found: Answers) -> tuple[Floats, Floats, Floats, Ints] | None:
        """Tell of answers left out: their chance, the rest's labels, what they name."""
        chance, labels, named, who = [], [], [], []
        for place, rest, out in rounds_of(found, _LEFT_OUT, [self.random_state, 48]):
            models, item = _fitted(rest).values(), found.item[place]
            chance.append([_chance(model, out, item) for model in models])
            labels.append([model.posterior_[item] for model in models])
            named.append(named_shares(out))
            who.append(found.annotator[place])
        if not named:
            return None
        return (
            np.concatenate(chance, axis=1),
            np.concatenate(labels, axis=1),
            np.concatenate(named),
            np.concatenate(who),
        )


def _fitted(found: Answers, tol: float = 1e-5) -> dict[str, EMModel]:
    coin = OneCoin(prior=10.0, tol=tol).fit(found)
    models: dict[str, EMModel] = {"one-coin": coin}
    for prior in _PRIORS:
        model = DawidSkene(prior, tol=tol)
        model._skill = coin.skill_
        models[f"dawid-skene, prior {prior:g}"] = model.fit(found)
    return models


def _chance(model: EMModel, out: Answers, item: Ints) -> Floats:
    """Return how likely answers on other items are, given the rest."""
    known = np.log(np.maximum(model.posterior_[item], 1e-300))
    return np.exp(log_sum(known + model._evidence(out)[item])[:, 0])


def stacked(chance: Floats, rounds: int = 100) -> tuple[Floats, list[float]]:
    """Return the weights of the mixture under which answers are likeliest.

    Parameters
    ----------
    chance : array of shape (n_models, n_answers)

    Examples
    --------
    >>> weights, _ = stacked(np.array([[0.9, 0.8, 0.7], [0.1, 0.1, 0.2]]))
    >>> weights.round(2)
    array([1., 0.])
    """
    weights = np.full(len(chance), 1.0 / len(chance))
    objective = []
    for _ in range(rounds):
        parts = weights[:, None] * np.maximum(chance, 1e-300)
        total = parts.sum(axis=0)
        objective.append(float(np.log(total).sum()))
        weights = (parts / total).mean(axis=1)
    return weights, objective
