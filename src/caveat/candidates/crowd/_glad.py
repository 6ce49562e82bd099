"""GLAD: people have a skill, and items a difficulty."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logit

from caveat.candidates.crowd._calibration import typical_skill
from caveat.candidates.crowd._long_table import Answers, sums
from caveat.candidates.crowd._model import EMModel, Floats
from caveat.candidates.crowd._skill import log_sets, luck_of_sets


class GLAD(EMModel):
    """Everybody has a skill and every item an ease; their product decides [1]_.

    A label is right with the probability 1 / (1 + exp(-skill x ease)); wrong ones are
    all equally likely, and so are classes. Sets follow as in `OneCoin`.

    Parameters
    ----------
    spread : float, default=1.0
        Standard deviation of skills around that of the average annotator, by how
        often two people agree (prior, in logits).
    ease : float, default=0.5
        Standard deviation of the logarithm of the items' ease around 0 (prior). Small:
        few answers on an item do not make it hard.
    max_iter : int, default=50
    tol : float, default=1e-6
        Stop when a round raises the objective by less than this per answer.

    Attributes
    ----------
    skill_ : array of shape (n_annotators,)
        Below 0 for those who are wrong more often than right.
    ease_ : array of shape (n_items,)
        1 for a usual item, near 0 for one that nobody can tell.
    class_prior_, classes_, annotators_, objective_, n_iter_
        As in all crowd models.

    Warnings
    --------
    With fewer than about five answers an item's ease rests on its prior.

    References
    ----------
    .. [1] J. Whitehill, P. Ruvolo, T. Wu, J. Bergsma, J. Movellan (2009). Whose vote
       should count more: optimal integration of labels from labelers of unknown
       expertise. NeurIPS 22.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [(i, who, i % 2) for i in range(6) for who in ("ann", "ben")]
    >>> rows += [(i, "cy", 1 - i % 2) for i in range(6)]
    >>> answers = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    >>> GLAD().fit(answers).skill_.round(0)
    array([ 2.,  2., -0.])
    """

    frequency = None

    def __init__(
        self,
        spread: float = 1.0,
        ease: float = 0.5,
        *,
        max_iter: int = 50,
        tol: float = 1e-6,
    ) -> None:
        self.spread = spread
        self.ease = ease
        self.max_iter = max_iter
        self.tol = tol

    def _begin(self, found: Answers, posterior: Floats) -> None:
        items, people, _ = found.shape
        self._luck = luck_of_sets(found)[found.sizes - 1]
        self._sets = [counts[found.sizes - 1] for counts in log_sets(found)]
        self._typical = float(logit(typical_skill(found)))
        self._state = np.concatenate([np.full(people, self._typical), np.zeros(items)])

    def _maximise(self, found: Answers, posterior: Floats) -> None:
        hit = found.credit(posterior) * found.sizes
        # From where it stands, so that the bound rises even if it stops early.
        best = minimize(
            self._loss,
            self._state,
            args=(found, hit),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 5},
        )
        self._state = best.x
        people = len(found.annotators)
        self.skill_, self.ease_ = best.x[:people], np.exp(best.x[people:])

    def _loss(self, state: Floats, found: Answers, hit: Floats) -> tuple[float, Floats]:
        """Return the expected log-likelihood plus prior, negated, and its slope."""
        items, people, _ = found.shape
        skill, ease = state[:people], np.exp(np.clip(state[people:], -5, 5))
        of_skill, of_ease = skill[found.annotator], ease[found.item]
        chance = of_skill * of_ease + self._luck
        value = hit @ log_expit(chance) + (1 - hit) @ log_expit(-chance)
        slope = hit - expit(chance)
        by_person = sums(found.annotator, slope * of_ease, people)
        by_item = sums(found.item, slope * of_skill * of_ease, items)
        away = (skill - self._typical) / self.spread, state[people:] / self.ease
        by_person -= away[0] / self.spread
        by_item -= away[1] / self.ease
        value -= 0.5 * (away[0] @ away[0] + away[1] @ away[1])
        return -float(value), -np.concatenate([by_person, by_item])

    def _evidence(self, found: Answers) -> Floats:
        chance = self.skill_[found.annotator] * self.ease_[found.item] + self._luck
        with_it, without = self._sets
        named, other = log_expit(chance) - with_it, log_expit(-chance) - without
        base = sums(found.item, other, len(found.items))
        return base[:, None] + found.per_label((named - other)[found.answer])

    def _log_prior(self) -> float:
        people = len(self.skill_)
        skills = (self.skill_ - self._typical) / self.spread
        eases = self._state[people:] / self.ease
        return -0.5 * float(skills @ skills + eases @ eases)
