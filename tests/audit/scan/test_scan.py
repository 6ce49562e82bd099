"""The scan finds what was planted, names it, and is quiet where nothing was."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from caveat.audit.scan import Scan, scan
from caveat.audit.scan._single_question import interval
from caveat.audit.scan._target import target_of
from caveat.datasets import from_frame
from caveat.exceptions import InvalidInput, UnknownName


@pytest.fixture
def clean() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    table = pd.DataFrame(rng.normal(size=(400, 5)), columns=list("abcde"))
    table["age"] = rng.integers(18, 80, 400)
    table["town"] = rng.choice(list("uvwxyz"), 400)
    odds = 1.5 * table["a"] - table["b"] + 0.02 * (table["age"] - 50)
    table["y"] = (rng.random(400) < 1 / (1 + np.exp(-odds))).astype(int)
    return table


def scanned(table: pd.DataFrame, **options: object) -> Scan:
    return scan(from_frame(table, "y"), **options)  # type: ignore[arg-type]


def first(table: pd.DataFrame, **options: object) -> tuple[str, str, tuple[str, ...]]:
    found = scanned(table, **options).findings[0]
    return found.kind, found.severity, found.columns


@pytest.mark.thorough
def test_a_clean_table_is_let_be(clean):
    assert all(one.severity == "note" for one in scanned(clean).findings)


def test_an_integer_that_counts_the_target_is_a_leak(clean):
    rng = np.random.default_rng(1)
    clean["bill"] = 90 * clean["y"] + rng.integers(0, 30, 400)
    assert first(clean) == ("leak", "serious", ("bill",))


def test_two_columns_that_add_up_to_the_target_are_a_pair(clean):
    rng = np.random.default_rng(2)
    clean["casual"] = rng.poisson(30, 400)
    clean["registered"] = rng.poisson(80, 400)
    clean["y"] = clean["casual"] + clean["registered"]
    kind, severity, columns = first(clean)
    assert (kind, severity) == ("pair-leak", "serious")
    assert set(columns) == {"casual", "registered"}


def test_gaps_that_follow_the_target_are_named(clean):
    clean.loc[clean["y"] == 1, "e"] = np.nan
    clean.loc[::17, "e"] = 0.0
    assert first(clean) == ("missing-leak", "serious", ("e",))


def test_cases_first_is_a_finding(clean):
    table = clean.sort_values("y", ignore_index=True)
    assert first(table)[0] == "row-order"


@pytest.mark.thorough
@pytest.mark.parametrize("form", ["{0}{1:05d}", "{1:05d}{0}", "x-{1}-{0}"])
def test_names_of_rows_that_are_lettered_by_class_are_a_finding(clean, form):
    rng = np.random.default_rng(11)
    number, letter = rng.permutation(400), np.where(clean["y"] == 1, "C", "H")
    named = [form.format(a, n) for a, n in zip(letter, number, strict=True)]
    kind, severity, columns = first(clean.assign(ref=named))
    assert kind in ("row-order", "leak")
    assert (severity, columns) == ("serious", ("ref",))
    mixed = clean.assign(ref=rng.permutation(named))
    assert all(one.severity == "note" for one in scanned(mixed).findings)


@pytest.mark.thorough
def test_rows_of_one_person_are_near_copies_though_no_column_names_them(clean):
    rng = np.random.default_rng(12)
    person = np.repeat(np.arange(100), 4)
    rows = rng.normal(size=(100, 5))[person] + 0.15 * rng.normal(size=(400, 5))
    clean[list("abcde")] = rows
    clean["age"] = rng.integers(18, 80, 400)
    clean["y"] = rng.integers(0, 2, 100)[person]
    found = {one.kind: one for one in scanned(clean).findings}
    assert found["near-duplicate"].severity in ("careful", "serious")


def test_a_column_of_few_repeats_is_a_group_by_its_identity(clean):
    rng = np.random.default_rng(3)
    patient = rng.integers(0, 40, 400)
    clean["patient"] = patient
    clean["a"] = rng.normal(size=40)[patient] + 0.3 * clean["a"]
    clean["b"] = rng.normal(size=40)[patient] + 0.3 * clean["b"]
    clean["y"] = (rng.random(40) < 0.5).astype(int)[patient]
    assert first(clean) == ("group", "serious", ("patient",))


@pytest.mark.thorough
def test_an_age_is_no_group_since_its_order_tells_as_much(clean):
    rng = np.random.default_rng(4)
    clean["y"] = (rng.random(400) < clean["age"] / 100).astype(int)
    assert not [one for one in scanned(clean).findings if one.kind == "group"]


def test_copied_rows_are_counted_and_numbered(clean):
    table = pd.concat([clean, clean.iloc[:60]], ignore_index=True)
    found = scanned(table).findings[0]
    assert (found.kind, found.severity) == ("duplicate", "serious")
    assert found.rows[:2] == (0, 1)


def test_every_column_is_in_the_table_even_a_constant(clean):
    clean["same"] = 1
    clean["none"] = np.nan
    found = scanned(clean).columns
    assert set(found["column"]) == set(clean.columns) - {"y"}
    assert list(found.columns) == (
        ["column", "kind", "alone", "low", "high", "null_high", "measure", "note"]
    )


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_scan(clean):
    one, two = scanned(clean, seed=3), scanned(clean, seed=3)
    assert one.findings == two.findings
    pd.testing.assert_frame_equal(one.columns, two.columns)


def test_the_floor_pays_for_looking_at_every_column(clean):
    rng = np.random.default_rng(5)
    clean["y"] = rng.permutation(clean["y"])
    floor = scanned(clean).floor
    assert floor.p_value > 0.05
    assert floor.low <= floor.value <= floor.high


@pytest.mark.thorough
def test_a_test_table_that_moved_is_named(clean):
    moved = clean.assign(c=clean["c"] + 1.5)
    found = scanned(clean, test=from_frame(moved, "y")).findings[0]
    assert (found.kind, found.columns) == ("drift", ("c",))


@pytest.mark.thorough
@pytest.mark.parametrize("rows", [None, 10])
def test_columns_that_only_the_test_table_has_are_named(clean, rows):
    more = clean.assign(new=1).iloc[:rows]
    found = scanned(clean, test=from_frame(more, "y")).findings
    told = [one.sentence for one in found if one.kind == "drift"]
    assert told == ["Only the test rows have 'new'; left out."]


def test_a_role_needs_a_column_and_a_scan_one_target(clean):
    with pytest.raises(UnknownName, match="nobody"):
        scanned(clean, groups="nobody")
    several = from_frame(clean.assign(z=clean["y"]), targets=["y", "z"])
    with pytest.raises(InvalidInput, match="one target"):
        scan(several)


def kinds(table: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    found = scanned(table).findings
    return {one.kind: one.columns for one in found if one.severity != "note"}


@pytest.mark.parametrize("form", ["unix", "compact", "month", "day first", "year"])
def test_a_trend_is_found_however_moments_are_written(clean, form):
    rng = np.random.default_rng(9)
    order = np.argsort(clean["y"] + rng.normal(size=400) * 0.4)
    table = clean.iloc[order].reset_index(drop=True)
    days = pd.Timestamp("2012-03-01") + pd.to_timedelta(np.arange(400) * 9, unit="D")
    written = {
        "unix": days.to_numpy().astype("datetime64[s]").astype("int64"),
        "compact": days.strftime("%Y%m%d").astype(int),
        "month": days.strftime("%Y-%m"),
        "day first": days.strftime("%d.%m.%Y"),
        "year": days.year,
    }
    name = {"unix": "created_at", "year": "year"}.get(form, "seen")
    mixed = table.assign(**{name: written[form]}).sample(frac=1, random_state=0)
    assert kinds(mixed.reset_index(drop=True))["time"] == (name,)


def test_the_time_between_two_dates_can_be_a_leak(clean):
    rng = np.random.default_rng(10)
    start = pd.Timestamp("2020-01-01") + pd.to_timedelta(
        rng.integers(0, 900, 400), unit="D"
    )
    stay = np.where(clean["y"] == 1, rng.integers(1, 9, 400), rng.integers(9, 40, 400))
    clean["came"] = start.strftime("%Y-%m-%d")
    clean["left"] = (start + pd.to_timedelta(stay, unit="D")).strftime("%Y-%m-%d")
    assert first(clean) == ("pair-leak", "serious", ("came", "left"))


@pytest.mark.thorough
def test_codes_of_a_class_are_a_leak_and_no_group(clean):
    rng = np.random.default_rng(11)
    codes = rng.permutation(np.arange(100, 140))
    clean["icd"] = codes[20 * clean["y"] + rng.integers(0, 20, 400)]
    assert kinds(clean) == {"leak": ("icd",)}
    cells = rng.normal(5, 2, 400).round(1).astype(str)
    clean["icd"] = np.where(clean["y"] == 1, cells, "n/d")
    assert kinds(clean) == {"leak": ("icd",)}


@pytest.mark.thorough
def test_amounts_that_are_often_zero_have_a_long_tail_and_no_outliers(clean):
    rng = np.random.default_rng(12)
    paid = np.exp(rng.normal(3, 1, 400)).round(2)
    clean["paid"] = np.where(rng.random(400) < 0.5, paid, 0.0)
    assert kinds(clean) == {}
    clean.loc[[5, 9], "paid"] = 1e7
    assert kinds(clean) == {"outlier": ("paid",)}


def test_one_large_number_is_no_change_over_time(clean):
    rng = np.random.default_rng(13)
    clean["y"] = np.exp(2 * clean["a"] + rng.normal(size=400) * 0.5)
    clean.loc[350, ["a", "y"]] = 4.0, 60_000.0
    assert "time" not in kinds(clean)


def test_shuffled_numbers_are_told_as_chance(clean):
    rng = np.random.default_rng(14)
    clean["y"] = rng.permutation(5 + clean["a"] + rng.normal(size=400))
    assert kinds(clean) == {"chance": ()}


@pytest.mark.thorough
def test_a_flag_that_leaves_half_open_is_no_label_error(clean):
    rng = np.random.default_rng(15)
    clean["flag"] = rng.integers(0, 2, 400)
    clean["y"] = (rng.random(400) < np.where(clean["flag"] == 1, 0.99, 0.5)).astype(int)
    assert "label-error" not in kinds(clean)


@pytest.mark.thorough
def test_a_pair_is_no_more_than_its_better_column(clean):
    rng = np.random.default_rng(16)
    clean["y"] = rng.integers(0, 15, 400)
    clean["hint"] = 100 + 7 * clean["y"] % 15
    assert kinds(clean) == {"leak": ("hint",)}


@pytest.mark.thorough
@pytest.mark.parametrize("form", ["counts", "skewed"])
def test_a_strong_column_without_a_valley_is_no_leak(clean, form):
    rng = np.random.default_rng(17)
    cells = rng.poisson(20, 400) if form == "counts" else rng.exponential(1, 400)
    odds = cells - 20 if form == "counts" else 4 * np.log(cells + 0.05) + 1.5
    clean["strong"] = cells
    clean["y"] = (rng.random(400) < 1 / (1 + np.exp(-odds))).astype(int)
    assert "leak" not in kinds(clean)


def test_a_table_that_was_written_thrice_has_copies_and_no_groups(clean):
    thrice = pd.concat([clean] * 3).sample(frac=1, random_state=0)
    assert kinds(thrice.reset_index(drop=True)) == {"duplicate": ()}


def test_reviews_that_tell_the_target_are_no_order_of_rows(clean):
    rng = np.random.default_rng(18)
    said = np.where(clean["y"] == 1, "never again", "great service")
    said = np.where(rng.random(400) < 0.1, said[::-1], said)
    texts = [f"{words}, {n} stars" for words, n in zip(said, range(400), strict=True)]
    assert "row-order" not in kinds(clean.assign(review=texts))


def test_letters_of_names_are_told_once_and_not_as_an_order(clean):
    rng = np.random.default_rng(19)
    letter = np.where(clean["y"] == 1, "C", "H")
    named = [f"{a}{n}" for a, n in zip(letter, rng.permutation(400), strict=True)]
    (found,) = [one for one in scanned(clean.assign(ref=named)).findings if one.columns]
    assert found.sentence.startswith("The letters of 'ref' tell the target: AUC 1.000")
    assert "sorted" not in found.sentence + found.fix
    parted = [f"{name[0]}-{name[1:]}" for name in named]
    told = [o for o in scanned(clean.assign(ref=parted)).findings if o.columns]
    assert [one.kind for one in told] == ["leak"]
    assert told[0].sentence.startswith("The words of 'ref' alone tell the target")


def test_a_date_that_is_filled_in_for_one_class_is_a_gap_and_no_trend(clean):
    days = pd.date_range("2024-01-01", periods=400, freq="7h").strftime("%Y-%m-%d")
    found = kinds(clean.assign(closed=np.where(clean["y"] == 1, days, None)))
    assert found == {"missing-leak": ("closed",)}


def test_no_interval_of_an_auc_ends_beyond_1(clean):
    for ones in range(5, 200):
        codes = (np.arange(400) < ones).astype(int)
        target = target_of(pd.Series(codes), "binary")
        for value in (1.0, np.nextafter(1.0, 0)):
            assert interval(value, target)[1] <= 1


def test_amounts_with_a_few_wrong_units_are_outliers_and_no_chance(clean):
    rng = np.random.default_rng(20)
    clean["y"] = 200 + 30 * clean["a"] + 10 * rng.normal(size=400)
    wrong = [3, 50, 120, 260, 390]
    clean.loc[wrong, "y"] *= 50
    (found,) = [one for one in scanned(clean).findings if one.severity != "note"]
    assert (found.kind, found.rows) == ("outlier", tuple(wrong))
    assert "5 rows hold a value far outside the rest of the target" in found.sentence
