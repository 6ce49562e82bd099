"""A trial owns its whole process tree, whoever of it dies first."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import psutil
import pytest

from caveat.study import Ledger, run
from caveat.study.engines._process_tree import MARK, end_abandoned
from caveat.study.ledger._owner import me

pytestmark = [
    pytest.mark.fault,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps all of it"),
]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "small.ledger"


def outcome(path):
    with Ledger(path) as book:
        return book.records().trials.set_index("learner")


def left(pids, seconds=10.0):
    """Wait until processes are gone; return those that are not."""
    deadline = time.monotonic() + seconds
    alive = list(pids)
    while alive and time.monotonic() < deadline:
        alive = [pid for pid in alive if runs(pid)]
        time.sleep(0.02)
    return alive


def runs(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def started(mark, count=4):
    deadline = time.monotonic() + 60
    while not mark.exists() or len(mark.read_text().split()) < count:
        assert time.monotonic() < deadline, "the learner started nothing"
        time.sleep(0.02)
    return [int(pid) for pid in mark.read_text().split()]


@pytest.mark.parametrize(
    ("then", "state", "word"),
    [
        ("return", "done", ""),
        ("die", "crashed", "SIGSEGV"),
        ("kill the parent", "crashed", "SIGKILL"),
    ],
)
def test_what_a_trial_started_ends_with_it(
    fake_study, path, tmp_path, then, state, word
):
    mark = tmp_path / "pids"
    study = fake_study(
        learners=[{"name": "leaves-processes", "mark": str(mark), "then": then}],
        scenario={},
        repeats=1,
    )
    assert run(study, path, "serial").states == {state: 1}
    assert word in (outcome(path).loc["leaves-processes", "message"] or "")
    pids = started(mark)
    if then == "kill the parent":
        # Without guardian and environment nothing tells whose the last one is.
        bare = pids[3::4]
        pids = [pid for pid in pids if pid not in bare]
        for pid in bare:
            os.kill(pid, signal.SIGKILL)
    assert left(pids) == []


def test_what_a_trial_started_ends_at_its_limit(fake_study, tmp_path):
    for seconds in (3, 12, 48):
        mark, path = tmp_path / f"{seconds}-pids", tmp_path / f"{seconds}.ledger"
        study = fake_study(
            learners=[{"name": "leaves-processes", "mark": str(mark), "then": "hang"}],
            scenario={},
            repeats=1,
            budget={"trial-minutes": seconds / 60},
        )
        assert run(study, path, "serial").states == {"timeout": 1}
        told = outcome(path).loc["leaves-processes", "message"]
        assert f"over {seconds} s" in told
        if mark.exists() and len(mark.read_text().split()) == 4:
            break  # A slow machine may reach the limit before all four had begun.
    assert left(started(mark)) == []


@pytest.mark.parametrize("victims", ["runner", "worker and runner"])
def test_nothing_is_left_of_a_runner_that_was_killed(
    fake_study, path, tmp_path, victims
):
    mark = tmp_path / "pids"
    learner = {"name": "leaves-processes", "mark": str(mark), "then": "hang"}
    runner = start(fake_study(learners=[learner], scenario={}, repeats=1), path)
    pids = started(mark)
    family = psutil.Process(runner.pid).children(recursive=True)
    pids += [process.pid for process in family]
    guardian, worker = family[:2]
    assert worker.ppid() == guardian.pid
    if victims == "worker and runner":
        worker.kill()
    runner.kill()
    runner.wait()
    assert left(pids) == []


def start(study, path):
    script = f"""
        import sys
        sys.path[:0] = {sys.path!r}
        from caveat.study import run
        run({study!r}, {str(path)!r}, "serial")
        """
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)])


def test_what_outlived_runner_and_guardian_is_ended_by_the_next_runner():
    somebody, _, _ = me().rpartition("|")
    marks = [f"{somebody}|1|token", f"{me()}|token"]
    lost, kept = (
        subprocess.Popen(["sleep", "9999"], env={**os.environ, MARK: mark})
        for mark in marks
    )
    end_abandoned()
    assert lost.wait() == -signal.SIGKILL
    assert kept.poll() is None
    kept.kill()
    kept.wait()


def test_the_next_runner_ends_what_is_below_a_guardian_before_the_guardian():
    """Else a process without an environment would be nobody's."""
    somebody, _, _ = me().rpartition("|")
    bare = "import subprocess as s; print(s.Popen(['sleep', '9999'], env={}).pid)"
    guardian = subprocess.Popen(
        [sys.executable, "-uc", f"{bare}; import time; time.sleep(9999)"],
        env={**os.environ, MARK: f"{somebody}|1|token"},
        stdout=subprocess.PIPE,
    )
    child = int(guardian.stdout.readline())
    end_abandoned()
    assert guardian.wait() == -signal.SIGKILL
    guardian.stdout.close()
    assert left([child]) == []


def test_a_worker_is_seen_to_die_whatever_becomes_of_its_pipes(fake_study, path):
    learners = ["dies-beside-a-child", "closes-everything", "fake"]
    study = fake_study(learners=learners, scenario={}, repeats=1)
    assert run(study, path, "serial").states == {"crashed": 2, "done": 1}
    trials = outcome(path)
    assert "exit code 7" in trials.loc["dies-beside-a-child", "message"]
    assert "Bad file descriptor" in trials.loc["closes-everything", "frames"]


def test_a_learner_that_writes_into_the_workers_socket_ends_its_trial_only(
    fake_study, path
):
    learners = ["writes-everywhere", "fake"]
    study = fake_study(learners=learners, scenario={}, repeats=1)
    assert run(study, path, "serial").states == {"crashed": 1, "done": 1}
    assert "cannot be read" in outcome(path).loc["writes-everywhere", "message"]


def test_neither_threads_nor_forks_that_return_disturb_the_next_trial(fake_study, path):
    study = fake_study(
        learners=["leaves-thread", "forks-and-returns-twice", "fake"],
        scenario={},
        repeats=2,
    )
    assert run(study, path, "processes", jobs=2).states == {"done": 6}


def test_what_a_trial_prints_is_capped_and_its_last_words_are_kept(fake_study, path):
    study = fake_study(learners=["prints-without-end"], scenario={}, repeats=1)
    assert run(study, path, "serial").states == {"crashed": 1}
    assert "the last word" in outcome(path).loc["prints-without-end", "frames"]
    assert len(outcome(path).loc["prints-without-end", "frames"]) < 3_000


def test_memory_is_that_of_the_whole_tree(fake_study, path):
    study = fake_study(
        learners=["lets-a-child-eat"],
        scenario={},
        repeats=1,
        budget={"trial-memory": "900MB"},
    )
    assert run(study, path, "serial").states == {"oom": 1}
    assert outcome(path).loc["lets-a-child-eat", "rss"] > 900e6


def test_memory_that_processes_share_counts_once(fake_study, path):
    """Five processes see the same 200 MB: 1 GB if every one were counted whole."""
    study = fake_study(
        learners=["shares-memory"],
        scenario={},
        repeats=1,
        budget={"trial-memory": "800MB"},
    )
    assert run(study, path, "serial").states == {"done": 1}
