"""A loopback server with manners, good and bad; and published data, if it is near."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

PUBLISHED = Path(__file__).parents[2].parent / "shared" / "data"


@pytest.fixture(scope="session")
def published() -> Path:
    """The folder of published data files beside the checkout."""
    if not PUBLISHED.is_dir():
        pytest.skip("the published data files are not beside this checkout")
    return PUBLISHED


@pytest.fixture(autouse=True)
def own_data_home(tmp_path, monkeypatch):
    """Keep every test out of the user's data folder."""
    monkeypatch.setenv("CAVEAT_DATA", str(tmp_path / "home"))
    monkeypatch.delenv("CAVEAT_OFFLINE", raising=False)


class Loopback(ThreadingHTTPServer):
    """Serves `files` by path; the other paths misbehave in a way they are named by."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.requests: Counter[str] = Counter()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{path}"


class Handler(BaseHTTPRequestHandler):
    server: Loopback
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.server.requests[self.path] += 1
        misbehave = getattr(
            self, "be_" + self.path.split("/")[1].replace("-", "_"), None
        )
        # Where the client hangs up, it had enough, as it should.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            (misbehave or self.serve)()

    def serve(self) -> None:
        if self.path not in self.server.files:
            self.send_error(404)
            return
        self.answer(self.server.files[self.path])

    def answer(self, body: bytes, *, announced: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(announced or len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def be_slow_good(self) -> None:
        time.sleep(0.2)
        self.answer(self.server.files["/tiny.csv"])

    def be_short(self) -> None:
        body = self.server.files["/tiny.csv"]
        self.answer(body[: len(body) // 2], announced=len(body))

    def be_flipped(self) -> None:
        body = bytearray(self.server.files["/tiny.csv"])
        body[-3] ^= 1
        self.answer(bytes(body))

    def be_page(self) -> None:
        self.answer(b"<!DOCTYPE html><html><body>Please log in</body></html>")

    def be_broken(self) -> None:
        self.send_error(500)

    def be_to_http(self) -> None:
        self.redirect("http://example.org/tiny.csv")

    def be_to_file(self) -> None:
        self.redirect("file:///etc/hostname")

    def be_in_circles(self) -> None:
        self.redirect("/in-circles")

    def be_moved(self) -> None:
        self.redirect("/tiny.csv")

    def redirect(self, target: str) -> None:
        self.send_response(302)
        self.send_header("Location", target)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def be_endless(self) -> None:
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        for _ in range(10_000):
            self.wfile.write(b"x" * 4096)
        self.close_connection = True

    def be_dripping(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        self.drip()

    def be_silent(self) -> None:
        self.rfile.read(1)  # until the caller leaves
        self.close_connection = True

    def be_dripping_headers(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Drip: ")
        self.drip()

    def drip(self) -> None:
        """Send a byte now and then, until the caller leaves."""
        while True:
            self.wfile.write(b"x")
            self.wfile.flush()
            time.sleep(0.05)


@pytest.fixture
def server() -> Iterator[Loopback]:
    """A server on this machine that is gone when the test ends."""
    loopback = Loopback()
    thread = threading.Thread(
        target=loopback.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    yield loopback
    loopback.shutdown()
    loopback.server_close()
