"""A file with one thing wrong gets the right first caveat; its twin does not."""

import importlib.util
import sys
from pathlib import Path

import pytest

_PLACE = Path(__file__).with_name("planted.py")


def _planted():
    if "audit_planted" not in sys.modules:
        spec = importlib.util.spec_from_file_location("audit_planted", _PLACE)
        sys.modules["audit_planted"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["audit_planted"])
    return sys.modules["audit_planted"]


PLANTED = _planted().PLANTED
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("seed", [0, 1])
def test_what_is_planted_is_the_first_caveat(audited, name, seed):
    make, kind, column = PLANTED[name]
    found = audited(make(True, seed))
    first = found.look.caveats[0]
    assert first["kind"] == kind
    assert column in ["", *first["columns"]]
    assert first["severity"] != "note"


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_file_without_the_plant_does_not_get_it(audited, name, seed):
    make, kind, _ = PLANTED[name]
    found = audited(make(False, seed))
    told = [one for one in found.look.caveats if one["severity"] != "note"]
    assert kind not in {one["kind"] for one in told}
