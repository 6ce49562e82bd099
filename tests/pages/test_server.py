"""The server of live pages, called by raw sockets: what it gives, what it refuses."""

import contextlib
import select
import socket
import threading
import time
from http.client import HTTPConnection
from pathlib import Path

import pytest

from caveat.exceptions import InvalidInput
from caveat.pages import _server
from caveat.pages._server import PageServer

PAGES = {"index.html": b"<p>live", "tables/a b.csv": b"a,b\n1,2\n"}


@pytest.fixture
def server():
    with PageServer(PAGES) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def ask(server, path="/", method="GET", **headers):
    connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    return answer, answer.read()


def send(server, request):
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as caller:
        caller.sendall(request)
        return caller.makefile("rb").read(1000)


@pytest.mark.parametrize("path", ["/", "/index.html", "/?x=1", ""])
def test_the_page_is_given(server, path):
    answer, body = ask(server, path or "/")
    assert (answer.status, body) == (200, b"<p>live")
    assert answer.getheader("Content-Type") == "text/html; charset=utf-8"


def test_files_beside_the_page_are_given_by_their_quoted_name(server):
    answer, body = ask(server, "/tables/a%20b.csv")
    assert (answer.status, body) == (200, PAGES["tables/a b.csv"])


def test_only_the_head_is_given_if_only_that_is_asked_for(server):
    answer, body = ask(server, method="HEAD")
    assert (answer.status, body) == (200, b"")
    assert answer.getheader("Content-Length") == "7"


def test_what_a_browser_has_is_not_sent_again(server):
    mark = ask(server)[0].getheader("ETag")
    answer, body = ask(server, **{"If-None-Match": mark})
    assert (answer.status, body) == (304, b"")
    server.show({"index.html": b"<p>newer"})
    assert ask(server, **{"If-None-Match": mark})[1] == b"<p>newer"


def test_a_browser_asks_again_while_trials_are_open(server):
    assert ask(server)[0].getheader("Refresh") is None
    server.show(PAGES, refresh=5)
    assert ask(server)[0].getheader("Refresh") == "5"
    assert ask(server, "/tables/a%20b.csv")[0].getheader("Refresh") is None


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/etc/passwd",
        "http://evil.example/",
        "/index.html/",
        "/tables",
        "/index.html%00",
    ],
)
def test_nothing_but_the_listed_names_is_given(server, path):
    answer, body = ask(server, path, Host="localhost")
    assert (answer.status, body) == (404, b"there is no such page\n")


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("localhost", 200),
        ("localhost:8000", 200),
        ("127.0.0.1", 200),
        ("evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("localhost@evil.example", 403),
        ("10.0.0.1", 403),
        ("", 403),
    ],
)
def test_a_caller_must_know_the_server_by_its_own_name(server, name, status):
    assert ask(server, Host=name)[0].status == status


def test_in_a_network_any_address_may_be_called_but_no_strange_name(server):
    server.host = "0.0.0.0"
    assert ask(server, Host="10.0.0.1:80")[0].status == 200
    assert ask(server, Host="evil.example")[0].status == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_nothing_can_be_changed(server, method):
    answer, _ = ask(server, method=method)
    assert answer.status == 405
    assert answer.getheader("Allow") == "GET, HEAD"


def test_no_answer_invites_another_site(server):
    for answer in (ask(server)[0], ask(server, "/x")[0], ask(server, method="PUT")[0]):
        assert answer.getheader("X-Content-Type-Options") == "nosniff"
        assert answer.getheader("Access-Control-Allow-Origin") is None
        assert "Python" not in answer.getheader("Server")


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET / HTTP/1.1\r\nX: " + b"a" * 1_000_000 + b"\r\n\r\n", b"431"),
        (b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\n\r\n", b"414"),
        (b"BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"501"),
        (b"nonsense\r\n\r\n", b"400"),
    ],
)
def test_what_is_no_sane_request_is_refused(server, request_, status):
    found = b""
    try:
        found = send(server, request_)
    except ConnectionError:
        found = status  # it hung up in the middle of a megabyte
    assert status in found
    assert ask(server)[0].status == 200


def hung_up(caller):
    """Whether the server has hung up: what it says then is nothing, or a reset."""
    try:
        return caller.recv(100) == b""
    except ConnectionError:
        return True


def drip(caller, request):
    """Send a request byte by byte until it is sent or the server hangs up."""
    caller.settimeout(0.02)
    for byte in request:
        try:
            caller.sendall(bytes([byte]))
            if caller.recv(100) == b"":
                return "hung up"
        except TimeoutError:
            continue
        except ConnectionError:
            return "hung up"
    return "all was sent"


@pytest.mark.parametrize("before", [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"])
def test_a_dripping_caller_is_left_though_every_byte_comes_soon(
    server, monkeypatch, before
):
    """The deadline is the request's: no byte comes later than 0.02 s after another."""
    monkeypatch.setattr(_server, "REQUEST_SECONDS", 0.3)
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as slow:
        slow.sendall(before)
        assert drip(slow, b"GET / HTTP/1.1\r\n" + b"X: 1\r\n" * 1000) == "hung up"
    assert ask(server)[0].status == 200


def test_a_silent_caller_is_left_and_keeps_nobody_waiting(server, monkeypatch):
    monkeypatch.setattr(_server, "REQUEST_SECONDS", 0.2)
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as slow:
        slow.sendall(b"GET / HT")
        assert ask(server)[0].status == 200
        assert hung_up(slow)


def test_a_caller_who_does_not_listen_is_left(server, monkeypatch):
    monkeypatch.setattr(_server, "ANSWER_SECONDS", 0.2)
    server.show({"index.html": b"x" * 50_000_000})
    with socket.create_connection(("127.0.0.1", server.port)) as deaf:
        deaf.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        # The answer is on its way; nothing of it is taken.
        assert deaf.recv(1, socket.MSG_PEEK)
        while server.callers.count:
            time.sleep(0.01)


def test_slow_callers_lock_nobody_out_the_oldest_makes_room(server, monkeypatch):
    monkeypatch.setattr(_server, "REQUEST_SECONDS", 1000.0)
    with contextlib.ExitStack() as stack:
        slow = []
        for number in range(_server.MOST_CALLERS):
            one = socket.create_connection(("127.0.0.1", server.port), timeout=10)
            slow.append(stack.enter_context(one))
            slow[-1].sendall(b"G")
            while server.callers.count <= number:
                time.sleep(0.005)
        for turn in range(3):
            caller = HTTPConnection("127.0.0.1", server.port, timeout=10)
            stack.callback(caller.close)
            caller.request("GET", "/")
            answer = caller.getresponse()
            assert (answer.status, answer.read()) == (200, PAGES["index.html"])
            assert hung_up(slow[turn])
        assert server.callers.count <= _server.MOST_CALLERS
        last = slow[-1]
        last.sendall(b"ET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200 OK" in last.recv(100)


def test_the_idle_go_before_those_who_are_being_answered():
    callers, ends = _server._Callers(), [socket.socketpair() for _ in range(3)]
    try:
        for (ours, _), busy in zip(ends, [True, False, False], strict=True):
            callers.note(ours, busy=busy)
        gone = []
        for _ in ends:
            callers.make_room(most=0)
            theirs = [pair[1] for pair in ends]
            ended = select.select(theirs, [], [], 0)[0]
            gone.append([number for number in range(3) if theirs[number] in ended])
        assert gone == [[1], [1, 2], [0, 1, 2]]
        assert callers.count == 0
    finally:
        for pair in ends:
            for one in pair:
                one.close()


def test_callers_beyond_what_the_system_gives_cost_an_idle_one_its_place(
    server, monkeypatch
):
    """No more files: the first call fails, an idle caller goes, the next is taken."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as idle:
        while not server.callers.count:
            time.sleep(0.005)
        real, failures = server.socket.accept, [OSError(24, "Too many open files")]

        def accept():
            if failures:
                raise failures.pop()
            return real()

        monkeypatch.setattr(server, "socket", _Socket(server.socket, accept))
        assert ask(server)[0].status == 200
        assert hung_up(idle)


class _Socket:
    """A listening socket whose `accept` is ours."""

    def __init__(self, real, accept):
        self._real, self.accept = real, accept

    def __getattr__(self, name):
        return getattr(self._real, name)


def test_it_listens_at_this_machine_alone(server):
    table = Path("/proc/net/tcp")
    if not table.exists():
        pytest.skip("only Linux lists who listens where in /proc/net/tcp")
    listening = [line.split()[1] for line in table.read_text().splitlines()[1:]]
    port = f":{server.port:04X}"
    assert {name for name in listening if name.endswith(port)} == {f"0100007F{port}"}


def test_a_port_that_is_taken_is_told(server):
    with pytest.raises(InvalidInput, match=f"port {server.port} .*another port"):
        PageServer(PAGES, port=server.port)
