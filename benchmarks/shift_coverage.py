"""Do the intervals of a price hold? Simulations where the true price is known.

Run: ``python benchmarks/shift_coverage.py [simulations] [trees]``. Prints for each case
how often the 95 % interval of the loss covers the true price, and how often a loss is
called real (its interval lies above 0); with ``trees`` only the last case.

- *fixed*: a model that is there already, 300 test rows. Rows are Gaussian in two
  columns, so the AUC depends on an angle only: filling one column in costs a known
  price, or exactly 0 where the model leans as far to one side of the truth as the
  filled one to the other.
- *fitted*: logistic regression or ridge, fitted by caveat in five splits of 400 rows.
  The true price is the mean over 60 training sets, on 40,000 rows.
- *trees*: the same with LightGBM, whose fits differ more than those of a line.
"""

from __future__ import annotations

import math
import sys

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from caveat.datasets import from_frame
from caveat.shift.prices._folds import (
    Fold,
    given_contender,
    make_folds,
    usual_contenders,
)
from caveat.shift.prices._outages import Outage
from caveat.shift.prices._prices import ALL, Task, measure_prices

GONE = Outage(("c",))


def rows(n: int, rng: np.random.Generator, *, lean: float, numbers: bool):
    """Draw rows whose truth is a + lean · c; b is noise."""
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    score = X["a"] + lean * X["c"]
    if numbers:
        return X, score + rng.normal(size=n)
    chance = 1 / (1 + np.exp(-2 * score))
    return X, pd.Series((rng.random(n) < chance).astype(int))


def angled(weight: float):
    """Return a model that leans by a weight on c."""

    def model(table: pd.DataFrame) -> np.ndarray:
        score = table["a"] + weight * table["c"]
        return 1 / (1 + np.exp(-score.to_numpy()))

    return model


def found(folds, units, contender, *, numbers: bool):
    """Measure one loss."""
    task = Task(
        [GONE],
        ["mean"],
        "rmse" if numbers else "auc",
        "regression" if numbers else "classification",
        columns=False,
        decay=False,
        refit=False,
    )
    return measure_prices(folds, units, [contender], task)


def fixed(weight: float, lean: float, n: int, rng):
    """Measure the loss of a model that is there already."""
    X, y = rows(100, rng, lean=lean, numbers=False)
    X_test, y_test = rows(n, rng, lean=lean, numbers=False)
    X.iloc[0] = -X.iloc[1:].sum()  # the filled value is 0, as in the truth
    fold = Fold(X, y, X_test, y_test, np.arange(n))
    contender = given_contender("it", angled(weight))
    return found([fold], np.arange(n), contender, numbers=False)


def fitted(
    lean: float, n: int, rng, *, numbers: bool, model: str = "logistic-regression"
):
    """Measure the loss of a model that caveat fits in five splits."""
    X, y = rows(n, rng, lean=lean, numbers=numbers)
    task = "regression" if numbers else "binary"
    dataset = from_frame(X.assign(y=y), target="y", task=task)
    folds, units, _ = make_folds(dataset, repeats=5, seed=int(rng.integers(1 << 30)))
    (contender,), _ = usual_contenders([model], task, 0)
    return found(folds, units, contender, numbers=numbers)


def true_fixed(weight: float, lean: float, rng) -> float:
    """Measure the price on two million rows."""
    X, y = rows(2_000_000, rng, lean=lean, numbers=False)
    return auc(y, X["a"] + weight * X["c"]) - auc(y, X["a"])


def true_fitted(
    lean: float, n: int, rng, *, numbers: bool, model: str = "logistic-regression"
) -> float:
    """Average the price over 60 training sets, on 40,000 rows."""
    X_test, y_test = rows(40_000, rng, lean=lean, numbers=numbers)
    task = "regression" if numbers else "binary"
    (contender,), _ = usual_contenders([model], task, 0)
    prices = []
    for _ in range(60):
        X, y = rows(round(0.75 * n), rng, lean=lean, numbers=numbers)
        it = contender.fit(Fold(X, y, X, y, np.arange(1)))
        filled = X_test.assign(c=X["c"].mean())
        if numbers:
            errors = [y_test - it.predict(t) for t in (filled, X_test)]
            prices.append(
                float(np.subtract(*[math.sqrt((e**2).mean()) for e in errors]))
            )
        else:
            aucs = [auc(y_test, it.predict_proba(t)[:, 1]) for t in (X_test, filled)]
            prices.append(aucs[0] - aucs[1])
    return float(np.mean(prices))


def auc(y, score) -> float:
    """Area under the curve by ranks; ties, which trees have, count half."""
    positive, ranks = np.asarray(y) == 1, rankdata(score)
    wins = ranks[positive].sum() - positive.sum() * (positive.sum() + 1) / 2
    return float(wins / (positive.sum() * (~positive).sum()))


def cases_of_lines(seed: int = 0) -> dict:
    """Make the cases of fixed and fitted lines."""
    rng = np.random.default_rng(seed)
    lean = 0.4
    even = math.tan(2 * math.atan(lean))
    return {
        "fixed, AUC": (
            true_fixed(lean, lean, rng),
            lambda: fixed(lean, lean, 300, rng),
        ),
        "fixed, AUC, price 0": (0.0, lambda: fixed(even, lean, 300, rng)),
        "fitted, AUC": (
            true_fitted(lean, 400, rng, numbers=False),
            lambda: fitted(lean, 400, rng, numbers=False),
        ),
        "fitted, AUC, no effect": (
            true_fitted(0.0, 400, rng, numbers=False),
            lambda: fitted(0.0, 400, rng, numbers=False),
        ),
        "fitted, RMSE": (
            true_fitted(lean, 400, rng, numbers=True),
            lambda: fitted(lean, 400, rng, numbers=True),
        ),
    }


def case_of_trees(seed: int = 0) -> dict:
    """Make the case of LightGBM."""
    rng = np.random.default_rng([seed, 1])
    how = {"numbers": False, "model": "lightgbm"}
    truth = true_fitted(0.4, 400, rng, **how)
    return {"trees, AUC": (truth, lambda: fitted(0.4, 400, rng, **how))}


def cover(cases: dict, simulations: int) -> pd.DataFrame:
    """Count how often the interval covers the truth."""
    lines = []
    for name, (truth, simulate) in cases.items():
        hits, real, widths = [], [], []
        for _ in range(simulations):
            book = simulate()
            who = next(iter(book.values))[0]
            loss = book.loss((who, ALL, ""), (who, GONE.words, "mean"))
            one = loss.estimate("")
            hits.append(one.low <= truth <= one.high)
            real.append(one.low > 0)
            widths.append(one.high - one.low)
            if len(hits) % 20 == 0:
                print(name, len(hits), sum(hits), sum(real), flush=True)
        lines.append(
            {
                "case": name,
                "true price": truth,
                "covers": np.mean(hits),
                "called real": np.mean(real),
                "width": np.mean(widths),
            }
        )
        print(lines[-1], flush=True)
    return pd.DataFrame(lines)


if __name__ == "__main__":
    count = next((int(word) for word in sys.argv[1:] if word.isdigit()), 500)
    if "trees" not in sys.argv:
        cover(cases_of_lines(), count)
    cover(case_of_trees(), count)
