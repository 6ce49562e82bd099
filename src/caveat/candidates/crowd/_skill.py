"""Models with a skill in place of a whole table: per person, or per class too."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln, log_expit, logit

from caveat.candidates.crowd._calibration import typical_skill
from caveat.candidates.crowd._long_table import Answers, sums
from caveat.candidates.crowd._model import EMModel, Floats


class OneCoin(EMModel):
    """Everybody has one skill: how likely they name the true label.

    Wrong labels, and classes, are all equally likely. A set of m labels holds the true
    one with a chance that follows from the skill by the odds of random sets of that
    size, so that naming more labels earns no skill.

    Parameters
    ----------
    prior : float, default=4.0
        How many answers everybody is taken to have given already, with the skill of
        the average annotator, by how often two people agree.
    max_iter : int, default=200
    tol : float, default=1e-6
        Stop when a round raises the objective by less than this per answer.

    Attributes
    ----------
    skill_ : array of shape (n_annotators,)
        Probability that a single label is right.
    class_prior_, classes_, annotators_, objective_, n_iter_
        As in all crowd models.

    Warnings
    --------
    It cannot see that somebody always confuses two classes, or always says the same.

    References
    ----------
    .. [1] Y. Zhang, X. Chen, D. Zhou, M. I. Jordan (2016). Spectral methods meet EM: a
       provably optimal algorithm for crowdsourcing. JMLR 17.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [(i, who, i % 2) for i in range(6) for who in ("ann", "ben")]
    >>> rows += [(i, "cy", 1 - i % 2) for i in range(6)]
    >>> answers = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    >>> OneCoin().fit(answers).skill_.round(1)
    array([0.9, 0.9, 0.3])
    """

    by_class: ClassVar[bool] = False
    # One coin cannot tell a frequent class from a favourite one.
    frequency: ClassVar[float | None] = None

    def __init__(
        self, prior: float = 4.0, *, max_iter: int = 200, tol: float = 1e-6
    ) -> None:
        self.prior = prior
        self.max_iter = max_iter
        self.tol = tol

    def _begin(self, found: Answers, posterior: Floats) -> None:
        _, people, classes = found.shape
        self._luck = luck_of_sets(found)
        self._typical = typical_skill(found)
        self._by_size = found.given.T.tocsr()
        width = classes if self.by_class else 1
        self._skill = np.full((people, width), logit(self._typical))

    def _maximise(self, found: Answers, posterior: Floats) -> None:
        _, people, classes = found.shape
        shape = (people, found.largest, classes)
        # How many answers there are if a class is true, and how many of them name it.
        given = (self._by_size @ posterior).reshape(shape)
        right = posterior[found.item[found.answer], found.label]
        hit = sums(found.spot, right, given.size).reshape(shape)
        if not self.by_class:
            given, hit = given.sum(2, keepdims=True), hit.sum(2, keepdims=True)
        self._skill = self._newton(given, hit)
        self.skill_ = expit(self._skill if self.by_class else self._skill[:, 0])

    def _newton(self, given: Floats, hit: Floats) -> Floats:
        """Maximise the concave likelihood of every skill by its one logit."""
        skill, luck = self._skill, self._luck[None, :, None]
        for _ in range(20):
            chance = expit(skill[:, None] + luck)
            slope = (hit - given * chance).sum(axis=1)
            bend = (given * chance * (1 - chance)).sum(axis=1)
            own = expit(skill)
            slope += self.prior * (self._typical - own)
            bend += self.prior * own * (1 - own)
            step = np.clip(slope / np.maximum(bend, 1e-12), -1.0, 1.0)
            skill = np.clip(skill + step, -12.0, 12.0)
            if np.abs(step).max() < 1e-10:
                break
        return skill

    def _evidence(self, found: Answers) -> Floats:
        _, people, classes = found.shape
        skill = np.broadcast_to(self._skill, (people, classes))
        hit = skill[:, None] + luck_of_sets(found)[None, :, None]
        # Among sets of m labels with, or without, the true one all are equally likely.
        with_it, without = (one[None, :, None] for one in log_sets(found))
        named, other = log_expit(hit) - with_it, log_expit(-hit) - without
        scores = found.given @ other.reshape(-1, classes)
        pairs = (named - other).ravel()[found.spot]
        return scores + found.per_label(pairs)

    def _log_prior(self) -> float:
        right = self.prior * self._typical * log_expit(self._skill)
        wrong = self.prior * (1 - self._typical) * log_expit(-self._skill)
        return float((right + wrong).sum())


class ClassSkill(OneCoin):
    """Everybody has a skill for every class: how likely they name it when it is true.

    Between `OneCoin` and `DawidSkene`: some classes are harder for some people, wrong
    labels are all equally likely.

    Parameters
    ----------
    prior : float, default=4.0
        How many answers per class everybody is taken to have given already, with the
        skill of the average annotator, by how often two people agree.
    max_iter : int, default=200
    tol : float, default=1e-6
        Stop when a round raises the objective by less than this per answer.

    Attributes
    ----------
    skill_ : array of shape (n_annotators, n_classes)
    class_prior_, classes_, annotators_, objective_, n_iter_
        As in all crowd models.

    Warnings
    --------
    It does not see which wrong label somebody prefers.

    References
    ----------
    .. [1] Y. Zheng, G. Li, Y. Li, C. Shan, R. Cheng (2017). Truth inference in
       crowdsourcing: is the problem solved? PVLDB 10(5).

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [(i, who, i % 2) for i in range(6) for who in ("ann", "ben")]
    >>> rows += [(i, "cy", 1) for i in range(6)]
    >>> answers = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    >>> ClassSkill(prior=1).fit(answers).skill_.round(1)
    array([[0.9, 0.9],
           [0.9, 0.9],
           [0.2, 0.9]])
    """

    by_class = True
    frequency = 1.0


def luck_of_sets(found: Answers) -> Floats:
    """Return by how much a set of m labels raises the logit of holding the true one.

    Beside a single label, if labels were drawn at random: m to K - m beside 1 to K - 1.
    """
    classes = len(found.classes)
    m = np.arange(1, found.largest + 1)
    # A set of all labels holds the true one; a large number stands for that.
    odds = m / np.maximum(classes - m, 1e-9) * max(classes - 1, 1e-9)
    return np.minimum(np.log(odds), 25.0)


def log_sets(found: Answers) -> tuple[Floats, Floats]:
    """Return the logarithm of how many sets of m labels have, and lack, a label."""
    others = len(found.classes) - 1
    m = np.arange(1, found.largest + 1)
    return _log_choose(others, m - 1), _log_choose(others, np.minimum(m, others))


def _log_choose(n: int, k: NDArray[np.intp]) -> Floats:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
