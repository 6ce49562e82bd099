"""Messages between runner and worker, read without ever waiting for the rest of one.

A worker may be killed in the middle of a message while a child of it keeps the socket
open. Whoever waited for the rest would wait for ever; so the runner takes what is there
and goes on watching the process.
"""

from __future__ import annotations

import pickle
import socket
import struct
from typing import Any

_LENGTH = struct.Struct("!Q")
_CHUNK = 1 << 16


def send(there: socket.socket, message: Any) -> None:
    """Send one message whole."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
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

        EOFError if the other side is gone.
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
        end = _LENGTH.size + _LENGTH.unpack_from(self._buffer)[0]
        if len(self._buffer) < end:
            return None
        body = bytes(self._buffer[_LENGTH.size : end])
        del self._buffer[:end]
        return pickle.loads(body)
