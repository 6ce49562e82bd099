"""Claims: what each kind says where its evidence is strong, weak or missing."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.pages import claims
from caveat.pages.claims import Estimate


def score(value, low=None, high=None, n=10):
    return Estimate(value, "AUC", low, high, "10 folds", n)


@pytest.mark.parametrize(
    ("low", "high", "standing", "word"),
    [
        (0.70, 0.90, "above", "above"),
        (0.45, 0.60, "at", "cannot be told"),
        (0.20, 0.40, "below", "below"),
        (None, None, "open", "not measured"),
    ],
)
def test_the_interval_decides_where_a_score_stands_beside_its_floor(
    low, high, standing, word
):
    floor = Estimate(0.5, "AUC")
    claim = claims.AgainstFloor("a model", score(0.5, low, high), floor, "chance")
    assert claim.standing == standing
    assert word in str(claim.words)
    assert claim.may_lead == (low is not None)


def test_a_floor_with_a_band_is_passed_as_a_whole_or_not_at_all():
    floor = Estimate(0.5, "AUC", 0.4, 0.6)
    claim = claims.AgainstFloor("a model", score(0.7, 0.55, 0.8), floor, "chance")
    assert claim.standing == "at"


def test_smaller_is_better_turns_the_standing():
    floor = Estimate(2.0, "RMSE")
    low = claims.AgainstFloor("a model", score(1, 0.9, 1.1), floor, "mean", sign=-1)
    assert low.standing == "above"
    assert "better than the 2.00 of mean" in str(low.words)
    assert "above" not in f"{low.words} {low.short} {low.headed}"
    high = replace(low, score=score(3, 2.9, 3.1))
    assert "stays worse than the 2.00 of mean" in str(high.words)


@pytest.mark.parametrize("ends", [(0.70, 0.90), (0.45, 0.60), (0.2, 0.4), ()])
def test_the_number_of_a_floor_stands_before_its_name(ends):
    """A name may end in a clause that the number would seem to belong to."""
    name = "popularity, which looks at no feature"
    parts = ("a model", score(0.5, *ends), Estimate(0.5, "AUC"), name)
    assert f" the 0.50 of {name}" in str(claims.AgainstFloor(*parts).words)


def test_a_floor_has_the_digits_of_the_score_beside_it():
    parts = ("a model", score(0.043, 0.001, 0.09), Estimate(0.002, "ECE"), "chance")
    claim = claims.AgainstFloor(*parts)
    assert str(claim.short).endswith("0.043\u00a0AUC and 0.002.")
    assert Estimate(0.002).text == "0.002"


def test_digits_that_are_given_are_taken():
    one = Estimate(0.9927, "AUC", 0.0004, 1.0, "2 repeats", 2)
    given = replace(one, digits=2)
    assert (given.text, given.interval) == ("0.99", "0.00 to 1.00")


def test_a_p_value_decides_in_place_of_the_interval():
    parts = ("clusters", score(0.6, 0.55, 0.65), Estimate(0.5, "AUC"), "shuffles")
    assert claims.AgainstFloor(*parts, p_value=0.2).standing == "at"
    assert claims.AgainstFloor(*parts, p_value=0.01).standing == "above"


def test_whoever_is_ahead_is_named_first_with_a_positive_difference():
    claim = claims.Comparison("a", "b", score(-0.1, -0.15, -0.05), "paired t")
    assert str(claim.words) == ("B leads a by 0.10\u00a0AUC (0.05 to 0.15); paired t.")
    assert claim.may_lead


def test_a_difference_that_may_be_nothing_leads_nobody():
    claim = claims.Comparison("a", "b", score(0.1, -0.05, 0.25), "paired t")
    assert "cannot be told apart" in str(claim.words)
    assert "leads" not in str(claim.words) + str(claim.short)
    assert not claim.may_lead


def test_corrections_are_told():
    claim = claims.Comparison("a", "b", score(0.1, 0.05, 0.2), "t", corrected_for=6)
    assert "corrected for 6 comparisons" in str(claim.words)


@pytest.mark.parametrize(
    ("low", "high", "tolerance", "said"),
    [
        (-0.01, 0.03, 0.05, "no loss of lightgbm is seen"),
        (-0.01, 0.03, 0.01, "whether lightgbm loses cannot be told at this size"),
        (-0.01, 0.03, 0.0, "whether lightgbm loses cannot be told at this size"),
        (-0.03, -0.01, 0.0, "no loss of lightgbm is seen"),
        (0.0, 0.0, 0.0, "no loss of lightgbm is seen"),
        (None, None, 0.05, "whether lightgbm loses cannot be told at this size"),
        (0.01, 0.03, 0.05, "lightgbm loses 0.01"),
    ],
)
def test_a_loss_is_none_only_if_its_interval_holds_none(low, high, tolerance, said):
    before, after = score(0.9, 0.88, 0.92), score(0.89, 0.86, 0.92)
    value = 0.01 if not low or high > 0.01 else low + high
    loss = Estimate(value, "AUC", low, high, "rows", 100)
    claim = claims.Loss("lightgbm", "`a`", before, after, loss, tolerance=tolerance)
    assert f"ithout `a`, {said}" in str(claim.words).replace("\xa0", " ")
    assert said.split(" 0.01")[0] in str(claim.short)
    assert claim.may_lead == bool(low and low > 0)


def test_before_and_after_reach_the_json():
    before, after = score(0.97, 0.96, 0.98), score(0.71, 0.66, 0.76)
    change = Estimate(-0.26, "AUC", -0.3, -0.2, "10 folds", 10)
    claim = claims.Remedy("without `leak`", before, after, change, severity="serious")
    found = claim.to_dict()
    assert found["before"] == {"value": 0.97, "low": 0.96, "high": 0.98}
    assert found["number"] == found["after"]["value"] == 0.71


def test_an_agreement_says_its_power():
    claim = claims.Agreement("cells of the table", 78, 80, 0.42)
    assert "42\u00a0%" in str(claim.words)


def test_what_was_not_seen_says_what_would_have_been():
    claim = claims.Absence("a leak", score(0.51, 0.48, 0.54), smallest_seen=0.08)
    assert "an effect of 0.08 would have been seen" in str(claim.words)


numbers = st.floats(0.0, 1.0)


@given(numbers, numbers, numbers)
def test_digits_follow_the_interval_and_never_hide_its_ends(value, one, other):
    low, high = sorted((one, other))
    known = Estimate(value, "AUC", low, high, "folds", 5)
    if high - low > 2 * 0.0005:
        first, last = known.interval.split(" to ")
        assert first != last
    assert abs(float(known.text) - value) <= 0.5 * 10**-known.places + 1e-9


@given(st.lists(numbers, min_size=1, max_size=3))
def test_nothing_leads_without_an_interval(values):
    made = [
        claims.Value("it", Estimate(value, "AUC", n=len(values))) for value in values
    ]
    assert not any(claim.may_lead for claim in made)


def test_one_fold_never_leads():
    assert not Estimate(0.9, "AUC", 0.8, 0.95, "one fold", 1).may_lead
    assert not Estimate(math.nan, "AUC", 0.8, 0.95, "folds", 5).may_lead


@pytest.mark.parametrize(
    ("value", "low", "high", "shown"),
    [
        (0.0334, 0.0021, 0.0702, "0.033 (0.002 to 0.070)"),  # the end says why
        (0.9971, 0.944, 0.9999, "0.997 (0.944 to 1.000)"),  # not quite perfect
        (0.1, 1e-9, 0.5, "0.10 (0.00 to 0.50)"),  # four digits would not show it
        (0.02, -0.2, 0.21, "0.02 (−0.20 to 0.21)"),
    ],
)
def test_digits_carry_the_finding(value, low, high, shown):
    one = Estimate(value, "", low, high, "10 folds", 10)
    assert f"{one.text} ({one.interval})" == shown
