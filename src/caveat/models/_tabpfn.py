"""TabPFN, a network that was trained on made-up tables."""

from __future__ import annotations

from inspect import signature
from typing import Any

import pandas as pd
import tabpfn
from sklearn.dummy import DummyClassifier, DummyRegressor

from caveat.models._base import Lesson
from caveat.models._foundation import Pretrained, check_weights
from caveat.models._tasks import is_classification


class TabPFN(Pretrained):
    """The package `tabpfn`: one forward pass over training and test rows.

    Categories become numbers in sorted order, an unseen one -1; missing numbers
    stay missing.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor, and which weights fit.
    weights : path
        File of weights, as the authors publish it. Nothing is downloaded.
    n_estimators : int, default=8
        How many shuffled copies of the table are averaged.
    device : str, default="cpu"
        Where the network runs.
    options : mapping or None, default=None
        Further keywords for the package's estimator.
    kinds : mapping of column to kind, or None
        ``numerical``, ``categorical`` or ``boolean`` where detection would err.
    random_state : int, RandomState instance or None
        Seeds the shuffles.

    Attributes
    ----------
    classes_ : array
        The labels, sorted; classification only.
    estimator_ : fitted TabPFNClassifier or TabPFNRegressor
        Or the dummy, if no column has two values: TabPFN refuses such a table.

    Warnings
    --------
    A row's answer depends on the rows that are asked with it: a probability moved by
    2.2e-4 between a row alone and the same row among others. Made for tables of at most
    some thousand rows; beyond, the package refuses or slows down. What it computed of
    the training rows is kept, so that asking again is cheap;
    ``options={"fit_mode": "fit_preprocessors"}`` spares that memory. Public benchmark
    tables may have been seen in its development. The licence of the weights is not that
    of the package.

    References
    ----------
    .. [1] N. Hollmann et al. (2025). Accurate predictions on small data with a
       tabular foundation model. Nature 637.
    """

    def _learn(self, lesson: Lesson) -> Any:
        if (pd.DataFrame(lesson.table).nunique(dropna=False) < 2).all():
            self._lesson_kept = lesson
            classify = is_classification(self.task)
            constant = DummyClassifier() if classify else DummyRegressor()
            return constant.fit(lesson.table, lesson.target)
        return super()._learn(lesson)

    def _build(self, seed: int, n_rows: int) -> Any:
        classify = is_classification(self.task)
        kind = tabpfn.TabPFNClassifier if classify else tabpfn.TabPFNRegressor
        settings = {
            "model_path": str(check_weights(self.weights, "TabPFN")),
            "n_estimators": self.n_estimators,
            "device": self.device,
            "random_state": seed,
            # The training rows are encoded once, not for every table that is asked.
            "fit_mode": "fit_with_cache",
        }
        if "kv_cache_precision" in signature(kind).parameters:
            # Kept as computed: newer versions would round it to eight bits.
            settings["kv_cache_precision"] = "auto"
        return kind(**{**settings, **(self.options or {})})
