"""RealMLP, by the package of its authors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import pytabkit

from caveat.models._base import Lesson, TabularModel
from caveat.models._tasks import is_classification


@dataclass(eq=False, repr=False)
class RealMLP(TabularModel):
    """A perceptron with tuned defaults: the package `pytabkit`.

    Text columns go in as categories, a missing category is one of its own, missing
    numbers become the training mean. The package keeps the pass that is best on the
    validation rows.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    n_epochs : int, default=256
        Passes over the rows; none is left out.
    validation : float or None, default=0.2
        Share of rows held out where `fit` is not told; None is none.
    device : str, default="cpu"
        Where to train.
    options : mapping or None, default=None
        Further keywords for the package's estimator.
    kinds : mapping of column to kind, or None
        ``numerical``, ``categorical`` or ``boolean`` where detection would err.
    random_state : int, RandomState instance or None
        Seeds the first weights and the order of the rows.

    Attributes
    ----------
    classes_ : array
        The labels, sorted; classification only.
    estimator_ : fitted RealMLP_TD_Classifier or RealMLP_TD_Regressor
    validation_rows_ : array of int
        Which training rows were held out.

    Warnings
    --------
    Cannot be saved without pickle, nor weigh rows.

    References
    ----------
    .. [1] D. Holzmüller, L. Grinsztajn, I. Steinwart (2024). Better by default: strong
       pre-tuned MLPs and boosted trees on tabular data. NeurIPS.
    """

    encoding: ClassVar[Mapping[str, Any]] = {"categories": "keep", "scale": None}
    weighs: ClassVar[bool] = False
    stops_early: ClassVar[bool] = True

    task: str = "classification"
    _: KW_ONLY
    n_epochs: int = 256
    validation: float | None = 0.2
    device: str = "cpu"
    options: Mapping[str, Any] | None = None
    kinds: Mapping[str, str] | None = None
    random_state: Any = None

    def _build(self, seed: int, n_rows: int) -> Any:
        kind = (
            pytabkit.RealMLP_TD_Classifier
            if is_classification(self.task)
            else pytabkit.RealMLP_TD_Regressor
        )
        settings = {"n_epochs": self.n_epochs, "device": self.device, "verbosity": 0}
        settings |= {"random_state": seed, **(self.options or {}), "n_threads": 1}
        return kind(**settings)

    def _learn(self, lesson: Lesson) -> Any:
        texts = lesson.table.select_dtypes(exclude="number").columns.tolist()
        # Few rows: what is learnt from also says when it was best.
        watch = lesson.watch or lesson
        return self._build(lesson.seed, len(lesson.target)).fit(
            lesson.table,
            lesson.target,
            X_val=watch.table,
            y_val=watch.target,
            cat_col_names=texts,
        )
