"""The nearest training rows decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from caveat.models._base import ONE_HOT, Remembering
from caveat.models._tasks import is_classification


@dataclass(eq=False, repr=False)
class NearestNeighbours(Remembering):
    """The k nearest training rows, on standardised and one-hot columns.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    n_neighbors : int, default=5
        How many rows decide; at most as many as there are.
    weights : {"uniform", "distance"}, default="uniform"
        Whether nearer rows count more.
    kinds : mapping of column to kind, or None
        ``numerical``, ``categorical`` or ``boolean`` where detection would err.
    random_state : int, RandomState instance or None
        Without effect; here so that all models are made alike.

    Attributes
    ----------
    classes_ : array
        The labels, sorted; classification only.
    estimator_ : fitted KNeighborsClassifier or KNeighborsRegressor

    Warnings
    --------
    Every column counts alike, so a few columns of noise drown the rest. With
    `n_neighbors=1` all probabilities are 0 or 1, and log-loss is meaningless.

    Examples
    --------
    >>> from caveat.models import NearestNeighbours
    >>> model = NearestNeighbours(n_neighbors=1).fit([[0.0], [1.0]], ["low", "high"])
    >>> model.predict([[0.2], [0.9]]).tolist()
    ['low', 'high']
    """

    encoding: ClassVar[Mapping[str, Any]] = ONE_HOT

    task: str = "classification"
    _: KW_ONLY
    n_neighbors: int = 5
    weights: str = "uniform"
    kinds: Mapping[str, str] | None = None
    random_state: Any = None

    def _build(self, seed: int, n_rows: int) -> Any:
        kind = (
            KNeighborsClassifier
            if is_classification(self.task)
            else KNeighborsRegressor
        )
        return kind(
            n_neighbors=min(self.n_neighbors, n_rows), weights=self.weights, n_jobs=1
        )
