"""What is free of a crowd is the vote: the title holds the suggestions against it."""

import numpy as np
import pandas as pd
import pytest

from caveat.candidates import look


@pytest.fixture
def crowd():
    """Four people of unlike skill name one of three kinds; the first errs least."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 200)
    table = pd.DataFrame({"item": [f"i{n}.wav" for n in range(200)]})
    for who, skill in {"a": 0.95, "b": 0.6, "c": 0.6, "d": 0.6}.items():
        guess = rng.integers(0, 3, 200)
        table[who] = np.where(rng.random(200) < skill, truth, guess)
        table[who] = table[who].map({0: "x", 1: "y", 2: "z"})
    return table.assign(kind=pd.Series(truth).map({0: "x", 1: "y", 2: "z"}))


def right_by_vote(table):
    """Give the least and the most of the vote, however it breaks its ties."""
    named = table[list("abcd")].mode(axis=1)
    hit = named.eq(table["kind"], axis=0).any(axis=1)
    return (hit & named[1].isna()).mean(), hit.mean()


def test_with_truth_the_title_has_the_vote_as_floor_and_an_interval(crowd):
    seen = look(crowd, annotators=list("abcd"), truth="kind")
    least, most = right_by_vote(crowd)
    assert least <= seen.facts["floor"] <= most
    assert "the majority vote" in seen.title
    assert f"({seen.facts['low']:.2f} to {seen.facts['high']:.2f})" in seen.title
    assert "paired score test over 200 items" in str(seen.lede)


def test_without_truth_it_is_the_vote_by_answers_that_were_left_out(crowd):
    seen = look(crowd.drop(columns="kind"), annotators=list("abcd"))
    assert "the majority vote cannot be told apart" in seen.title
    assert "the most frequent label" not in seen.title
    assert "agreement with left-out answers" in str(seen.lede)
