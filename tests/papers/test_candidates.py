"""What the page on candidate labels computes besides its tables."""

import numpy as np
import pandas as pd
import pytest

from papers.candidates import images, theorem
from papers.candidates.power import agreements
from papers.candidates.tables import LOST, ROWS


@pytest.mark.thorough
def test_a_wrong_algorithm_agrees_more_often_by_the_old_rule():
    found = agreements(pd.read_csv(ROWS), LOST)
    wrong = found[~found["same"]]
    assert wrong["plain"].mean() > 0.5
    assert wrong["paired"].mean() < wrong["plain"].mean()


def test_the_theorem_holds_where_it_says_and_the_table_is_of_its_script(monkeypatch):
    table = pd.read_csv(theorem.OUT)
    assert (np.abs(table["gap"] / table["error"])[table["holds"]] < 4).all()
    monkeypatch.setattr(theorem, "REPEATS", 3)
    monkeypatch.setattr(theorem, "ITEMS", 2000)
    again = theorem.simulate()
    apart = np.abs(again["gap"] - table["gap"])
    # Five standard errors of three draws of half the size.
    assert (apart < 5 * table["error"] * np.sqrt(40 / 3 * 2)).all()


def test_wilsons_interval_is_the_one_of_the_books():
    # 81 of 263: 0.2553 to 0.3662 (Newcombe 1998).
    low, high = images.interval(81 / 263, 263)
    assert (low, high) == (
        pytest.approx(25.53, abs=0.01),
        pytest.approx(36.62, abs=0.01),
    )
