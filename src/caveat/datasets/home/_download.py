"""One file from the network: https, with an end in bytes and in seconds.

pooch has neither limit, follows redirects anywhere and leaves a short body to the
digest; so the transfer is done here, with the standard library.
"""

from __future__ import annotations

import http.client
import os
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from caveat import __version__
from caveat._files import new_file
from caveat.exceptions import DataError

DEADLINE = 1800.0  # seconds for one file, all in all
PATIENCE = 30.0  # seconds without a single byte
_CHUNK = 64 * 1024
_LOOPBACK = frozenset(["127.0.0.1", "::1", "localhost"])


def download(
    url: str,
    part: Path,
    *,
    limit: int,
    deadline: float = DEADLINE,
    patience: float = PATIENCE,
) -> None:
    """Fetch one address into a file, or raise and say why.

    Parameters
    ----------
    url : str
        https, or http to this very machine.
    part : Path
        Where the bytes go; what is there is replaced, never written through.
    limit : int
        More bytes than this are not taken.
    deadline : float
        Seconds for the whole transfer, however the server drips.
    patience : float
        Seconds to wait for a connection or for the next byte.

    Raises
    ------
    DataError
        For another scheme, also after a redirect; an error status; a body that is
        shorter than announced, too long, or too slow.
    """
    check_address(url)
    watch = _Watch(deadline)
    request = Request(
        url,
        headers={
            "User-Agent": f"caveat/{__version__}",
            "Accept-Encoding": "identity",
        },
    )
    try:
        with watch, _opener(url, watch).open(request, timeout=patience) as response:
            _check_status(response.status)
            _save(response, part, limit, watch)
    except HTTPError as error:
        error.close()
        raise DataError(f"the server answered {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        raise _lost(error, watch) from error


def check_address(url: str, *, before: str = "") -> None:
    """Refuse an address that is not https (http is for loopback alone).

    Examples
    --------
    >>> check_address("http://example.org/x")
    Traceback (most recent call last):
    ...
    caveat.exceptions.DataError: 'http://example.org/x' is not https; it is refused
    """
    parts = urlsplit(url)
    local = parts.scheme == "http" and parts.hostname in _LOOPBACK
    was_local = not before or urlsplit(before).hostname in _LOOPBACK
    if parts.scheme != "https" and not (local and was_local):
        told = f"a redirect to {url!r}" if before else repr(url)
        raise DataError(f"{told} is not https; it is refused")


def _check_status(status: int) -> None:
    if status != 200:
        raise DataError(f"the server answered {status}, not 200")


def _save(response: Any, part: Path, limit: int, watch: _Watch) -> None:
    announced = response.headers.get("Content-Length")
    if announced is not None and announced.isdigit() and int(announced) > limit:
        raise DataError(f"it has {announced} bytes, more than the {limit} allowed")
    size = 0
    try:
        part.unlink(missing_ok=True)  # of a mirror that was tried before
        with new_file(part) as stream:
            while chunk := _received(response, watch):
                size += len(chunk)
                if size > limit:
                    raise DataError(f"it is longer than the {limit} bytes allowed")
                if watch.over:
                    raise DataError(f"it took longer than {watch.seconds:g} s")
                stream.write(chunk)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:  # of the disk: those of the network are told by now
        raise DataError(
            f"{part.parent} cannot be written: {error.strerror or error}"
        ) from error
    if watch.over:
        raise DataError(f"it took longer than {watch.seconds:g} s")
    if announced is not None and announced.isdigit() and int(announced) != size:
        raise DataError(f"the body ended after {size} of {announced} bytes")


def _received(response: Any, watch: _Watch) -> bytes:
    try:
        return response.read1(_CHUNK)
    except (OSError, http.client.HTTPException) as error:
        raise _lost(error, watch) from error


def _lost(error: Exception, watch: _Watch) -> DataError:
    if watch.over:
        return DataError(f"it took longer than {watch.seconds:g} s")
    reason = error.reason if isinstance(error, URLError) else error
    return DataError(f"no connection: {reason or type(error).__name__}")


class _Watch:
    """Hang up when time is over, even while the server has not said anything yet."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.end = time.monotonic() + seconds
        self.connections: list[http.client.HTTPConnection] = []
        self.timer = threading.Timer(seconds, self._hang_up)
        self.timer.daemon = True

    @property
    def over(self) -> bool:
        return time.monotonic() >= self.end

    def __enter__(self) -> _Watch:
        try:
            self.timer.start()
        except RuntimeError as error:
            raise DataError(
                f"its time cannot be watched: {error}; end some programs"
            ) from error
        return self

    def __exit__(self, *_: object) -> None:
        self.timer.cancel()

    def _hang_up(self) -> None:
        for connection in self.connections:
            try:
                if connection.sock is not None:
                    connection.sock.shutdown(2)
            except OSError:
                pass  # it was closed already


def _connect(
    kind: Callable[..., http.client.HTTPConnection],
    watch: _Watch,
    *args: Any,
    **kw: Any,
) -> http.client.HTTPConnection:
    connection = kind(*args, **kw)
    watch.connections.append(connection)
    return connection


class _Plain(HTTPHandler):
    def __init__(self, watch: _Watch) -> None:
        super().__init__()
        self.watch = watch

    def http_open(self, req: Request) -> Any:
        kind = partial(_connect, http.client.HTTPConnection, self.watch)
        return self.do_open(kind, req)  # type: ignore[arg-type]


class _Secure(HTTPSHandler):
    def __init__(self, watch: _Watch) -> None:
        super().__init__()
        self.watch = watch

    def https_open(self, req: Request) -> Any:
        kind = partial(_connect, http.client.HTTPSConnection, self.watch)
        return self.do_open(kind, req)  # type: ignore[arg-type]


class _Redirects(HTTPRedirectHandler):
    max_redirections = 5

    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        check_address(newurl, before=req.full_url)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener(url: str, watch: _Watch) -> OpenerDirector:
    """Build an opener that knows http, https and proxies, and no file or ftp."""
    local = urlsplit(url).hostname in _LOOPBACK
    opener = OpenerDirector()
    for handler in (
        ProxyHandler({} if local else None),
        _Plain(watch),
        _Secure(watch),
        _Redirects(),
        HTTPErrorProcessor(),
        HTTPDefaultErrorHandler(),
    ):
        opener.add_handler(handler)
    return opener
