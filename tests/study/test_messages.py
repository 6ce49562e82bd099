import pickle
import socket
from pathlib import Path

import pytest

from caveat.study.engines._messages import Garbled, Inbox, send


@pytest.fixture
def ends():
    here, there = socket.socketpair()
    yield here, there
    here.close()
    there.close()


def test_messages_arrive_whole_and_in_order(ends):
    here, there = ends
    inbox = Inbox(here)
    assert inbox.look() is None
    send(there, {"a": 1})
    send(there, "second")
    assert inbox.receive() == {"a": 1}
    assert inbox.look() == "second"
    assert inbox.look() is None


def test_nobody_waits_for_the_rest_of_a_message(ends):
    here, there = ends
    whole, copy = socket.socketpair()
    send(whole, list(range(1_000)))
    sent = copy.recv(1 << 16)
    whole.close()
    copy.close()
    inbox = Inbox(here)
    for start in range(0, len(sent) - 1, 500):
        there.sendall(sent[start : min(start + 500, len(sent) - 1)])
        assert inbox.look() is None
    there.sendall(sent[-1:])
    assert inbox.look() == list(range(1_000))


def test_the_end_of_the_other_side_is_told(ends):
    here, there = ends
    there.sendall(b"\0\0")
    there.close()
    inbox = Inbox(here)
    with pytest.raises(EOFError):
        inbox.look()
    with pytest.raises(EOFError):
        inbox.receive()


class Canary:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


def framed(body):
    return len(body).to_bytes(8, "big") + body


@pytest.mark.parametrize(
    "written",
    [framed(b"{"), framed(b"\xff"), framed(b""), framed(b"[" * 100_000), b"\xff" * 8],
    ids=["cut", "no text", "empty", "deep", "endless"],
)
def test_what_is_no_message_is_told(ends, written):
    here, there = ends
    there.sendall(written)
    with pytest.raises(Garbled):
        Inbox(here).look()


def test_a_pickle_that_arrives_runs_nothing(ends, tmp_path):
    here, there = ends
    there.sendall(framed(pickle.dumps(Canary(tmp_path / "marker"))))
    with pytest.raises(Garbled):
        Inbox(here).look()
    assert not (tmp_path / "marker").exists()
