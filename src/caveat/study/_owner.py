"""Who holds a trial: a process, named so that others can tell whether it lives."""

from __future__ import annotations

import os
import uuid
from functools import lru_cache
from pathlib import Path

import psutil


def me() -> str:
    """Name this process: host, boot, pid and start time."""
    pid = os.getpid()
    return "|".join([host_id(), boot_id(), str(pid), _started(pid)])


def is_dead(owner: str) -> bool:
    """Whether a holder is certainly gone: it ran on this host and is no more.

    Of a process on another host nothing is known; its lease decides.
    """
    parts = owner.split("|")
    if len(parts) != 4 or parts[0] != host_id():
        return False
    _, boot, pid, started = parts
    if boot != boot_id():
        return True
    try:
        return _started(int(pid)) != started
    except (psutil.NoSuchProcess, ValueError):
        return True


def _started(pid: int) -> str:
    process = psutil.Process(pid)
    if process.status() == psutil.STATUS_ZOMBIE:
        raise psutil.NoSuchProcess(pid)
    return f"{process.create_time():.2f}"


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
    boot = Path("/proc/sys/kernel/random/boot_id")
    try:
        return boot.read_text().strip()[:8]
    except (FileNotFoundError, PermissionError):
        return f"{psutil.boot_time():.0f}"
