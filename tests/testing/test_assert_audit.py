"""A table held against rules, as other people's tests do it."""

import numpy as np
import pandas as pd
import pytest

from caveat.exceptions import InvalidInput
from caveat.testing import assert_audit

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("inline")]

QUICK = {"models": ("logistic-regression",), "folds": 2, "shuffles": 5, "jobs": 1}


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    frame = pd.DataFrame(rng.normal(size=(200, 4)) + 0.5 * y[:, None])
    return frame.rename(columns="x{}".format).assign(y=y)


def test_a_table_that_holds_gives_its_look(table):
    found = assert_audit(table, "y", ["leak>0", "score<0.6"], **QUICK)
    assert found.facts["score"] > 0.6


def test_a_leak_fails_and_is_named(table):
    leaky = table.assign(paid=3 * table["y"] + 1)
    with pytest.raises(AssertionError, match=r"leak>0 fired(.|\n)*paid"):
        assert_audit(leaky, "y", ["leak>0"], **QUICK)


def test_what_is_open_fails(table, monkeypatch):
    monkeypatch.setattr("caveat.audit._run._SHORTEST_RUN", 0.0)
    with pytest.raises(AssertionError, match=r"score<0\.6 unknown"):
        assert_audit(table, "y", ["score<0.6"], minutes=1e-6, **QUICK)


def test_no_rule_is_no_test(table):
    with pytest.raises(InvalidInput, match="name at least one"):
        assert_audit(table, "y", [])
