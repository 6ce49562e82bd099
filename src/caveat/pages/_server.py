"""A web server for pages that are held in memory, meant for one person's browser.

It knows a fixed list of names and never joins a path to a folder. It answers GET and
HEAD alone, and only to whoever calls it by a name that it expects: a page of another
site cannot reach it by pointing its own name at this machine (DNS rebinding).
"""

from __future__ import annotations

import hashlib
import io
import ipaddress
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from caveat.exceptions import InvalidInput
from caveat.pages._write import INDEX

MOST_CALLERS = 32
# However a caller drips: its request has to be here, and its answer taken, in time.
REQUEST_SECONDS = 10.0
ANSWER_SECONDS = 60.0

_KINDS = {
    "html": "text/html; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "tex": "text/plain; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "json": "application/json",
}
_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


class PageServer(ThreadingHTTPServer):
    """Serves named files from memory until it is shut down.

    Parameters
    ----------
    pages : mapping of str to bytes
        What is served, ``index.html`` among it; `show` replaces it.
    host : str, default="127.0.0.1"
        Address to listen at. Whoever passes another one opens the page to a network.
    port : int, default=0
        0 takes a free one; `url` tells which.

    Attributes
    ----------
    url : str
        Where to point a browser.

    Examples
    --------
    >>> server = PageServer({"index.html": b"<p>hello"})
    >>> server.url.startswith("http://127.0.0.1:")
    True
    >>> server.server_close()
    """

    daemon_threads = True
    request_queue_size = MOST_CALLERS

    def __init__(
        self, pages: Mapping[str, bytes], host: str = "127.0.0.1", port: int = 0
    ) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.callers = _Callers()
        self.show(pages)
        try:
            super().__init__((host, port), _Handler)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InvalidInput(
                f"cannot listen at {host}, port {port} ({reason}); choose another "
                "port, or none to take a free one"
            ) from error
        self.host, self.port = host, int(self.server_address[1])

    @property
    def url(self) -> str:
        """Where to point a browser."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/"

    def show(self, pages: Mapping[str, bytes], refresh: int | None = None) -> None:
        """Replace what is served, all of it at once.

        Parameters
        ----------
        pages : mapping of str to bytes
        refresh : int, optional
            Seconds after which a browser shall ask for the page again.
        """
        self.shown = (dict(pages), refresh)

    def expects(self, name: str) -> bool:
        """Whether a caller may know this server by such a ``Host`` header."""
        host = urlsplit(f"//{name}").hostname or ""
        if host in {"localhost", self.host, "127.0.0.1", "::1"}:
            return True
        # Nobody can make a browser believe that an address is a name of their own.
        return not is_loopback(self.host) and _is_address(host)

    def get_request(self) -> Any:
        """Take the next call; where files run out, an idle caller gives its own."""
        try:
            return super().get_request()
        except OSError:
            self.callers.make_room(most=0)
            raise

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own; if there are too many, one makes room."""
        self.callers.make_room(most=MOST_CALLERS - 1)
        self.callers.note(request, busy=False)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Hang up."""
        self.callers.forget(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent about callers who hang up."""


class _Callers:
    """Who is connected, whether an answer is on its way, and since when."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._since: dict[socket.socket, tuple[bool, float]] = {}

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._since)

    def note(self, caller: socket.socket, *, busy: bool) -> None:
        """Remember that a caller began to wait for its answer, or to ask."""
        with self._lock:
            self._since[caller] = (busy, time.monotonic())

    def forget(self, caller: socket.socket) -> None:
        """Remember a caller no longer."""
        with self._lock:
            self._since.pop(caller, None)

    def make_room(self, most: int) -> None:
        """Hang up on the one that has been idle longest, if there are more than that.

        Only if all are being answered, the one that takes longest over it has to go:
        nobody can lock the others out, by asking slowly or by listening slowly.
        """
        with self._lock:
            if len(self._since) <= most:
                return
            oldest = min(self._since, key=self._since.__getitem__)
            del self._since[oldest]
        # Its thread sees the end of what it reads or writes, and cleans up.
        with suppress(OSError):
            oldest.shutdown(socket.SHUT_RDWR)


class _Arriving(io.RawIOBase):
    """What a caller sends, up to one moment for all of it, not for every byte."""

    def __init__(self, caller: socket.socket) -> None:
        self._caller = caller
        self.allow(REQUEST_SECONDS)

    def allow(self, seconds: float) -> None:
        """Set the moment, from now on."""
        self._end = time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request took too long")
        self._caller.settimeout(left)
        return self._caller.recv_into(buffer)


def is_loopback(host: str) -> bool:
    """Whether only this machine can call such an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    return host == "localhost" or (
        _is_address(host) and ipaddress.ip_address(host).is_loopback
    )


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    connection: socket.socket
    server_version = "caveat"
    sys_version = ""
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        """Read from the caller with one deadline for a request."""
        super().setup()
        self.rfile.close()
        self._arriving = _Arriving(self.connection)
        self.rfile = self._reader = io.BufferedReader(self._arriving)

    def handle_one_request(self) -> None:
        """Wait for a request, take it whole, answer it, or hang up."""
        self.close_connection = True
        self._arriving.allow(REQUEST_SECONDS)
        with suppress(TimeoutError):
            if self._reader.peek(1):
                self._arriving.allow(REQUEST_SECONDS)
                super().handle_one_request()
                self.server.callers.note(self.connection, busy=False)

    def parse_request(self) -> bool:
        """Take the request's head; from then on an answer is on its way."""
        found = super().parse_request()
        self.server.callers.note(self.connection, busy=True)
        # A socket's time is for all of what one call sends, not for every byte.
        self.connection.settimeout(ANSWER_SECONDS)
        return found

    def do_GET(self) -> None:
        """Send one file."""
        if not self.server.expects(self.headers.get("Host", "")):
            self._refuse(HTTPStatus.FORBIDDEN, "unknown host name")
            return
        pages, refresh = self.server.shown
        name = unquote(self.path.partition("?")[0]).removeprefix("/") or INDEX
        if name not in pages:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
            return
        content = pages[name]
        mark = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
        known = self.headers.get("If-None-Match") == mark
        self.send_response(HTTPStatus.NOT_MODIFIED if known else HTTPStatus.OK)
        self.send_header("ETag", mark)
        if name == INDEX and refresh is not None:
            self.send_header("Refresh", str(refresh))
        if not known:
            kind = _KINDS.get(name.rpartition(".")[2], "application/octet-stream")
            self.send_header("Content-Type", kind)
        self._send(b"" if known else content)

    do_HEAD = do_GET

    def _no_change(self) -> None:
        """Refuse whatever is meant to change something."""
        self.close_connection = True
        self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD are answered")

    do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_TRACE = _no_change

    def _refuse(self, status: HTTPStatus, words: str) -> None:
        self.send_response(status)
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET, HEAD")
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self._send(f"{words}\n".encode())

    def _send(self, content: bytes) -> None:
        for name, value in _ALWAYS.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the terminal for people."""
