"""Processes that fetch at once, and one that is killed while it fetches."""

import hashlib
import os
import signal
import subprocess
import sys
import time

import pytest

from caveat.datasets.catalogue._row import SourceFile, row
from caveat.datasets.home._fetch import obtain

pytestmark = pytest.mark.fault

TINY = b"a,b,t\n" + b"".join(
    b"%d,%d,%s\n" % (i, i * i, b"xy"[i % 2 :][:1]) for i in range(20)
)
FETCH = """
import sys
from pathlib import Path
from caveat.datasets.home._fetch import obtain
from caveat.datasets.catalogue._row import SourceFile, row
url, digest, home = sys.argv[1:]
file = SourceFile(name="tiny.csv", urls=(url,), sha256=(digest,))
loader = "caveat.datasets.sources._loaders:load_file"
entry = row("tiny", loader, task="binary", rows=20, columns=2, source="", licence="",
            files=[file], params={"target": "t"})
print(len(obtain(entry, Path(home))))
"""


def start(url, home):
    digest = hashlib.sha256(TINY).hexdigest()
    return subprocess.Popen(
        [sys.executable, "-c", FETCH, url, digest, str(home)],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_four_processes_make_one_request_and_all_succeed(server, tmp_path):
    server.files["/tiny.csv"] = TINY
    runs = [start(server.url("/slow-good"), tmp_path) for _ in range(4)]
    assert [run.communicate()[0].strip() for run in runs] == ["20"] * 4
    assert server.requests["/slow-good"] == 1


def test_a_fetch_that_was_killed_leaves_nothing_that_counts(server, tmp_path):
    server.files["/tiny.csv"] = TINY
    victim = start(server.url("/dripping"), tmp_path)
    end = time.monotonic() + 60
    while not list(tmp_path.rglob("*.download")) and time.monotonic() < end:
        time.sleep(0.02)
    os.kill(victim.pid, signal.SIGKILL)
    victim.wait()
    assert not (tmp_path / "tiny" / "tiny.csv").exists()
    digest = hashlib.sha256(TINY).hexdigest()
    file = SourceFile(
        name="tiny.csv", urls=(server.url("/tiny.csv"),), sha256=(digest,)
    )
    entry = row(
        "tiny",
        "caveat.datasets.sources._loaders:load_file",
        task="binary",
        rows=20,
        columns=2,
        source="",
        licence="",
        files=[file],
        params={"target": "t"},
    )
    assert len(obtain(entry, tmp_path)) == 20
    assert not list(tmp_path.rglob("*.download"))
