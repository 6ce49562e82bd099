"""Bag criteria as scorers of scikit-learn: a search without labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metadata_routing import MetadataRequest

from caveat.bags._params import check_choice
from caveat.bags._shares import check_shares
from caveat.bags.criteria import bag_kl, bag_l1, bag_l1_weighted
from caveat.exceptions import InvalidInput

Criterion = Callable[[NDArray, NDArray, NDArray], float]
_CRITERIA: Mapping[str, tuple[Criterion, bool]] = {
    "l1": (bag_l1, False),
    "l1-weighted": (bag_l1_weighted, False),
    "kl": (bag_kl, False),
    "soft": (bag_l1, True),
    "soft-kl": (bag_kl, True),
}
"""What compares the shares, and whether probabilities are averaged for it."""


class BagScorer:
    """A criterion that scikit-learn's searches maximise; see `bag_scorer`."""

    def __init__(self, criterion: str) -> None:
        self.criterion = check_choice("criterion", criterion, list(_CRITERIA))

    def __call__(
        self,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        bags: Any = None,
        proportions: Any = None,
    ) -> float:
        """Give the criterion of an estimator's predictions, its sign turned."""
        if bags is None or proportions is None:
            # A search without routing keeps them for itself.
            raise InvalidInput(
                f"{self!r} got no bags and proportions; call "
                "sklearn.set_config(enable_metadata_routing=True) before the search, "
                "and pass both to its fit"
            )
        n_items = X.shape[0] if hasattr(X, "shape") else len(X)
        numbers, shares, classes = check_shares(None, n_items, bags, proportions)
        measure, soft = _CRITERIA[self.criterion]
        predict = estimator.predict_proba if soft else estimator.predict
        found = np.asarray(predict(X))
        answers = found if soft else class_codes(found, estimator, classes)
        return -measure(answers, numbers, shares)

    def get_metadata_routing(self) -> MetadataRequest:
        """Ask scikit-learn for bags and proportions."""
        request = MetadataRequest(owner=self)
        for name in ("bags", "proportions"):
            request.score.add_request(param=name, alias=True)
        return request

    def __repr__(self) -> str:
        return f"bag_scorer({self.criterion!r})"


def bag_scorer(criterion: str = "l1") -> BagScorer:
    """Make a scorer that knows the bags' shares in place of labels.

    Parameters
    ----------
    criterion : {"l1", "l1-weighted", "kl", "soft", "soft-kl"}, default="l1"
        The distance between predicted and known shares: `criteria.bag_l1`,
        `bag_l1_weighted` or `bag_kl` of decisions, or `bag_l1` and `bag_kl` of
        mean probabilities.

    Returns
    -------
    callable
        ``scorer(estimator, X, y=None, *, bags, proportions)``, the criterion with its
        sign turned: larger is better. With metadata routing on it works in
        `GridSearchCV`, `cross_validate` and their like.

    Warnings
    --------
    A model that predicts the right share of wrong items has a perfect score.
    scikit-learn cuts every array that is as long as X: where bags are as many as items,
    pass `proportions` as a dict.

    Examples
    --------
    >>> from caveat.bags import MeanMap, bag_scorer
    >>> X, bags, shares = [[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1], [0.0, 1.0]
    >>> model = MeanMap().fit(X, bags=bags, proportions=shares)
    >>> round(bag_scorer("soft")(model, X, bags=bags, proportions=shares), 2) > -1
    True
    """
    return BagScorer(criterion)


def class_codes(decisions: NDArray, estimator: Any, classes: NDArray) -> NDArray:
    """Turn an estimator's decisions into columns of the table of shares."""
    own = np.asarray(getattr(estimator, "classes_", classes))
    if len(own) != len(classes):
        raise InvalidInput(
            f"proportions: found {len(classes)} classes; the estimator knows {len(own)}"
        )
    named = {label: code for code, label in enumerate(own.tolist())}
    unknown = [label for label in np.unique(decisions).tolist() if label not in named]
    if unknown:
        raise InvalidInput(
            f"predict: found {unknown[0]!r}, which is not among the estimator's classes"
        )
    return np.array([named[label] for label in decisions.tolist()], dtype=np.int64)
