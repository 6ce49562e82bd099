"""A web server for pages that are held in memory, meant for one person's browser.

It knows a fixed list of names and never joins a path to a folder. It answers GET and
HEAD alone, and only to whoever calls it by a name that it expects: a page of another
site cannot reach it by pointing its own name at this machine (DNS rebinding).
"""

from __future__ import annotations

import hashlib
import ipaddress
import socket
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from caveat.exceptions import InvalidInput
from caveat.pages._write import INDEX

MOST_CONNECTIONS = 32
PATIENCE_SECONDS = 10

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
    request_queue_size = MOST_CONNECTIONS

    def __init__(
        self, pages: Mapping[str, bytes], host: str = "127.0.0.1", port: int = 0
    ) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
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

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own, unless there are too many already."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer one caller."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent about callers who hang up."""


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
    timeout = PATIENCE_SECONDS
    server_version = "caveat"
    sys_version = ""
    protocol_version = "HTTP/1.1"

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
