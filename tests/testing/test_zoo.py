"""The zoo: every fault is made as said, and its twin lacks it."""

from __future__ import annotations

import pandas as pd
import pytest

from caveat.exceptions import UnknownName
from caveat.testing import zoo
from caveat.testing.planted._faults import FAULTS


def test_there_are_at_least_twenty_faults_in_several_strengths_and_sizes():
    sizes = {len(fault.rows) * len(fault.strengths) for fault in FAULTS.values()}
    assert len(FAULTS) >= 20
    assert max(sizes) > 4


@pytest.mark.parametrize("name", FAULTS)
def test_a_case_names_what_it_holds(name):
    case = next(zoo([name]))
    assert isinstance(case.table, pd.DataFrame)
    assert isinstance(case.twin, pd.DataFrame)
    assert case.kind == FAULTS[name].kind
    assert {case.target, *case.columns} <= set(case.table.columns)
    assert all(0 <= row < len(case.table) for row in case.rows)
    assert "test" in case.options or not case.table.equals(case.twin)


def test_the_same_seed_makes_the_same_tables_and_another_seed_others():
    one, same, other = (next(zoo(["group"], seed=seed)) for seed in (3, 3, 4))
    pd.testing.assert_frame_equal(one.table, same.table)
    assert not one.table.equals(other.table)


def test_kinds_are_faults_or_caveats_and_others_are_refused():
    assert {case.kind for case in zoo(["time"])} == {"time"}
    with pytest.raises(UnknownName, match="leek"):
        next(zoo(["leek"]))
