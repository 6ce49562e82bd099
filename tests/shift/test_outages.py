"""Outages as they happen: equal to a plain loop, noticed, and what to protect."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from caveat.exceptions import InvalidInput, UnknownName
from caveat.measures import get
from caveat.shift import (
    Outage,
    cheapest_backup,
    found_blocks,
    look,
    parse_costs,
    parse_outages,
    when_noticed,
)
from caveat.shift.prices._folds import Fold


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a", "b", "c"])
    X["site"] = np.where(rng.random(200) < 0.5, "north", "south")
    X["day"] = pd.date_range("2025-01-01", periods=200).astype(str)
    y = pd.Series((X["a"] + X["b"] + 0.5 * rng.normal(size=200) > 0).astype(int))
    return X[:100], y[:100], X[100:].reset_index(drop=True), y[100:].to_numpy()


@pytest.fixture(scope="module")
def model(rows):
    X, y, *_ = rows
    fitted = LogisticRegression().fit(X[["a", "b", "c"]], y)
    return lambda table: fitted.predict_proba(table[["a", "b", "c"]])


def by_hand(outage, X, train, hit):
    """Break every cell in a plain loop."""
    table = X.copy()
    rows = [row for row in range(len(X)) if hit[row]]
    for count, row in enumerate(rows, start=1):
        for name in outage.columns:
            own = X[name][row]
            other = [each for each in outage.columns if each != name]
            table.loc[row, name] = {
                "vanish": train[name].mean(),
                "freeze": X[name][rows[0]],
                "drift": own
                + outage.size * train[name].std(ddof=0) * count / len(rows),
                "unit": own * outage.size,
                "swap": X[other[0]][row] if other else own,
            }[outage.kind]
    return table


KINDS = {
    "vanish": ("a",),
    "freeze": ("a", "b"),
    "drift": ("a",),
    "unit": ("b",),
    "swap": ("a", "c"),
}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "which"),
    [
        *[(kind, {}) for kind in KINDS],
        *[(kind, {"where": ("site", "north")}) for kind in ("vanish", "swap")],
        *[(kind, {"share": 0.4}) for kind in ("vanish", "unit", "freeze")],
        ("vanish", {"name": "lab"}),
        *[(kind, {"since": ("day", "2025-05-20")}) for kind in ("drift", "freeze")],
    ],
)
def test_every_outage_equals_a_plain_loop(rows, model, kind, which):
    X, y, X_test, y_test = rows
    outage = Outage(KINDS[kind], kind, size=2.5, **which)
    seen = look(
        None,
        "y",
        model=model,
        train=X.assign(y=y),
        test=X_test.assign(y=y_test),
        outages=[outage],
        imputers=["mean"],
        keep=["day"],
        metric="accuracy",
    )
    hit = np.ones(len(X_test), dtype=bool)
    if "where" in which:
        hit = (X_test["site"] == "north").to_numpy()
    if "since" in which:
        hit = (X_test["day"] >= "2025-05-20").to_numpy()
    if "share" in which:
        hit = np.random.default_rng([0, 3]).random(len(X_test)) < which["share"]
    expected = get("accuracy")(y_test, model(by_hand(outage, X_test, X, hit)))
    assert seen.extra["losses"][0]["after"] == pytest.approx(expected, abs=1e-12)


def test_rows_are_found_by_a_number_however_it_is_written(rows):
    X, y, X_test, y_test = rows
    side = pd.DataFrame({"ward": np.where(X_test.index % 3, 2.0, np.nan)})
    fold = Fold(X, y, X_test, pd.Series(y_test), np.arange(len(X_test)), side)
    hit = Outage(("a",), where=("ward", "2")).hits(fold, 0)
    assert hit.sum() == 66
    with pytest.raises(InvalidInput, match="no test row is hit"):
        Outage(("a",), where=("ward", "two")).hits(fold, 0)


MOMENTS = pd.Series(pd.date_range("2025-01-01", periods=100), name="when")


@pytest.mark.parametrize(
    ("day", "start"),
    [
        (MOMENTS, "2025-04-01"),
        (MOMENTS.dt.tz_localize("UTC"), "2025-04-01"),
        (MOMENTS.dt.strftime("%d.%m.%Y"), "01.04.2025"),
        (MOMENTS.astype("datetime64[s]").astype("int64"), "2025-04-01"),
        (MOMENTS.astype("datetime64[s]").astype("int64"), "1743465600"),
        (MOMENTS.dt.strftime("%Y%m%d").astype(int), "2025-04-01"),
        (MOMENTS.dt.strftime("%Y%m%d").astype(int), "20250401"),
    ],
)
def test_rows_since_a_date_are_found_however_it_is_written(rows, day, start):
    X, y, X_test, y_test = rows
    side = pd.DataFrame({"when": day})
    fold = Fold(X, y, X_test, pd.Series(y_test), np.arange(len(X_test)), side)
    hit = Outage(("a",), since=("when", start)).hits(fold, 0)
    assert hit.sum() == 10
    with pytest.raises(InvalidInput, match=r"'spring'"):
        Outage(("a",), since=("when", "spring")).hits(fold, 0)


def test_a_share_of_the_rows_fails(rows):
    X, y, X_test, y_test = rows
    fold = Fold(X, y, X_test, pd.Series(y_test), np.arange(len(X_test)))
    hit = Outage(("a",), share=0.3).hits(fold, 0)
    assert 15 < hit.sum() < 45


@pytest.mark.thorough
def test_what_a_monitor_should_notice_it_does_and_intact_rows_leave_it_calm(rows):
    X, y, X_test, y_test = rows
    fold = Fold(X, y, X_test, pd.Series(y_test), np.arange(len(X_test)))
    first = {}
    for kind, columns in KINDS.items():
        found = when_noticed(Outage(columns, kind, size=100.0), fold)
        assert (found["false_alarms"] < 0.2).all(), found
        found = found.dropna(subset="rows").sort_values("rows")
        first[kind] = tuple(found[["monitor", "rows"]].iloc[0]) if len(found) else None
    assert first["vanish"] == ("missing cells", 1.0)
    assert first["freeze"][0] == "the same value again"
    assert first["unit"][0] == "values outside the training range"
    assert first["swap"] is None  # the columns look alike


def test_blocks_that_fail_together_are_found():
    X = pd.DataFrame(np.ones((40, 3)), columns=["a", "b", "c"])
    X.loc[:9, ["a", "c"]] = np.nan
    X.loc[20:26, "b"] = np.nan
    assert found_blocks(X) == [["a", "c"]]


@pytest.mark.thorough
def test_the_cheapest_backup_is_found_among_all_sets():
    rng = np.random.default_rng(1)
    names = list("abcdef")
    for _ in range(5):
        alone = pd.DataFrame(
            {"column": names, "loss": 0.0, "high": rng.random(6) * 0.06}
        )
        pairs = pd.DataFrame(
            itertools.combinations(names, 2), columns=["left", "right"]
        )
        pairs = pairs.assign(loss=0.0, high=rng.random(len(pairs)) * 0.1)
        costs = dict(zip(names, rng.integers(1, 5, 6).astype(float), strict=True))

        def fits(kept, alone=alone, pairs=pairs):
            left = alone[~alone["column"].isin(kept)]
            both = pairs[~pairs["left"].isin(kept) & ~pairs["right"].isin(kept)]
            return (left["high"] <= 0.05).all() and (both["high"] <= 0.05).all()

        able = [
            kept
            for size in range(7)
            for kept in itertools.combinations(names, size)
            if fits(kept)
        ]
        least = min(sum(costs[name] for name in kept) for kept in able)
        found = cheapest_backup(alone, pairs, 0.05, costs)
        assert fits(found)
        assert sum(costs[name] for name in found) == pytest.approx(least)


@pytest.mark.thorough
def test_pairs_that_only_matter_together_are_backed_up():
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    table = pd.DataFrame(
        {"one": a, "two": a + 1e-3 * rng.normal(size=300), "c": rng.normal(size=300)}
    )
    table["y"] = (a + 0.3 * rng.normal(size=300) > 0).astype(int)
    seen = look(
        table,
        "y",
        models=["random-forest"],
        imputers=["mean"],
        repeats=1,
        protect=0.2,
        costs={"two": 3.0},
    )
    assert "one" in seen.extra["backup"]
    assert len(seen.extra["pairs"]) == 3


@pytest.mark.thorough
def test_only_pairs_that_were_lost_are_spoken_of(rows):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        rng.normal(size=(120, 17)), columns=[f"c{i}" for i in range(17)]
    )
    table["y"] = (table["c0"] + table["c1"] > 0).astype(int)
    how = {"models": ["logistic-regression"], "imputers": ["mean"], "repeats": 1}
    few = look(table[["c0", "c1", "c2", "c3", "y"]], "y", protect=0.1, **how)
    many = look(table, "y", protect=0.1, **how)
    told = [
        " ".join(c["text"] for c in seen.caveats if c["kind"] == "protect")
        for seen in (few, many)
    ]
    assert "any one or two others may fail at a loss of at most" in told[0]
    assert "two of the 15 that correlate most with the target" in told[1]


def test_a_monitor_that_cries_over_intact_rows_notices_nothing(rows):
    X, y, X_test, y_test = rows
    moved = X_test.assign(a=X_test["a"] + 3.0)
    fold = Fold(X, y, moved, pd.Series(y_test), np.arange(len(moved)))
    found = when_noticed(Outage(("a",), "unit", size=1.001), fold)
    assert found["false_alarms"].max() > 0.5
    assert found["rows"].isna().all()


def test_typed_outages_are_read():
    made, found = parse_outages(
        {
            "missing": ["a,b"],
            "source": ["lab=c", "found"],
            "drift": ["d=2"],
            "unit": ["e=1000"],
            "swap": ["a,b"],
            "since": "day=2025",
        }
    )
    assert found
    kinds = [(one.kind, one.size) for one in made]
    assert kinds == [
        *[("vanish", 1.0), ("vanish", 1.0)],
        *[("drift", 2.0), ("unit", 1000.0), ("swap", 1.0)],
    ]
    assert made[1].words == "without lab from day 2025 on"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"where": "site"}, "write COLUMN=VALUE"),
        ({"where": "site=north"}, "name what fails"),
        ({"unit": ["a"]}, "COLUMN=FACTOR"),
        ({"unit": ["a=x"]}, "use a number"),
        ({"swap": ["a"]}, "the two that change"),
        ({"source": ["a,b"]}, "NAME=COLUMN"),
        ({"missing": ["a"], "share": 2.0}, "share is 2"),
        ({"missing": ["a"], "share": 0.0}, "share is 0"),
        ({"drift": ["a=nan"]}, "use a number"),
        ({"unit": ["a=inf"]}, "use a number"),
        ({"freeze": ["a=1"]}, "name columns only"),
    ],
)
def test_what_cannot_be_meant_ends_in_one_sentence(words, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        parse_outages(words)


def test_names_may_hold_commas_in_quotes_and_equals_signs():
    made, _ = parse_outages({"missing": ['"a,b", c'], "drift": ["p=q=2"]})
    assert [one.columns for one in made] == [("a,b", "c"), ("p=q",)]
    assert made[1].size == 2
    assert parse_costs(["p=q=3"]) == {"p=q": 3.0}
    with pytest.raises(InvalidInput, match="COLUMN=NUMBER"):
        parse_costs(["p"])


def test_an_unknown_kind_is_refused():
    with pytest.raises(UnknownName, match="did you mean 'freeze'"):
        Outage(("a",), "frieze")


def test_a_name_a_size_and_the_rows_are_in_the_words():
    """Two outages with the same words would be priced as one."""
    made, _ = parse_outages(
        {"source": ["lab=a,b"], "drift": ["a=1", "a=3"], "where": "site=north"}
    )
    assert [one.words for one in made] == [
        "without lab where site is north",
        "a drifting by 1 standard deviation where site is north",
        "a drifting by 3 standard deviations where site is north",
    ]
    assert "0.1 % of the rows" in Outage(("a",), share=0.001).words


def test_found_blocks_fail_in_the_named_rows_and_are_told(rows):
    X, y, *_ = rows
    gone = np.arange(len(X)) % 5 == 0
    table = X.assign(a=X["a"].mask(gone), b=X["b"].mask(gone), y=y)
    how = {"models": ["logistic-regression"], "imputers": ["mean"], "repeats": 1}
    seen = look(table, "y", blocks={"where": ("site", "north")}, **how)
    assert seen.extra["losses"][0]["outage"] == "without a and b where site is north"
    texts = " ".join(one["text"] for one in seen.caveats)
    assert "Columns that were missing together in the file: a, b" in texts
    none = look(X.assign(y=y), "y", missing=["a"], blocks=True, **how)
    assert "together in the file: none" in " ".join(c["text"] for c in none.caveats)


def test_every_pair_counts_whatever_the_order_of_its_columns():
    """Pairs are lost in one order and prices come in another; none may be missed."""
    rng = np.random.default_rng(4)
    n = 400
    source, other = rng.normal(size=(2, n))
    X = pd.DataFrame(
        {
            "u": source + 0.5 * rng.normal(size=n),
            "v": source + 0.5 * rng.normal(size=n),
            "w": other,
            "x": rng.normal(size=n),
        }
    )
    y = (1.2 * source + 0.5 * other + rng.logistic(size=n) > 0).astype(int)
    how = {"models": ["logistic-regression"], "imputers": ["mean"], "repeats": 1}
    for columns in itertools.islice(itertools.permutations(X.columns), 4):
        seen = look(X[list(columns)].assign(y=y), "y", protect=0.12, **how)
        found = {frozenset((p["left"], p["right"])) for p in seen.extra["pairs"]}
        assert found == {frozenset(p) for p in itertools.combinations("uvwx", 2)}
        assert {"u", "v"} & set(seen.extra["backup"])


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("y", "is the target"), ("day", "--keep day"), ("dya", "there are")],
)
def test_what_is_no_feature_is_called_what_it_is(rows, name, sentence):
    X, y, *_ = rows
    with pytest.raises((InvalidInput, UnknownName), match=sentence):
        look(X.assign(y=y), "y", missing=[name], models=["logistic-regression"])


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (0.9, "Without a backup, any one or two columns may fail at a loss of at most"),
        (0.0, "Every column needs a backup for a loss of at most 0 AUC."),
    ],
)
def test_nothing_and_everything_are_backups_too(rows, limit, words):
    X, y, *_ = rows
    how = {"models": ["logistic-regression"], "imputers": ["mean"], "repeats": 2}
    seen = look(X[["a", "b"]].assign(y=y), "y", protect=limit, **how)
    [told] = [c["text"] for c in seen.caveats if c["kind"] == "protect"]
    assert told.startswith(words)


def test_a_loss_without_an_interval_is_backed_up():
    alone = pd.DataFrame({"column": ["a", "b"], "loss": 0.0, "high": [np.nan, 0.01]})
    assert cheapest_backup(alone, pd.DataFrame(), 0.05) == ["a"]
