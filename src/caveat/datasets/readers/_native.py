"""Bytes for Arrow's own threads."""

from __future__ import annotations

import pyarrow


def native(data: bytes) -> pyarrow.BufferReader:
    """Copy bytes to memory that Arrow owns.

    Its threads may outlive a call by a little. If one of them has to let go of a Python
    object while the interpreter ends, it aborts the process.
    """
    memory = pyarrow.BufferOutputStream()
    memory.write(data)
    return pyarrow.BufferReader(memory.getvalue())
