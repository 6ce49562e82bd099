"""The Dask engine: the same numbers, the same guards, and job scripts as text."""

import re
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from caveat.exceptions import CaveatError
from caveat.study import Ledger, export, run

pytest.importorskip("distributed", reason="needs caveat[cluster]")

from caveat.study.engines._batch_systems import batch_cluster, parse_walltime
from caveat.study.engines._dask import DaskEngine

fault = pytest.mark.fault


@pytest.fixture
def path(tmp_path):
    return tmp_path / "small.ledger"


def exported(path):
    with Ledger(path) as book:
        return export(book.records(), path.with_suffix(".csv")).read_bytes()


@pytest.mark.long
@fault
def test_dask_gives_the_bytes_of_the_serial_engine(fake_study, path, tmp_path):
    study = fake_study(learners=["fake", "raises", {"name": "other", "factor": [1, 2]}])
    whole = tmp_path / "whole.ledger"
    run(study, whole, "serial")
    told = []
    summary = run(study, path, "dask", jobs=2, on_event=told.append)
    assert summary.states == {"done": 12, "failed": 6}
    assert exported(path) == exported(whole)
    assert any(event.running for event in told)


@pytest.mark.long
@fault
def test_limits_hold_under_dask(fake_study, path):
    ends = fake_study(learners=["fake", "vanishes"], scenario={}, repeats=1)
    assert run(ends, path, "dask", jobs=1).states == {"crashed": 1, "done": 1}
    # A study of its own: on a slow machine the others might reach the limit, too.
    hangs = fake_study(
        study="hangs",
        learners=["sleeps"],
        scenario={},
        repeats=1,
        budget={"trial-minutes": 0.05},
    )
    assert run(hangs, path, "dask", jobs=1).states == {"timeout": 1}


def done_count(path):
    try:
        raw = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        count = raw.execute("SELECT count(*) FROM result").fetchone()[0]
        raw.close()
    except sqlite3.OperationalError:
        return 0
    return count


@fault
def test_a_scheduler_that_is_lost_is_named_and_the_study_goes_on(
    fake_study, path, tmp_path
):
    study = fake_study(
        learners=[{"name": "fake", "milliseconds": 50}], scenario={}, repeats=80
    )
    address = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = subprocess.Popen(
        [
            *dask,
            "scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--no-dashboard",
            "--scheduler-file",
            str(address),
        ],
        **quiet,
    )
    worker = subprocess.Popen(
        [
            *dask,
            "worker",
            "--scheduler-file",
            str(address),
            "--nthreads",
            "1",
            "--no-dashboard",
            "--death-timeout",
            "20",
        ],
        **quiet,
    )
    try:
        deadline = time.monotonic() + 60
        while not address.exists():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        import json
        import threading

        where = json.loads(address.read_text())["address"]
        threading.Thread(target=kill_after, args=(scheduler, path, 10)).start()
        engine = {"name": "dask", "scheduler": where}
        with pytest.raises(CaveatError, match="scheduler was lost"):
            run({**study, "engine": engine}, path)
    finally:
        for process in (scheduler, worker):
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
            process.kill()
            process.wait()
    assert done_count(path) >= 10
    assert run(study, path, "serial").states == {"done": 80}


def kill_after(process, path, count):
    while done_count(path) < count:
        time.sleep(0.05)
    process.kill()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"scheduler": "tcp://a:1", "jobqueue": "slurm"}, "exclude each other"),
        ({"jobqueue": "slrum"}, "did you mean 'slurm'"),
        ({"walltime": "02:00:00"}, "add jobqueue"),
        ({"jobs": 0}, "--jobs 0"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(options, words):
    with pytest.raises(CaveatError, match=words):
        DaskEngine(**options)


@pytest.mark.parametrize(
    ("name", "directives"),
    [
        ("slurm", ["#SBATCH -n 1", "#SBATCH --mem=", "#SBATCH -t 02:00:00"]),
        ("sge", ["#$ -l h_rt=02:00:00"]),
        ("pbs", ["#PBS -l walltime=02:00:00"]),
    ],
)
def test_the_job_script_says_what_the_study_file_said(name, directives):
    cluster = batch_cluster(name, {"cores": 1, "memory": "4GB", "walltime": "02:00:00"})
    script = cluster.job_script()
    cluster.close()
    for line in directives:
        assert line in script
    assert "--lifetime 6840s" in script
    assert "--lifetime-stagger 180s" in script


@pytest.mark.parametrize(("name", "mark"), [("slurm", "#SBATCH -J"), ("sge", "#$ -N")])
def test_the_guide_shows_the_job_script_that_would_be_submitted(name, mark):
    guide = (Path(__file__).parents[2] / "docs" / "cluster.md").read_text()
    shown = next(
        block
        for block in re.findall(r"```bash\n(.*?)```", guide, flags=re.DOTALL)
        if mark in block
    )
    options = {"cores": 1, "memory": "4GB", "walltime": "02:00:00"}
    cluster = batch_cluster(name, options)
    script = cluster.job_script()
    cluster.close()
    script = re.sub(r"\S+ -m distributed", "python -m distributed", script)
    script = re.sub(r"tcp://\S+", "tcp://SCHEDULER", script)
    assert script.split() == shown.split()


def test_a_batch_system_needs_the_memory_of_a_job():
    with pytest.raises(CaveatError, match="add memory: 4GB"):
        batch_cluster("slurm", {"cores": 1})


def test_a_walltime_that_is_none_is_refused():
    assert parse_walltime("00:10:30") == 630
    with pytest.raises(CaveatError, match="'soon'"):
        parse_walltime("soon")
