"""Dawid-Skene's tables with a prior over kinds of people: who knows, who guesses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from caveat.candidates.crowd._dawid_skene import DawidSkene
from caveat.candidates.crowd._long_table import Answers, sums
from caveat.candidates.crowd._model import Floats, log_sum

_KNOW = {0.2: 0.10, 0.4: 0.22, 0.6: 0.30, 0.75: 0.20, 0.9: 0.10}
"""How many people know the answer how often, before anything is known of them."""
_GUESS, _AGAINST = 0.06, 0.02
_STRENGTHS = (5.0, 20.0, 80.0)
"""So many answers per true class a kind is worth: how alike its people are."""
_PEOPLE = 10.0
"""So many people the shares of the kinds are worth beforehand."""
_TASTE = 30.0
"""What somebody names without knowing is drawn to what all name by as many answers."""
_TASTE_ALONE = 2.0
"""Small: who guesses may well name one label only."""
_FLAT = 0.04
"""A part of every table is even."""


class Kinds:
    """What people may be like: mixtures of knowing, an own taste and common errors.

    A kind's table is ``knowing * identity + own * taste + common * errors + flat``;
    everybody of the kind has a table near to it (a Dirichlet distribution per true
    class). Errors come from the vote, and stay: they anchor the classes' names.

    Parameters
    ----------
    found : Answers
    posterior : array of shape (n_items, n_classes)
        Shares of the vote.
    """

    def __init__(self, found: Answers, posterior: Floats) -> None:
        _, people, classes = found.shape
        mixes, strengths, base = _grid(classes)
        self.base, self._strength = base, strengths
        self._mass = strengths[:, None] * mixes
        worth = (1.0 / found.sizes)[found.answer]
        spot = found.annotator[found.answer] * classes + found.label
        own = sums(spot, worth, people * classes).reshape(people, classes)
        overall = (own.sum(axis=0) + 1.0) / (own.sum() + classes)
        taste = (own + _TASTE * overall) / (own.sum(axis=1) + _TASTE)[:, None]
        named = (found.named.T @ posterior).reshape(people, classes, classes)
        off = 1.0 - np.eye(classes)
        errors = (named.sum(axis=0) + 1.0) * off
        errors = 0.8 * errors / np.maximum(errors.sum(axis=0), 1e-12)
        errors += 0.2 * off / max(classes - 1, 1)
        # Who does not know may still be right.
        self._errors = (np.eye(classes) + (classes - 1) * errors) / classes
        self._taste = taste[:, :, None]
        self._guesses = mixes[:, 1] == 1.0 - _FLAT
        self._alone = _log_chance(own, overall)
        self._constant = np.empty((people, len(base)))
        for kind in range(len(base)):
            alpha = self._pseudo(np.tile(self._mass[kind], (people, 1)))
            total = gammaln(strengths[kind]) * classes
            self._constant[:, kind] = total - gammaln(alpha).sum(axis=(1, 2))

    def _pseudo(self, mass: Floats) -> Floats:
        classes = len(self._errors)
        know, own, common, flat = (part[:, None, None] for part in mass.T)
        table = know * np.eye(classes) + own * self._taste + common * self._errors
        return table + flat / classes

    def pseudo_answers(self, shares: Floats) -> Floats:
        """Return what everybody is taken to have said, (annotator, label, truth)."""
        return self._pseudo(shares @ self._mass)

    def log_density(self, tables: Floats) -> Floats:
        """Return how likely everybody's table is of every kind, as a logarithm.

        Parameters
        ----------
        tables : array of shape (n_annotators, n_labels, n_truths)
        """
        logs = np.log(tables)
        classes = logs.shape[1]
        parts = [
            np.einsum("akk->a", logs),
            (logs * self._taste).sum(axis=(1, 2)),
            (logs * self._errors).sum(axis=(1, 2)),
            logs.sum(axis=(1, 2)) / classes,
        ]
        return self._constant + np.array(parts).T @ self._mass.T

    def log_marginal(self, named: Floats) -> Floats:
        """Return how likely what everybody said is of every kind, whatever the table.

        Parameters
        ----------
        named : array of shape (n_annotators, n_labels, n_truths)
        """
        people, classes, _ = named.shape
        who, label, truth = named.nonzero()
        parts = [
            label == truth,
            self._taste[who, label, 0],
            self._errors[label, truth],
            np.full(len(who), 1.0 / classes),
        ]
        alpha = np.array(parts, dtype=float).T @ self._mass.T
        each = gammaln(named[who, label, truth][:, None] + alpha) - gammaln(alpha)
        given = named.sum(axis=1)[:, :, None]
        found = (gammaln(self._strength) - gammaln(given + self._strength)).sum(axis=1)
        ends = np.searchsorted(who, np.arange(people + 1))
        total = np.concatenate([np.zeros((1, each.shape[1])), each.cumsum(axis=0)])
        found += total[ends[1:]] - total[ends[:-1]]
        found[:, self._guesses] = self._alone[:, None]
        return found


def _log_chance(own: Floats, overall: Floats) -> Floats:
    """Return how likely everybody's labels are, if they follow a taste only."""
    alpha = _TASTE_ALONE * overall
    each = (gammaln(own + alpha) - gammaln(alpha)).sum(axis=1)
    return each + gammaln(_TASTE_ALONE) - gammaln(own.sum(axis=1) + _TASTE_ALONE)


def _grid(classes: int) -> tuple[Floats, Floats, Floats]:
    """Give all kinds: their mixture, strength, and weight beforehand."""
    rest = 1.0 - _FLAT
    kinds = []
    for know, share in _KNOW.items():
        left = (1 - know) * rest, (1 - know) * _FLAT
        kinds.append(((know, left[0], 0.0, left[1]), share / 2))
        kinds.append(((know, 0.0, left[0], left[1]), share / 2))
    kinds.append(((0.0, rest, 0.0, _FLAT), _GUESS))
    # Without what common errors have of the true label.
    kinds.append(((-rest / classes, 0.0, rest, _FLAT + rest / classes), _AGAINST))
    mixes = np.repeat([mix for mix, _ in kinds], len(_STRENGTHS), axis=0)
    base = np.repeat([share for _, share in kinds], len(_STRENGTHS))
    return mixes, np.tile(_STRENGTHS, len(kinds)), _PEOPLE * base / base.sum()


class KindsOfPeople(DawidSkene):
    """Dawid-Skene in which the prior of a person is a mixture over kinds of people.

    Parameters
    ----------
    max_iter : int, default=20
    tol : float, default=1e-6
        Stop when a round raises the objective by less than this per answer.
    """

    def __init__(self, *, max_iter: int = 20, tol: float = 1e-6) -> None:
        self.max_iter = max_iter
        self.tol = tol

    def _begin(self, found: Answers, posterior: Floats) -> None:
        self._by_label = found.named.T.tocsr()
        self._by_size = found.given.T.tocsr()
        self._kinds = Kinds(found, posterior)
        base = self._kinds.base
        self._log_share = np.log(base / base.sum())
        everybody = np.tile(base / base.sum(), (len(found.annotators), 1))
        table = self._kinds.pseudo_answers(everybody)
        self._weights = table / table.sum(axis=1, keepdims=True)

    def _maximise(self, found: Answers, posterior: Floats) -> None:
        logs = self._kinds.log_density(self._weights) + self._log_share
        of_kind = np.exp(logs - log_sum(logs))
        count = of_kind.sum(axis=0) + self._kinds.base
        self._log_share = np.log(count / count.sum())
        self._pseudo = self._kinds.pseudo_answers(of_kind)
        super()._maximise(found, posterior)
        self._likeliest = self._weights

    def _log_prior(self) -> float:
        logs = self._kinds.log_density(self._weights) + self._log_share
        return float(log_sum(logs).sum() + self._kinds.base @ self._log_share)

    def draw(
        self, found: Answers, posterior: Floats, rng: np.random.Generator
    ) -> Floats:
        """Draw a truth, then kinds and tables that fit it; say what follows of truth.

        Gibbs sampling: a mean over many such draws allows for all that may be true of
        people, not for what is likeliest only.
        """
        truth = np.eye(posterior.shape[1])[_drawn(posterior, rng)]
        named = self._named(truth)
        logs = self._kinds.log_marginal(named)
        # A label of a set is no answer of its own.
        logs[found.vague] = self._kinds.log_density(self._weights)[found.vague]
        logs += self._log_share
        kind = np.eye(logs.shape[1])[_drawn(np.exp(logs - log_sum(logs)), rng)]
        shares = rng.dirichlet(kind.sum(axis=0) + self._kinds.base)
        self._log_share = np.log(np.maximum(shares, 1e-12))
        self._pseudo = self._kinds.pseudo_answers(kind)
        self._weights = self._likeliest
        self._fit_tables(found, truth, named)
        self._likeliest = self._weights
        # For single labels that is a draw from a Dirichlet distribution.
        tables = self._weights * rng.standard_gamma(self._said) / self._said
        tables = np.maximum(tables, 1e-12)
        self._weights = tables / tables.sum(axis=1, keepdims=True)
        frequent = rng.dirichlet(truth[found.per_item > 0].sum(axis=0) + 1.0)
        scores = self._evidence(found) + np.log(np.maximum(frequent, 1e-12))
        return np.exp(scores - log_sum(scores))


def _drawn(proba: Floats, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw one column of every row."""
    below = proba.cumsum(axis=1) < rng.random((len(proba), 1))
    return np.minimum(below.sum(axis=1), proba.shape[1] - 1)
