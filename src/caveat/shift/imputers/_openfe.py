"""Columns that OpenFE derives from others: as a rule for a lost column, and as such."""

from __future__ import annotations

import io
import tempfile
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.shift.evaluation._tables import is_categorical
from caveat.shift.imputers._feature_rules import FeatureRule, TreeRule

with warnings.catch_warnings():  # its import would silence all warnings for good
    import openfe

_ROW_BY_ROW = (
    *("abs", "log", "sqrt", "square", "sigmoid", "round", "residual"),
    *("min", "max", "+", "-", "*", "/"),
)


class DerivedColumns:
    """The derived columns that OpenFE ranks first for a target.

    Only what is computed row by row is offered to it. Its other operators (means of
    groups, frequencies, ranks) are computed over training and test rows together, so
    that a row's value would hang on which rows stand beside it.

    Parameters
    ----------
    most : int, default=10
        How many columns are derived.
    trees : int, default=100
        Of the booster that ranks candidates.
    seed : int, default=1

    Attributes
    ----------
    formulas_ : list of str
        What was chosen, best first.

    References
    ----------
    .. [1] T. Zhang et al. (2023). OpenFE: automated feature generation with
       expert-level performance. ICML.
    """

    def __init__(self, most: int = 10, trees: int = 100, seed: int = 1) -> None:
        self.most, self.trees, self.seed = most, trees, seed

    def fit(self, X: pd.DataFrame, y: Any) -> Self:
        """Choose columns on training rows."""
        self._numbers = [name for name in X.columns if not is_categorical(X[name])]
        self._nodes: list[Any] = []
        target = pd.Series(np.asarray(y))
        table = self._plain(X)
        if target.nunique() > 1 and len(self._numbers):
            self._nodes = self._chosen(table, target)
        names = dict(zip(table.columns, map(str, self._numbers), strict=True))
        self.formulas_ = [_spelt(node, names) for node in self._nodes]
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Append the chosen columns; cells that are no number become missing."""
        table = self._plain(X)
        made = {}
        with np.errstate(all="ignore"):
            for formula, node in zip(self.formulas_, self._nodes, strict=True):
                values = node.calculate(table).to_numpy(np.float64)
                made[formula] = np.where(np.isfinite(values), values, np.nan)
        return X.assign(**made)

    def _plain(self, X: pd.DataFrame) -> pd.DataFrame:
        """Give numbers under names without signs, which LightGBM would refuse."""
        made = {
            f"c{place}": X[name].to_numpy(np.float64)
            for place, name in enumerate(self._numbers)
        }
        return pd.DataFrame(made, index=range(len(X)))

    def _chosen(self, table: pd.DataFrame, target: pd.Series) -> list[Any]:
        offered = [
            node
            for node in openfe.get_candidate_features(list(table.columns), [], [])
            if node.name in _ROW_BY_ROW
        ]
        # Its judge of numbers calls scikit-learn in a way that ended with 1.6
        # (openfe 0.0.12), so numbers are ranked for by their quarter.
        if not is_categorical(target) and target.nunique() > 4:
            target = pd.qcut(target, 4, labels=False, duplicates="drop")
        codes = pd.factorize(target, sort=True)[0]
        silent = io.StringIO()
        with (
            tempfile.TemporaryDirectory() as folder,
            warnings.catch_warnings(),
            redirect_stdout(silent),
            redirect_stderr(silent),
        ):
            warnings.simplefilter("ignore")
            ranked = openfe.OpenFE().fit(
                data=table,
                label=pd.DataFrame({"target": codes}),
                task="classification",
                candidate_features_list=offered,
                categorical_features=[],
                n_data_blocks=1,
                stage2_params={"n_estimators": self.trees, "verbose": -1, "n_jobs": 1},
                tmp_save_path=str(Path(folder) / "table.feather"),
                n_jobs=1,
                seed=self.seed,
                verbose=False,
            )
        return list(ranked[: self.most])


class OpenFERule(FeatureRule):
    """Gradient boosting of a column on the others and on what OpenFE derives from them.

    Parameters
    ----------
    most : int, default=10
        How many columns are derived.
    max_iter : int, default=50
        Rounds of boosting.

    Warnings
    --------
    OpenFE makes columns for a target and cannot compute a given one; the booster does
    that. Its search takes seconds for every column of a small table.
    """

    def __init__(self, most: int = 10, max_iter: int = 50) -> None:
        self.most, self.max_iter = most, max_iter

    def fit(self, X: pd.DataFrame, column: str) -> Self:
        """Learn how `column` follows from the other columns of the training rows."""
        known = X[X[column].notna()]
        others = known.drop(columns=column)
        self._derived = DerivedColumns(self.most).fit(others, known[column])
        table = self._derived.transform(others).assign(**{column: known[column]})
        self._rule = TreeRule(self.max_iter).fit(table, column)
        return self

    def apply(self, X: pd.DataFrame) -> NDArray[Any]:
        """Compute the column for rows that have all columns but this one."""
        return self._rule.apply(self._derived.transform(X))


def _spelt(node: Any, names: dict[str, str]) -> str:
    """Write a formula with the names of the table."""
    if not hasattr(node, "children"):
        return names[str(node.name)]
    parts = [_spelt(child, names) for child in node.children]
    return f" {node.name} ".join(parts) if len(parts) > 1 else f"{node.name} {parts[0]}"
