"""SHAP values through LightGBM, which computes them itself."""

from __future__ import annotations

from typing import Any

import lightgbm
import numpy as np

from caveat.shift.importance._methods import Numbers, Question


def mean_shap(question: Question) -> Numbers:
    """Mean absolute path-dependent TreeSHAP value, over rows and classes.

    Of a LightGBM model with default settings, fitted to the same rows.

    References
    ----------
    .. [1] S. M. Lundberg et al. (2020). From local explanations to global understanding
       with explainable AI for trees. Nature Machine Intelligence 2.
    """
    kind: Any = lightgbm.LGBMClassifier if question.classify else lightgbm.LGBMRegressor
    model = kind(
        random_state=question.seed,
        n_jobs=1,
        deterministic=True,
        force_col_wise=True,
        verbose=-1,
    )
    columns = np.column_stack([column for column, _ in question.columns()])
    model.fit(columns, question.truth)
    found = model.predict(columns, pred_contrib=True)
    # One block of columns plus a constant for every class that has trees of its own.
    shaped = np.asarray(found).reshape(len(columns), -1, columns.shape[1] + 1)
    return np.abs(shaped[:, :, :-1]).mean(axis=(0, 1))
