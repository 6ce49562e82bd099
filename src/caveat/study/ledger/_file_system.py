"""Which kind of file system a file lies on: SQLite's WAL needs a local one."""

from __future__ import annotations

import os
from pathlib import Path

NETWORK = (
    *("nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "9p", "lustre", "gpfs"),
    *("beegfs", "glusterfs", "panfs", "orangefs", "fuse.sshfs", "fuse.glusterfs"),
)


def network_file_system(path: Path, mounts: str | None = None) -> str:
    r"""Return the kind of network file system a path is on, or '' if it is local.

    Parameters
    ----------
    path : Path
    mounts : str, optional
        The system's mount table; read from ``/proc/mounts`` if there is one.

    Examples
    --------
    >>> table = "/dev/sda1 / ext4 rw 0 0\nsrv:/home /home nfs4 rw 0 0\n"
    >>> network_file_system(Path("/home/me/a.ledger"), table)
    'nfs4'
    >>> network_file_system(Path("/homes/a.ledger"), table)
    ''
    """
    if mounts is None:
        try:
            mounts = Path("/proc/mounts").read_text(errors="replace")
        except OSError:
            return ""
    place = os.path.realpath(path)
    best, kind = "", ""
    for line in mounts.splitlines():
        parts = line.split(" ")
        if len(parts) < 3:
            continue
        # The mount table writes blanks in names as octal escapes.
        point = parts[1].replace("\\040", " ")
        inside = place == point or place.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, parts[2]
    return kind if kind in NETWORK else ""
