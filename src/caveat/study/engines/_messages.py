"""Messages between runner and worker, read without ever waiting for the rest of one.

A worker may be killed in the middle of a message while a child of it keeps the socket
open. Whoever waited for the rest would wait for ever; so the runner takes what is there
and goes on watching the process. Messages are JSON: whatever a learner writes into the
socket, reading it runs nothing.
"""

from __future__ import annotations

import json
import select
import socket
import struct
from collections.abc import Iterable
from typing import Any

#: A record has at most a million characters; what is so much longer is none.
MOST_BYTES = 1 << 26
_LENGTH = struct.Struct("!Q")
_CHUNK = 1 << 16


class Garbled(Exception):
    """What arrived is no message: somebody else wrote into the socket."""


def send(there: socket.socket, message: Any) -> None:
    """Send one message whole."""
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    there.sendall(_LENGTH.pack(len(body)) + body)


class Inbox:
    """Reads the messages that arrive at a socket.

    Parameters
    ----------
    here : socket
    """

    def __init__(self, here: socket.socket) -> None:
        self._here = here
        self._buffer = bytearray()

    def receive(self) -> Any:
        """Wait for the next message; EOFError if the other side is gone."""
        while (message := self._take()) is None:
            self._read(0)
        return message

    def look(self) -> Any:
        """Return the next message if it is there whole, else None.

        EOFError if the other side is gone, `Garbled` if it is no message.
        """
        while (message := self._take()) is None:
            try:
                self._read(socket.MSG_DONTWAIT)
            except BlockingIOError:
                return None
        return message

    def _read(self, flags: int) -> None:
        chunk = self._here.recv(_CHUNK, flags)
        if not chunk:
            raise EOFError
        self._buffer += chunk

    def _take(self) -> Any:
        if len(self._buffer) < _LENGTH.size:
            return None
        length = _LENGTH.unpack_from(self._buffer)[0]
        if length > MOST_BYTES:
            raise Garbled
        end = _LENGTH.size + length
        if len(self._buffer) < end:
            return None
        body = bytes(self._buffer[_LENGTH.size : end])
        del self._buffer[:end]
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            raise Garbled from error


class Watch:
    """Waits until something can be read, made once for many waits.

    Parameters
    ----------
    files : iterable of socket or int
    """

    def __init__(self, files: Iterable[socket.socket | int]) -> None:
        self._poll = select.poll()
        for file in files:
            self._poll.register(file, select.POLLIN)

    def wait(self, seconds: float) -> set[int]:
        """Wait at most so long; return the descriptors that can be read or ended."""
        return {number for number, _ in self._poll.poll(max(0.0, seconds) * 1000)}

    def forget(self, file: socket.socket | int) -> None:
        """Look at a file no longer."""
        self._poll.unregister(file)
