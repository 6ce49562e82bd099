"""Degenerate data from file to record: numbers that are finite, or one sentence."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest

from caveat.datasets import from_frame
from caveat.exceptions import CaveatError
from caveat.models import make_model
from caveat.study import plan, run_trial

pytestmark = pytest.mark.thorough

NAMES = [
    "😀",
    "\u200fright to left",
    "line\nend",
    "x" * 10_000,
    "-x",
    "..",
    "/",
    "a\0b",
    "CON",
    "blank ",
    "dot.",
]


def table(rows=24, **columns):
    draw = np.random.default_rng(1)
    y = np.arange(rows) % 2
    frame = pd.DataFrame(
        {
            "a": draw.normal(size=rows) + y,
            "b": draw.choice(list("xyz"), rows),
            "t": np.where(y, "yes", "no"),
        }
    )
    return frame.assign(**columns)


def wide(rows, columns):
    noise = np.random.default_rng(2).normal(size=(rows, columns))
    return table(rows, **{f"w{j}": noise[:, j] for j in range(columns)})


USABLE = {
    "a class seen once": table(t=["rare", *["no", "yes"] * 11, "no"]),
    "a constant feature": table(a=1.0),
    "only constant features": table(a=1.0, b="x"),
    "the same four rows again": pd.concat([table(4)] * 6, ignore_index=True),
    "fewer rows than folds": table(3),
    "more columns than rows": wide(12, 60),
    "a column without a value": table(a=np.nan),
    "bytes at both ends": table(a=np.array([127, -128] * 12, dtype=np.int8)),
    "a level for every row": table(b=[f"id{i}" for i in range(24)]),
    "half precision": table(a=np.arange(24, dtype=np.float16)),
    "every other number of an array": table(a=np.arange(48.0)[::2]),
    "an index of repeated text": table().set_axis(["r", "s"] * 12, axis=0),
    "nullable numbers": table(a=pd.array([1, None] * 12, dtype="Int64")),
    "nullable text": table(b=pd.array(["x", None] * 12, dtype="string")),
    "nullable labels": table(t=pd.array([0, 1] * 12, dtype="Int64")),
    "levels that do not occur": table(b=pd.Categorical(["x", "y"] * 12, list("wxyz"))),
    "labels that do not occur": table(t=pd.Categorical(["n", "y"] * 12, list("nyz"))),
    "truth values": table(t=[True, False] * 12),
    "amounts next to nothing": table(t=np.linspace(0, 1e-320, 24)),
    "names that differ by case": table().assign(A=0.0),
    "names that differ by normal form": table(**{"é": 0.0, "e\u0301": 1.0}),
    **{f"the column {name[:8]!r}": table(**{name: 1.5}) for name in NAMES},
    **{f"the label {name[:8]!r}": table(t=[name, "no"] * 12) for name in NAMES},
    **{f"the target {n[:8]!r}": table().rename(columns={"t": n}) for n in NAMES},
}

REFUSED = {
    "one class": (table(t="no"), "single value 'no'"),
    "one amount": (table(t=1.5), "single value '1.5'"),
    "one row": (table(1), "single value"),
    "no rows": (table(0), "no rows"),
    "no feature": (table()[["t"]], "at least one feature"),
    "an infinite amount": (table(t=[*range(23), np.inf]), "infinite"),
    "amounts without a square": (table(t=np.linspace(0, 1e200, 24)), "larger units"),
    "a missing label": (table(t=[None, *["no"] * 23]), "missing in 1 row "),
    "two header levels": (
        table().set_axis(pd.MultiIndex.from_product([["u"], list("abt")]), axis=1),
        "2 header levels",
    ),
}


def record(frame, target, learner, folder):
    frame.to_parquet(folder / "own.parquet")
    study = {
        "study": "degenerate",
        "topic": "supervised",
        "datasets": [{"file": str(folder / "own.parquet"), "target": target}],
        "learners": [learner],
        "resampling": {"folds": 3},
        "baseline": "none",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return run_trial(plan(study)[0].spec)["table"]


@pytest.mark.parametrize("case", USABLE)
@pytest.mark.parametrize(
    "learner",
    [
        "linear",
        pytest.param("dummy", marks=pytest.mark.thorough),
        pytest.param("k-nn", marks=pytest.mark.thorough),
        pytest.param("random-forest", marks=pytest.mark.slow),
        pytest.param("hist-gradient-boosting", marks=pytest.mark.slow),
        pytest.param("mlp", marks=pytest.mark.slow),
    ],
)
def test_what_can_be_learnt_from_gives_a_record(case, learner, tmp_path):
    frame = USABLE[case]
    target = frame.columns[2]
    regression = frame[target].dtype.kind == "f"
    linear = "ridge" if regression else "logistic-regression"
    found = record(frame, target, {"linear": linear}.get(learner, learner), tmp_path)
    measure = "test.rmse" if regression else "test.log-loss"
    assert [math.isfinite(value) for value in found[measure]] == [True]


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_learnt_from_is_refused_in_one_sentence(case):
    frame, words = REFUSED[case]
    with pytest.raises(CaveatError, match=words) as told:
        from_frame(frame, frame.columns[-1])
    assert "\n" not in str(told.value)


def test_infinity_in_a_feature_is_a_sentence_with_the_column(tmp_path):
    frame = table(a=[np.inf, *range(23)])
    with pytest.raises(CaveatError, match="column 'a' holds infinity"):
        record(frame, "t", "logistic-regression", tmp_path)


@pytest.mark.parametrize("name", ["logistic-regression", "hist-gradient-boosting"])
def test_a_model_learns_from_a_read_only_memory_map(name, tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(40, 3)))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    y = (np.asarray(mapped[:, 0]) > 0).astype(int)
    model = make_model(name, "binary").fit(pd.DataFrame(mapped), y)
    assert np.isfinite(model.predict_proba(pd.DataFrame(mapped))).all()
    assert np.array_equal(mapped, np.load(tmp_path / "x.npy"))
