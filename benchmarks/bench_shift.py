"""Feature-shift curves against a plain loop; early stops; the way through the trees.

    OMP_NUM_THREADS=1 python benchmarks/bench_shift.py             in five minutes
    OMP_NUM_THREADS=1 python benchmarks/bench_shift.py quick       in one

Times are CPU seconds of this process. Both sides of every comparison are asserted to
give the same numbers; compilation is excluded, everything else is not. Needs heart.csv
(see `caveat data fetch heart`) in ../shared/data/feature-shift or in the data home.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import platform
import sys
import time
from itertools import product
from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd
import sklearn
from sklearn.datasets import make_classification
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import train_test_split

import caveat
from caveat.datasets import load
from caveat.models import make_model
from caveat.shift import Mean, Subsets, shift_curve

FOLDER = Path(__file__).resolve().parents[1].parent / "shared/data/feature-shift"


def heart() -> tuple:
    """LightGBM with default settings on heart, split as in the paper's program."""
    path = FOLDER / "heart.csv"
    if path.exists():
        table = pd.read_csv(path)
        X, y = table.drop(columns="HeartDisease"), table["HeartDisease"]
    else:
        data = load("heart")
        X, y = data.X, data.y
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=42)
    return make_model("lightgbm", "binary").fit(X, y), X, y, X_test, y_test


def plain(model, X, y, X_test, y_test) -> pd.DataFrame:
    """One imputed copy, one call and two measures for each of the 2,048 masks.

    The table is encoded once, so that the loop has nothing to do but the above.
    """
    encoder, estimator = model.encoder_, model.estimator_
    rows = encoder.transform(X_test)
    everything = Mean().fit(X).impute(X_test, list(X.columns))
    fill = encoder.transform(everything)[0]
    # The encoder puts numbers first; here each column has one place.
    names = [*encoder.numerical_, *encoder.categorical_]
    places = [names.index(name) for name in X.columns]
    found = []
    for mask in product([False, True], repeat=X.shape[1]):
        gone = [place for place, is_gone in zip(places, mask, strict=True) if is_gone]
        imputed = rows.copy()
        imputed[:, gone] = fill[gone]
        proba = estimator.predict_proba(imputed)
        labels = model.classes_[proba.argmax(axis=1)]
        accuracy = accuracy_score(y_test, labels)
        found.append((len(gone), accuracy, roc_auc_score(y_test, proba[:, 1])))
    return pd.DataFrame(found, columns=["k", "accuracy", "auc"]).groupby("k").mean()


def timed(function, *arguments, **settings):
    """CPU seconds, and the result."""
    started = time.process_time()
    found = function(*arguments, **settings)
    return time.process_time() - started, found


def bench_plain_loop() -> None:
    """All masks of heart, accuracy and AUC, three ways."""
    parts = heart()
    print("\nheart, LightGBM, 11 columns, 184 test rows, all 2,048 masks")
    settings = {"metric": ["accuracy", "auc"], "random_state": 0}
    shift_curve(*parts, **settings)  # compiles
    seconds = {}
    seconds["plain loop"], expected = timed(plain, *parts)
    for name, fast in (("rows once", False), ("trees", True)):
        seconds[name], curve = timed(shift_curve, *parts, fast=fast, **settings)
        assert curve.fast is fast
        for measure in ("accuracy", "auc"):
            np.testing.assert_allclose(
                curve.of(measure)["value"], expected[measure], rtol=1e-12
            )
        print(
            f"  {name:10}  asked {curve.rows_asked:9,} of {curve.rows_masked:9,} rows"
        )
    for name, used in seconds.items():
        print(f"  {name:10}  {used:8.2f} s  {seconds['plain loop'] / used:6.1f} x")
    ratio = seconds["plain loop"] / seconds["trees"]
    assert ratio >= 10, f"only {ratio:.1f} times as fast as the plain loop"


def wide(n_test: int) -> tuple:
    """Twenty columns, half of them informative."""
    X, y = make_classification(
        1000 + n_test, 20, n_informative=10, n_redundant=4, random_state=0
    )
    X = pd.DataFrame(X, columns=[f"c{number}" for number in range(20)])
    model = lightgbm.LGBMClassifier(n_jobs=1, verbose=-1).fit(X[:1000], y[:1000])
    return model, X[:1000], y[:1000], X[1000:], y[1000:]


def bench_tolerance(cap: int) -> None:
    """How many subsets an interval of a given width needs, and whether it is right."""
    parts = wide(200)
    degrees = list(range(5, 16))
    print(f"\n20 columns, 200 test rows, degrees 5 to 15, cap {cap:,}")
    settings = {"degrees": degrees, "random_state": 0, "max_subsets": cap}
    quick, capped = timed(shift_curve, *parts, **settings)
    slow, same = timed(shift_curve, *parts, fast=False, **settings)
    np.testing.assert_allclose(same.table["value"], capped.table["value"], rtol=1e-12)
    masked = capped.rows_masked
    print(f"  full cap, {masked:,} masked rows, same numbers:")
    print(f"    with the way through the trees     {quick:8.1f} s")
    print(
        f"    without                            {slow:8.1f} s  {slow / quick:5.1f} x"
    )
    truth = capped.of().set_index("k")["value"]
    for tolerance in (0.01, 0.005):
        seconds, curve = timed(
            shift_curve,
            *parts,
            degrees=degrees,
            max_subsets=cap,
            tolerance=tolerance,
            random_state=1,
        )
        rows = curve.of().set_index("k").loc[degrees]
        inside = truth[degrees].between(rows["low"], rows["high"])
        taken = int(rows["n_subsets"].sum())
        fewer = cap * len(degrees) / taken
        print(
            f"  tolerance {tolerance:5}: {taken:6,} subsets, {fewer:5.1f} x fewer, "
            f"capped mean inside in {inside.sum()} of {len(degrees)}, {seconds:.1f} s"
        )
        if tolerance == 0.01 and cap == 10_000:
            assert fewer >= 20, f"only {fewer:.1f} times fewer subsets"
            assert inside.sum() >= 9, f"inside in {inside.sum()} of 11 only"


def bench_linear() -> None:
    """Cost against masks x rows."""
    print("\ncost per masked row, microseconds (20 columns)")
    print(f"  {'':28}{'trees':>8}{'rows once':>12}")
    for n_test, cap in ((200, 250), (200, 500), (200, 1000), (400, 1000), (800, 1000)):
        parts = wide(n_test)
        line = []
        for fast in (True, False):
            settings = {"degrees": [10], "max_subsets": cap, "random_state": 0}
            seconds, curve = timed(shift_curve, *parts, fast=fast, **settings)
            line.append(seconds / curve.rows_masked * 1e6)
        print(f"  {cap:6,} masks x {n_test:4} rows   {line[0]:8.2f}{line[1]:12.2f}")


def bench_subsets() -> None:
    """About 300 subsets of heart: a user's loop, one stacked call, and caveat."""
    _, X, y, X_test, y_test = heart()
    fill = Mean().fit(X)
    settings = {"metric": ["accuracy", "auc"], "random_state": 0, "max_subsets": 34}
    for name, least in (("lightgbm", (16, 8)), ("logistic-regression", (40, 7))):
        model = make_model(name, "binary").fit(X, y)
        shift_curve(model, X, y, X_test, y_test, **settings)  # compiles
        quick, curve = timed(shift_curve, model, X, y, X_test, y_test, **settings)
        gone = [_columns(k, X, 34) for k in range(X.shape[1] + 1)]
        loop, one = timed(_by_loop, model, fill, X_test, y_test, gone)
        stacked, other = timed(_by_stack, model, fill, X_test, y_test, gone)
        for found in (one, other):
            for measure, values in found.items():
                expected = curve.of(measure)["value"]
                np.testing.assert_allclose(values, expected, rtol=1e-9)
        count = sum(map(len, gone))
        print(f"\nheart, {name}, {count} subsets: caveat {quick:.2f} s")
        print(f"  a plain loop {loop / quick:5.1f} x, stacked {stacked / quick:5.1f} x")
        wanted = dict(zip((loop, stacked), least, strict=True))
        short = [f"{goal} x" for used, goal in wanted.items() if used / quick < goal]
        print(f"  aimed at {least[0]} x and {least[1]} x; not met: {short or 'none'}")


def _columns(k: int, X: pd.DataFrame, most: int) -> list[list[str]]:
    """List the same subsets of k columns that the curve takes."""
    names = np.array(X.columns, dtype=object)
    if k == 0:
        return [[]]
    subsets = Subsets(len(names), k, most=most, seed=0)
    return [list(names[mask]) for mask in subsets.take(0, len(subsets))]


def _by_loop(model, fill, X_test, y_test, gone) -> dict[str, list[float]]:
    """Impute, ask and measure one subset after the other."""
    found: dict[str, list[float]] = {"accuracy": [], "auc": []}
    for subsets in gone:
        tables = (fill.impute(X_test, columns) for columns in subsets)
        scores = [_measured(model.predict_proba(one), model, y_test) for one in tables]
        for place, name in enumerate(found):
            found[name].append(float(np.mean([each[place] for each in scores])))
    return found


def _by_stack(model, fill, X_test, y_test, gone) -> dict[str, list[float]]:
    """Put all imputed tables below each other and ask once."""
    tables = [fill.impute(X_test, one) for subsets in gone for one in subsets]
    answers = model.predict_proba(pd.concat(tables, ignore_index=True))
    parts = iter(answers.reshape(len(tables), len(X_test), -1))
    found: dict[str, list[float]] = {"accuracy": [], "auc": []}
    for subsets in gone:
        scores = [_measured(next(parts), model, y_test) for _ in subsets]
        for place, name in enumerate(found):
            found[name].append(float(np.mean([each[place] for each in scores])))
    return found


def _measured(proba, model, y_test) -> tuple[float, float]:
    labels = model.classes_[proba.argmax(axis=1)]
    return accuracy_score(y_test, labels), roc_auc_score(y_test, proba[:, 1])


def main() -> None:
    """Run all comparisons."""
    quick = "quick" in sys.argv[1:]
    print(
        f"caveat {caveat.__version__}, lightgbm {lightgbm.__version__}, scikit-learn "
        f"{sklearn.__version__}, numpy {np.__version__}, Python "
        f"{platform.python_version()}"
    )
    bench_subsets()
    bench_plain_loop()
    bench_tolerance(1000 if quick else 10_000)
    bench_linear()


if __name__ == "__main__":
    main()
