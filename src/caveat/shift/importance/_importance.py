"""How much a column tells about the target: seven ways to order columns."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput, listing
from caveat.shift.evaluation._tables import check_table, wants_frames
from caveat.shift.evaluation._targets import check_target
from caveat.shift.importance._methods import Question, codes_of
from caveat.shift.registry import IMPORTANCES


def feature_importance(
    X: Any,
    y: Any,
    method: str = "pearson",
    *,
    model: Any = None,
    task: str | None = None,
    random_state: int = 0,
) -> pd.Series:
    """Tell how much each column says about the target.

    Importance serves to order columns, so that the most or least important vanish
    first; only its size counts, not its sign.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n_rows, n_columns)
        Training rows; for ``permutation`` and ``model`` better rows that the model has
        not seen.
    y : array-like of shape (n_rows,)
        Labels or numbers.
    method : str, default="pearson"
        - ``pearson``: correlation of the numbers; text, also that of the target,
          becomes its place in alphabetical order.
        - ``spearman``: the same of ranks.
        - ``mutual-info``: mutual information by three nearest neighbours.
        - ``shap``: mean absolute SHAP value of a LightGBM model with default settings.
        - ``permutation``: what `model` loses when a column is shuffled, mean of 5.
        - ``model``: what `model` loses when a column is replaced by its mean.
        - ``eta``: root of the share of variance between groups; for two columns of
          categories Cramér's V, for two of numbers the absolute correlation.
    model : fitted model or callable, optional
        For ``permutation`` and ``model``.
    task : {"classification", "regression"}, optional
        Guessed from the model or the target.
    random_state : int, default=0
        Seed of what is random (``mutual-info``, ``permutation``).

    Returns
    -------
    Series, one number per column, in the order of the table.

    Warnings
    --------
    All but ``permutation`` and ``model`` look at one column at a time: two columns
    that tell only together count as nothing. Alphabetical places of three or more
    classes have no meaning; ``pearson`` and ``spearman`` use them all the same, because
    the study does. A constant column counts as 0.

    References
    ----------
    .. [1] Z.-J. Cheng et al. (2025). TabFSBench: tabular benchmark for feature shifts
       in open environments. ICML.
    .. [2] S. M. Lundberg et al. (2020). From local explanations to global understanding
       with explainable AI for trees. Nature Machine Intelligence 2.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"a": [1, 2, 3, 4], "b": [1, 0, 0, 1]})
    >>> feature_importance(X, ["n", "n", "y", "y"]).round(3).to_dict()
    {'a': 0.894, 'b': 0.0}
    """
    table = check_table(X, "X")
    name = method.lower().replace("_", "-") if isinstance(method, str) else str(method)
    entry = IMPORTANCES[name]
    if entry.facts.get("needs") == "model" and model is None:
        raise InvalidInput(
            f"importance {name!r} needs a fitted model; pass it as model=..., with "
            "rows that it has not seen"
        )
    labels = np.asarray(y)
    target = check_target(labels, labels, len(table), len(table), model, task)
    constant = [column for column in table.columns if table[column].nunique() < 2]
    if constant:
        warnings.warn(
            f"the columns {listing(constant)} are constant; their importance counts "
            "as 0",
            stacklevel=2,
        )
    if len(np.unique(target.train)) < 2 and entry.facts.get("needs") != "model":
        warnings.warn(
            f"the target is {str(labels[0])!r} in every row, so no column can tell "
            "anything about it; every importance counts as 0",
            stacklevel=2,
        )
        return pd.Series(0.0, index=table.columns, name=name)
    question = Question(
        table=table,
        target=target,
        truth=codes_of(pd.Series(labels))
        if target.classes is not None
        else target.values,
        model=model,
        named=wants_frames(model, X),
        seed=random_state,
    )
    values = np.nan_to_num(entry.load()(question))
    return pd.Series(values, index=table.columns, name=name)


def ascending(importance: pd.Series) -> NDArray[np.intp]:
    """Order columns by the size of their importance; ties by their place.

    Examples
    --------
    >>> ascending(pd.Series({"a": -0.9, "b": 0.1, "c": 0.1})).tolist()
    [1, 2, 0]
    """
    return np.argsort(np.abs(importance.to_numpy(dtype=float)), kind="stable")


def check_importance(
    importance: Any,
    X: pd.DataFrame,
    y: Any,
    *,
    model: Any,
    task: str | None,
    random_state: int,
) -> pd.Series:
    """Compute importance by name, or check what the user brought."""
    if isinstance(importance, str):
        return feature_importance(
            X, y, importance, model=model, task=task, random_state=random_state
        )
    if isinstance(importance, Mapping):
        importance = pd.Series(dict(importance))
    if not isinstance(importance, pd.Series):
        raise InvalidInput(
            f"importance is {importance!r}; pass a method's name, or a number for each "
            "column in a Series or dict"
        )
    lacking = [column for column in X.columns if column not in importance.index]
    if lacking:
        raise InvalidInput(f"importance lacks the columns {listing(lacking)}; add them")
    brought = importance.loc[list(X.columns)]
    if brought.isna().any() or not pd.api.types.is_numeric_dtype(brought):
        raise InvalidInput(
            "importance holds something that is not a number; give each column one"
        )
    return brought
