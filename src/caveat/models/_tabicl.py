"""TabICL, in-context learning for larger tables."""

from __future__ import annotations

from typing import Any

import tabicl

from caveat.models._foundation import Pretrained, check_weights
from caveat.models._tasks import is_classification


class TabICL(Pretrained):
    """The package `tabicl`: columns, then rows, then the whole table in context.

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
    estimator_ : fitted TabICLClassifier or TabICLRegressor

    Warnings
    --------
    A row's answer may depend on the rows that are asked with it. What it computed of
    the training rows is kept, so that asking again is cheap: memory grows with rows and
    `n_estimators` (``options={"kv_cache": False}`` spares it).
    Public benchmark tables may have been seen in its development.

    References
    ----------
    .. [1] J. Qu, D. Holzmüller, G. Varoquaux, M. Le Morvan (2025). TabICL: a tabular
       foundation model for in-context learning on large data. ICML.
    """

    def _build(self, seed: int, n_rows: int) -> Any:
        classify = is_classification(self.task)
        kind = tabicl.TabICLClassifier if classify else tabicl.TabICLRegressor
        settings = {
            "model_path": str(check_weights(self.weights, "TabICL")),
            "allow_auto_download": False,
            "n_estimators": self.n_estimators,
            "device": self.device,
            "random_state": seed,
            # The training rows are encoded once, not for every table that is asked.
            "kv_cache": True,
        }
        return kind(**{**settings, **(self.options or {}), "n_jobs": 1})
