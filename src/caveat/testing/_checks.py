"""The public checks, one for each kind of learner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.base import clone

from caveat.exceptions import UnknownName
from caveat.testing import _weak_learners as weak
from caveat.testing._assertions import Check, require
from caveat.testing._every_learner import checks_on
from caveat.testing._problems import (
    Problem,
    bagged,
    many_labelled,
    partly_labelled,
    plain,
)

_KINDS: dict[str, tuple[Callable[[], Problem], list[Check]]] = {
    "classifier": (plain, [weak.labels_come_back_as_they_were]),
    "bag": (
        bagged,
        [
            weak.true_labels_are_never_read,
            weak.bag_numbers_are_only_names,
            weak.one_share_per_bag_is_that_of_class_one,
            weak.an_empty_bag_does_no_harm,
            weak.counts_and_nonsense_are_refused,
            weak.without_bags_it_is_a_plain_classifier,
        ],
    ),
    "candidates": (
        partly_labelled,
        [
            weak.one_candidate_each_is_a_label,
            weak.sets_without_sense_are_refused,
            weak.a_set_of_all_classes_does_no_harm,
        ],
    ),
    "multilabel": (
        many_labelled,
        [
            weak.matrices_without_sense_are_refused,
            weak.a_label_that_never_varies_does_no_harm,
        ],
    ),
}


def checks_of(kind: str) -> list[Check]:
    """List the checks of a kind of learner; each takes the unfitted estimator.

    Parameters
    ----------
    kind : {"classifier", "bag", "candidates", "multilabel"}

    Returns
    -------
    list of callable
        Their names say what they demand.

    Examples
    --------
    >>> [check.__name__ for check in checks_of("classifier")][:2]
    ['parameters_are_only_stored', 'fit_returns_the_learner']
    """
    if kind not in _KINDS:
        raise UnknownName.among("kind of learner", kind, _KINDS)
    problem, peculiar = _KINDS[kind]
    return [*checks_on(problem()), *peculiar]


def check_classifier(estimator: Any, *, learns: bool = True) -> None:
    """Check a classifier: ``fit(X, y)``, ``predict``, ``predict_proba``.

    Parameters
    ----------
    estimator : unfitted estimator
        Cloned for every check; choose parameters that make it fast.
    learns : bool, default=True
        Also demand that it beats a constant answer on two clear clusters.

    Raises
    ------
    AssertionError
        One sentence: what it owes, and what happened instead.

    Examples
    --------
    >>> from caveat.models import make_model
    >>> from caveat.testing import check_classifier
    >>> check_classifier(make_model("ridge", "regression"))
    Traceback (most recent call last):
    ...
    AssertionError: Ridge: ...
    """
    _run("classifier", estimator, learns)


def check_bag_learner(estimator: Any, *, learns: bool = True, twin: Any = None) -> None:
    """Check a learner from label proportions: ``fit(X, bags=, proportions=)``.

    Parameters
    ----------
    estimator : unfitted estimator
        Cloned for every check; choose parameters that make it fast.
    learns : bool, default=True
        Also demand that it beats a constant answer on two clear clusters.
    twin : unfitted estimator, optional
        Its supervised twin: with every item a bag of its own, both must say the same
        of at least 19 items out of 20.

    Raises
    ------
    AssertionError
        One sentence: what it owes, and what happened instead.
    """
    _run("bag", estimator, learns)
    _compare(estimator, twin)


def check_partial_learner(
    estimator: Any, *, learns: bool = True, twin: Any = None
) -> None:
    """Check a learner from candidate labels: ``fit(X, candidates)``.

    Parameters
    ----------
    estimator : unfitted estimator
        Cloned for every check; choose parameters that make it fast.
    learns : bool, default=True
        Also demand that it beats a constant answer on three clear clusters.
    twin : unfitted estimator, optional
        Its supervised twin: with one candidate each, both must say the same of at
        least 19 items out of 20.

    Raises
    ------
    AssertionError
        One sentence: what it owes, and what happened instead.
    """
    _run("candidates", estimator, learns)
    _compare(estimator, twin)


def check_multilabel_learner(estimator: Any, *, learns: bool = True) -> None:
    """Check a multi-label learner: ``fit(X, Y)`` with a matrix of 0 and 1.

    Parameters
    ----------
    estimator : unfitted estimator
        Cloned for every check; choose parameters that make it fast.
    learns : bool, default=True
        Also demand that it beats the best constant answer on clear clusters.

    Raises
    ------
    AssertionError
        One sentence: what it owes, and what happened instead.
    """
    _run("multilabel", estimator, learns)


def _run(kind: str, estimator: Any, learns: bool) -> None:
    for check in checks_of(kind):
        if check.__name__ == "it_learns" and not learns:
            continue
        try:
            check(estimator)
        except AssertionError:
            raise
        except Exception as error:
            demand = check.__name__.replace("_", " ")
            raise AssertionError(
                f"{type(estimator).__name__}: asked whether {demand}, it ended in "
                f"{type(error).__name__}: {error}"
            ) from error


def _compare(estimator: Any, twin: Any) -> None:
    if twin is None:
        return
    problem = plain()
    ours = problem.fit(estimator).predict(problem.X)
    theirs = clone(twin).fit(problem.X, problem.truth).predict(problem.X)
    same = float((ours == theirs).mean())
    require(
        estimator,
        same >= 0.95,
        f"without weak labels it agrees with {type(twin).__name__} on {same:.0%} only",
    )
