import subprocess
import sys

import pytest

from caveat.exceptions import InvalidInput, LedgerError
from caveat.study import Ledger, export, plan, run, run_trial
from caveat.study._run import Event
from caveat.study.engines._worker import work


@pytest.fixture
def path(tmp_path):
    return tmp_path / "small.ledger"


def exported(path):
    with Ledger(path) as book:
        return export(book.records(), path.with_suffix(".csv")).read_bytes()


@pytest.mark.thorough
def test_all_engines_give_the_same_bytes(fake_study, tmp_path):
    files = []
    for engine, jobs in (("serial", None), ("processes", 2)):
        path = tmp_path / f"{engine}.ledger"
        summary = run(fake_study(), path, engine, jobs=jobs)
        assert summary.states == {"done": 18}
        assert summary.executed == 18
        files.append(exported(path))
    assert files[0] == files[1]


def test_a_finished_study_runs_nothing_again(fake_study, path):
    study = fake_study(learners=["fake"], scenario={})
    assert run(study, path, "inline").executed == 3
    events: list[Event] = []
    again = run(study, path, "inline", on_event=events.append)
    assert again.executed == 0
    assert [(event.done, event.total) for event in events] == [(3, 3)]
    longer = run({**study, "repeats": 5}, path, "inline")
    assert longer.executed == 2
    assert longer.orphans == 0


def test_learners_of_one_repeat_share_split_and_world(fake_study, path):
    run(fake_study(), path, "inline")
    with Ledger(path) as book:
        records = book.records()
    digests = records.digests().merge(records.trials, on="key")
    assert (digests.groupby("repeat")["split"].nunique() == 1).all()
    assert digests["split"].nunique() == 3
    worlds = digests.groupby(["repeat", "scenario.size"], observed=True)["world_x"]
    assert (worlds.nunique() == 1).all()


def test_a_trial_is_a_pure_function_of_its_spec(fake_study):
    spec = plan(fake_study())[0].spec
    assert run_trial(spec) == run_trial(spec)


def test_a_learner_that_fails_is_recorded_and_stops_nothing(fake_study, path):
    names = ["raises", "raises-oddly", "shouts", "exits", "interrupts"]
    names += ["gives-up", "not-finite"]
    study = fake_study(learners=["fake", *names], scenario={}, repeats=1)
    summary = run(study, path, "inline")
    assert summary.states == {"done": 1, "failed": 7}
    with Ledger(path) as book:
        trials = book.records().trials.set_index("learner")
    assert trials.loc["raises", "reason"] == "RuntimeError"
    assert trials.loc["raises", "message"] == "no luck today"
    assert "caveat_fake.py" in trials.loc["raises", "frames"]
    assert trials.loc["raises-oddly", "reason"] == "Local"
    assert len(trials.loc["shouts", "message"]) < 2_000
    assert trials.loc["exits", "reason"] == "SystemExit"
    assert trials.loc["interrupts", "reason"] == "KeyboardInterrupt"
    assert trials.loc["gives-up", "reason"] == "Odd"
    assert trials.loc["not-finite", "reason"] == "non-finite"
    assert "test.score" in trials.loc["not-finite", "message"]


def test_failed_trials_are_tried_again_only_when_asked(fake_study, path):
    study = fake_study(learners=["raises"], scenario={}, repeats=1)
    run(study, path, "inline")
    assert run(study, path, "inline").executed == 0
    assert run(study, path, "inline", retry_failed=True).executed == 1


def test_fail_fast_stops_and_gives_its_claims_back(fake_study, path):
    study = fake_study(learners=["raises", "fake"], scenario={}, repeats=3)
    summary = run(study, path, "inline", fail_fast=True)
    assert summary.states["failed"] == 1
    assert "running" not in summary.states


@pytest.mark.thorough
def test_events_name_the_trial_that_each_worker_is_at(fake_study, path):
    slow = {"name": "fake", "milliseconds": 300}
    study = fake_study(learners=[slow], scenario={}, repeats=2)
    told = []
    run(study, path, "processes", jobs=2, on_event=told.append)
    named = {trial.title for event in told for trial in event.running}
    assert named == {"fake on xor, repeat 0", "fake on xor, repeat 1"}


def test_what_another_runner_finishes_counts_as_progress(fake_study, path):
    study = fake_study(learners=["fake"], scenario={}, repeats=2)
    mine, theirs = plan(study)
    told = []
    with Ledger(path, write=True) as other:
        other.add_study("small", study, [mine, theirs])
        assert other.claim([theirs.key]) == [theirs.key]

        def follow(event):
            told.append(event.done)
            if event.ended is not None:
                done = work(theirs.key, theirs.spec, allow_import=False)
                other.finish_all([("fake", done)])

        assert run(study, path, "inline", on_event=follow).executed == 1
    assert told[-1] == 2


def test_a_learner_that_cannot_be_imported_leaves_no_record(fake_study, path):
    learner = "no_such_module:Learner"
    study = fake_study(learners=["fake", learner], scenario={}, repeats=1)
    with pytest.raises(InvalidInput, match="no module is called 'no_such_module'"):
        run(study, path, "inline", allow_import=True)
    assert not path.exists()


def test_a_module_of_the_users_needs_permission(fake_study, path):
    study = fake_study(learners=["caveat_fake:Fake"], scenario={}, repeats=1)
    with pytest.raises(InvalidInput, match="--allow-import"):
        run(study, path, "inline")
    assert not path.exists()
    assert run(study, path, "inline", allow_import=True).states == {"done": 1}


def test_a_learner_of_an_installed_package_needs_no_permission(fake_study, path):
    study = fake_study(learners=["plugged"], scenario={}, repeats=1)
    assert run(study, path, "inline").states == {"done": 1}


def test_planning_never_imports_a_module_of_the_users(fake_study):
    trials = plan(fake_study(learners=["no_such_module:Learner"]))
    assert len(trials) == 6
    assert "no_such_module" not in sys.modules


def test_data_that_changed_since_the_plan_is_refused(fake_study, tmp_path):
    spec = plan(fake_study())[0].spec
    changed = {**spec, "dataset": {**spec["dataset"], "digest": "0" * 64}}
    with pytest.raises(Exception, match="has changed since the study was planned"):
        run_trial(changed)


@pytest.mark.parametrize("jobs", [0, -3, 1000])
def test_a_senseless_number_of_workers_is_refused(fake_study, path, jobs):
    with pytest.raises(InvalidInput, match=f"--jobs {jobs}"):
        run(fake_study(), path, "processes", jobs=jobs)


def test_an_unknown_engine_is_named(fake_study, path):
    with pytest.raises(LookupError, match="did you mean 'processes'"):
        run(fake_study(), path, "process")


def test_a_ledger_that_cannot_be_used_stops_before_any_trial(fake_study, tmp_path):
    with pytest.raises(LedgerError, match="is a folder"):
        run(fake_study(), tmp_path, "serial")


@pytest.mark.fault
def test_a_plain_script_needs_no_main_guard(tmp_path, fake_study):
    script = tmp_path / "script.py"
    study = fake_study(learners=["fake"], scenario={}, repeats=1)
    script.write_text(
        f"import sys; sys.path[:0] = {sys.path!r}\n"
        "from caveat.study import run\n"
        f"print(run({study!r}, {str(tmp_path / 'x.ledger')!r}, 'processes').states)\n"
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False
    )
    assert done.stdout == "{'done': 1}\n", done.stderr


def test_a_run_ends_in_time_and_the_next_one_does_the_rest(fake_study, path):
    study = fake_study(learners=["fake"], scenario={})
    late = run(study, path, "inline", seconds=0.0)
    assert late.out_of_time
    assert late.executed == 0
    assert not late.interrupted
    rest = run(study, path, "inline", seconds=600.0)
    assert (rest.executed, rest.out_of_time) == (3, False)
