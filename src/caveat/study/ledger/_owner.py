"""Who holds a trial: a process, named so that others can tell whether it lives.

No part of the name depends on the clock: a boot time, and so any start time counted
from it, moves whenever the clock is set.
"""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from functools import lru_cache
from pathlib import Path

import psutil

_PROC = Path("/proc")


def me() -> str:
    """Name this process: host, boot, namespaces, pid and start."""
    pid = os.getpid()
    return "|".join([host_id(), boot_id(), namespace_id(), str(pid), _start(pid)])


def is_dead(owner: str) -> bool:
    """Whether a holder is certainly gone: it would be seen from here, and is not.

    Of a process on another host, in another container or before the last start of
    the machine nothing is known for certain; its lease decides.
    """
    parts = owner.split("|")
    if len(parts) != 5 or parts[:3] != [host_id(), boot_id(), namespace_id()]:
        return False
    try:
        pid = int(parts[3])
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        # Somebody else's: it may even be hidden from us, but it lives.
        pass
    except ValueError:
        return False
    return _start(pid) not in ("", parts[4])


def _start(pid: int) -> str:
    """When a process started, as the kernel counts; empty if nobody tells.

    On Linux these are ticks since the machine started. A process that ended but was
    not yet waited for counts as none.
    """
    if sys.platform != "linux":
        try:
            return f"{psutil.Process(pid).create_time():.2f}"
        except psutil.NoSuchProcess:
            return "gone"
        except psutil.Error:
            return ""
    try:
        stat = (_PROC / str(pid) / "stat").read_text()
    except OSError:
        return ""
    # The name, in brackets, may hold blanks and brackets; what follows cannot.
    fields = stat.rpartition(")")[2].split()
    state, ticks = fields[0], fields[19]
    return "gone" if state in "ZX" else ticks


@lru_cache(maxsize=1)
def host_id() -> str:
    """Name this host so that two machines are never taken for one."""
    machine = Path("/etc/machine-id")
    try:
        name = machine.read_text().strip()
    except (FileNotFoundError, PermissionError):
        name = f"{uuid.getnode():x}"
    return f"{os.uname().nodename}.{name[:8]}".replace("|", "_")


@lru_cache(maxsize=1)
def boot_id() -> str:
    """Name this boot of the host: pids begin anew with each."""
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    except (FileNotFoundError, PermissionError):
        return _session_of_darwin() or _nobody_else()


def _session_of_darwin() -> str:
    asked = ["sysctl", "-n", "kern.bootsessionuuid"]
    try:
        return subprocess.run(
            asked, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


@lru_cache(maxsize=1)
def namespace_id() -> str:
    """Name the namespaces in which our pids and ticks mean something.

    Containers may share a host name; a pid of one is another process in the next.
    """
    if sys.platform != "linux":
        return "-"
    try:
        if os.readlink(_PROC / "self") != str(os.getpid()):
            # This /proc shows the pids of another namespace.
            return _nobody_else()
        names = [os.readlink(_PROC / "self/ns/pid")]
    except (FileNotFoundError, PermissionError):
        return _nobody_else()
    clock = _PROC / "self/ns/time"
    return "+".join([*names, os.readlink(clock)] if clock.is_symlink() else names)


def _nobody_else() -> str:
    """Make a name that no other process has, so that nobody calls us dead."""
    return uuid.uuid4().hex
