"""Score and floor are held against each other fold by fold, where they can be."""

from types import SimpleNamespace

import numpy as np
import pytest

from caveat.audit._gather import _over_floor
from caveat.audit._ladder import Step
from caveat.audit._scores import Reader, Scores
from caveat.audit.page._claims import Survives
from caveat.audit.result import Floor, Rung, Way
from caveat.pages.claims import Estimate
from caveat.statistics import bounded_interval

FLOOR = (0.70, 0.80, 0.75, 0.85, 0.65)
MODEL = (0.75, 0.84, 0.80, 0.91, 0.69)


@pytest.fixture
def reader():
    upper = np.repeat([0, 1], 50)
    table = SimpleNamespace(
        classes=("no", "yes"), upper=upper, held=np.zeros(100, bool)
    )
    return Reader(table, {}, {})


def scores(step=None, values=MODEL):
    own = {(0, fold): value for fold, value in enumerate(values)}
    # A second round has no floor to be paired with.
    return Scores(step or Step(), {"model": {**own, (1, 0): 0.5}})


def test_the_difference_is_that_of_the_folds_which_both_have(reader):
    found = reader.over_floor(scores(), FLOOR)
    gaps = np.subtract(MODEL, FLOOR)
    wanted = bounded_interval(gaps, range=(-1, 1), test_share=0.2, rows=50)
    assert found.value == pytest.approx(gaps.mean())
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))
    assert found.n == 5


def test_pairs_tell_apart_what_two_intervals_do_not(reader):
    score, floor = (reader.estimate(one, 0.2) for one in (MODEL, FLOOR))
    assert score.low < floor.high
    gap = reader.over_floor(scores(), FLOOR)
    alone = Survives("it", score, floor, "clusters", stands=score)
    paired = Survives("it", score, floor, "clusters", difference=gap, stands=score)
    assert (alone.standing, paired.standing) == ("at", "above")
    assert "5 folds, paired, the difference is" in str(paired.words)
    assert "AUC as it stands. It cannot be told from" in str(alone.short)
    assert "AUC, and it stands. 0.75 needs no learning" in str(paired.short)


def test_a_step_that_splits_rows_in_another_way_is_not_paired(reader):
    steps = [Step(), Step("leak", drop=("code",)), Step("group", groups="who")]
    one = Estimate(0.8, "AUC", 0.7, 0.9)
    rungs = tuple(Rung(step.remedy, (), one) for step in steps)
    floor = Floor((Way("clusters", "", one, FLOOR),), 0.01, 200)
    found = _over_floor(reader, [scores(step) for step in steps], rungs, floor)
    assert [rung.over_floor is not None for rung in found] == [False, False, True]


def test_a_floor_without_folds_pairs_with_nothing(reader):
    one = Estimate(0.5, "AUC", 0.5, 0.5)
    rungs = (Rung("stands", (), one),)
    floor = Floor((Way("constant", "", one),), None, 0)
    assert _over_floor(reader, [scores()], rungs, floor) == rungs
