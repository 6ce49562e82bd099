"""Who lives and who does not: no clock, no container and no stranger misleads it."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from caveat.study.ledger import _owner
from caveat.study.ledger._owner import is_dead, me


def name(**changes):
    """Name this process, with parts changed."""
    names = ["host", "boot", "space", "pid", "start"]
    parts = dict(zip(names, me().split("|"), strict=True))
    return "|".join({**parts, **changes}.values())


def test_only_a_process_that_would_be_seen_from_here_can_be_known_dead():
    assert not is_dead(me())
    assert is_dead(name(start="1"))
    assert is_dead(name(pid="999999999"))
    assert is_dead(name(pid="9" * 40))
    assert not is_dead(name(host="another-host", start="1"))
    assert not is_dead(name(boot="another-boot", start="1"))
    assert not is_dead(name(space="pid:[1]", start="1"))
    assert not is_dead("another-host|boot|1|1.00")
    assert not is_dead("nonsense")


def test_a_process_that_ended_is_dead_before_anybody_waited_for_it():
    script = (
        "from caveat.study.ledger._owner import me; print(me(), flush=True); input()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    owner = child.stdout.readline().strip()
    assert not is_dead(owner)
    child.stdin.close()
    child.stdout.read()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert is_dead(owner)
    child.wait()
    child.stdout.close()
    assert is_dead(owner)


@pytest.mark.parametrize("seconds", [-86_400, -1, 1, 86_400])
def test_a_clock_that_jumps_changes_nothing(monkeypatch, seconds):
    before = me()
    now, boot = time.time, psutil.boot_time()
    monkeypatch.setattr(time, "time", lambda: now() + seconds)
    for module in (psutil, psutil._psplatform):
        monkeypatch.setattr(module, "boot_time", lambda: boot + seconds)
        monkeypatch.setattr(module, "BOOT_TIME", boot + seconds, raising=False)
    assert me() == before
    assert not is_dead(before)


def test_a_process_of_somebody_else_lives_even_if_it_is_hidden(monkeypatch):
    def refuse(pid, number):
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    assert not is_dead(name(pid="999999999"))


@pytest.mark.fault
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has namespaces")
@pytest.mark.parametrize(
    "options", [["--pid", "--fork", "--mount-proc"], ["--pid", "--fork"], ["--time"]]
)
def test_a_live_runner_is_not_taken_for_dead_in_another_namespace(options):
    script = (
        "import sys; from caveat.study.ledger._owner import is_dead, me; "
        "print(is_dead(sys.argv[1]), is_dead(me()), me())"
    )
    elsewhere = ["unshare", "--user", "--map-root-user", *options]
    asked = subprocess.run(
        [*elsewhere, sys.executable, "-c", script, me()],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    if asked.returncode:
        pytest.skip(f"this machine allows no namespaces: {asked.stderr.strip()}")
    ours, theirs, owner = asked.stdout.split(maxsplit=2)
    assert (ours, theirs) == ("False", "False")
    assert not is_dead(owner.strip())
    assert owner.split("|")[2] != _owner.namespace_id()
