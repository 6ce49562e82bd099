"""Every operation may be the one that fails: nothing lost, doubled or half written.

A spread of operations here; all of them, as one table, by
``python benchmarks/every_operation.py``, and by the tests that are marked slow.
"""

import errno
import logging

import pytest
from injection import Injector, raw_bytes
from sweep import count, spread, sweep
from works import WORKS

PAIRS = [(work, kind) for work in WORKS for kind in work.kinds]
# Workers are dear to start: what else fails around them is for the slow tests.
FEW = [
    (work, kind)
    for work, kind in PAIRS
    if work.name != "study, processes"
    and (work.name != "study, serial" or kind == "process")
]


@pytest.fixture(autouse=True)
def _without_warnings():
    """Say nothing of what is found broken: it is broken on purpose."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def troubles(work, kind, most):
    total, wanted = count(work, kind)
    endings = list(sweep(work, kind, spread(total, most), wanted))
    return [ending for ending in endings if ending.trouble]


@pytest.mark.fault
@pytest.mark.parametrize(
    ("work", "kind"), FEW, ids=[f"{work.name}-{kind}" for work, kind in FEW]
)
def test_a_fault_is_told_or_outlived_and_the_work_can_be_done_again(work, kind):
    assert troubles(work, kind, 2 if work.name == "study, serial" else 4) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "kind"), PAIRS, ids=[f"{work.name}-{kind}" for work, kind in PAIRS]
)
def test_every_single_fault_is_told_or_outlived(work, kind):
    # Looks at the processes that run are thousands, and do not differ.
    assert troubles(work, kind, 30 if kind == "look" else 10**6) == []


def test_the_harness_lets_exactly_the_named_operation_fail(tmp_path):
    """Open, write and open again, read: the operation with the number fails."""
    path = tmp_path / "a"

    def act():
        with open(path, "wb") as file:
            file.write(b"content")
        return path.read_bytes()

    with Injector("file").on() as counting:
        assert act() == b"content"
    expected = ["open", "write", "open", "read"]
    assert counting.count == len(expected)
    for n, name in enumerate(expected, 1):
        with (
            Injector("file", n).on() as injector,
            pytest.raises(OSError, match="Errno") as caught,
        ):
            act()
        assert injector.fired == name
        assert caught.value.errno in (errno.EIO, errno.ENOSPC, errno.EMFILE)
    assert act() == raw_bytes(path) == b"content"


def test_the_harness_finds_a_writer_that_is_not_careful(tmp_path):
    """A file that is written in place is half there when its second write fails."""

    class Careless:
        name, kinds = "careless", ("file",)

        def prepare(self, folder):
            (folder / "a").write_bytes(b"old")

        def act(self, folder):
            with open(folder / "a", "wb", buffering=0) as file:
                for part in (b"one", b"two"):
                    file.write(part)
            return raw_bytes(folder / "a")

        def look(self, folder, failed):
            assert (folder / "a").read_bytes() in (b"old", b"onetwo")

    found = troubles(Careless(), "file", 10)
    assert [(ending.n, ending.operation) for ending in found] == [
        (1, "open"),
        (2, "write"),
        (3, "write"),
    ]


def test_few_operations_are_spread_over_all():
    assert spread(3, 12) == [1, 2, 3]
    assert spread(101, 5) == [1, 26, 51, 76, 101]
    assert spread(101, 1) == [1]
