"""Linear models: logistic regression for labels, ridge for numbers."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from sklearn import linear_model
from sklearn.exceptions import ConvergenceWarning

from caveat.models._base import ONE_HOT, Lesson, TabularModel
from caveat.models._tasks import CLASSIFICATION, REGRESSION
from caveat.models.files._pack import Pack, pack_linear, unpack_linear


@dataclass(eq=False, repr=False)
class LogisticRegression(TabularModel):
    """Multinomial logistic regression on standardised and one-hot columns.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass"}
        Classification only; `Ridge` is its counterpart for numbers.
    C : float, default=1.0
        Inverse of the strength of the L2 penalty.
    max_iter : int, default=1000
        Most steps of L-BFGS.
    kinds : mapping of column to kind, or None
        ``numerical``, ``categorical`` or ``boolean`` where detection would err.
    random_state : int, RandomState instance or None
        Without effect; here so that all models are made alike.

    Attributes
    ----------
    classes_ : array
        The labels, sorted.
    n_iter_ : int
        Steps that L-BFGS took; if `max_iter`, it was cut short.
    estimator_ : fitted sklearn.linear_model.LogisticRegression

    Warnings
    --------
    Sees neither interactions nor curves unless columns hold them. Missing numbers
    become the training mean, as if the row were average there.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from caveat.models import LogisticRegression
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> round(LogisticRegression().fit(X, y).score(X, y), 2)
    0.97
    """

    encoding: ClassVar[Mapping[str, Any]] = ONE_HOT
    tasks: ClassVar[tuple[str, ...]] = CLASSIFICATION

    task: str = "classification"
    _: KW_ONLY
    C: float = 1.0
    max_iter: int = 1000
    kinds: Mapping[str, str] | None = None
    random_state: Any = None

    def _build(self, seed: int, n_rows: int) -> Any:
        return linear_model.LogisticRegression(C=self.C, max_iter=self.max_iter)

    def _learn(self, lesson: Lesson) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            estimator = super()._learn(lesson)
        self.n_iter_ = int(estimator.n_iter_.max())
        return estimator

    def _pack(self) -> Pack:
        return pack_linear(self.estimator_)

    def _unpack(self, pack: Pack) -> None:
        self.estimator_ = unpack_linear(pack, self._build(0, 0), len(self.classes_))


class Ridge(TabularModel):
    """Ridge regression on standardised and one-hot columns.

    Parameters
    ----------
    task : {"regression"}
        Regression only; `LogisticRegression` is its counterpart for labels.
    alpha : float, default=1.0
        Strength of the L2 penalty.
    kinds : mapping of column to kind, or None
        ``numerical``, ``categorical`` or ``boolean`` where detection would err.
    random_state : int, RandomState instance or None
        Without effect; here so that all models are made alike.

    Attributes
    ----------
    estimator_ : fitted sklearn.linear_model.Ridge

    Warnings
    --------
    Extrapolates: a row outside of the training range gets an answer outside of the
    range of answers, without bound.

    Examples
    --------
    >>> from caveat.models import Ridge
    >>> model = Ridge(alpha=1e-6).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[3.0]]).round(3).tolist()
    [7.0]
    """

    encoding: ClassVar[Mapping[str, Any]] = ONE_HOT
    tasks: ClassVar[tuple[str, ...]] = REGRESSION

    def __init__(
        self,
        task: str = "regression",
        *,
        alpha: float = 1.0,
        kinds: Mapping[str, str] | None = None,
        random_state: Any = None,
    ) -> None:
        self.task = task
        self.alpha = alpha
        self.kinds = kinds
        self.random_state = random_state

    def _build(self, seed: int, n_rows: int) -> Any:
        # Cholesky also where the default would iterate: exact, the same each time.
        return linear_model.Ridge(alpha=self.alpha, solver="cholesky")

    def _pack(self) -> Pack:
        return pack_linear(self.estimator_)

    def _unpack(self, pack: Pack) -> None:
        self.estimator_ = unpack_linear(pack, self._build(0, 0), None)
