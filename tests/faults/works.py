"""What is done under faults: readers, writers, downloads, server, ledger, engines."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import os
import sqlite3
import sys
import threading
from collections import Counter
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from injection import raw_bytes
from PIL import Image

from caveat._files import write_whole
from caveat._registry import Entry
from caveat.candidates import Annotations
from caveat.cli import main
from caveat.datasets import import_files, read
from caveat.datasets._content import content_digest
from caveat.datasets.catalogue._row import SourceFile, row
from caveat.datasets.home._fetch import obtain
from caveat.exceptions import CaveatError
from caveat.pages import to_csv, write_file
from caveat.pages._server import PageServer
from caveat.shift import export_shifted
from caveat.study import Ledger, export, run
from caveat.study.registry import ENGINES, TOPICS

PLUGIN = str(Path(__file__).parents[1] / "study" / "plugin")
TABLE = pd.DataFrame(
    {
        "size": [float(i) for i in range(40)],
        "kind": ["odd" if i % 3 else "even" for i in range(40)],
        "class": ["yes" if i % 2 else "no" for i in range(40)],
    }
)
STUDY = """
study: small
topic: fake
datasets: [xor]
learners: [fake, {name: other, factor: [0.5, 0.25]}]
repeats: 2
baseline: none
"""


def add_fake_topic() -> None:
    """Make the fake learners and the engine without workers known."""
    if PLUGIN not in sys.path:
        sys.path.insert(0, PLUGIN)
    if "fake" not in TOPICS:
        # A test before looked for plug-ins while this one was out of reach. Look again
        # now, before any operation is made to fail.
        TOPICS._plugged = None
        assert "fake" in TOPICS
    if "inline" not in ENGINES:
        ENGINES.add(Entry(name="inline", target="caveat_fake:InlineEngine"))


class Reading:
    """Every format of data, read from files."""

    name, kinds = "readers", ("file",)

    def prepare(self, folder: Path) -> None:
        text = TABLE.to_csv(index=False).encode()
        (folder / "a.csv").write_bytes(text)
        (folder / "b.csv.gz").write_bytes(gzip.compress(text, mtime=0))
        TABLE.to_parquet(folder / "c.parquet", index=False)
        rows = "".join(f"{i},{'ab'[i % 2]}\n" for i in range(20))
        (folder / "d.arff").write_text(
            f"@relation d\n@attribute x numeric\n@attribute y {{a,b}}\n@data\n{rows}"
        )
        np.savez(folder / "e.npz", X=np.arange(40.0).reshape(20, 2), y=[0, 1] * 10)
        for label in ("cat", "dog"):
            (folder / "f" / label).mkdir(parents=True)
            for number in range(2):
                picture = Image.new("L", (4, 4), color=number)
                picture.save(folder / "f" / label / f"{number}.png")

    def act(self, folder: Path) -> Any:
        found = {}
        for name in ("a.csv", "b.csv.gz", "c.parquet", "d.arff", "e.npz", "f"):
            options: dict[str, Any] = {"target": "class"} if name[0] in "abc" else {}
            found[name] = content_digest(read(folder / name, **options))
        found["sample"] = content_digest(
            read(folder / "b.csv.gz", target="class", sample=10)
        )
        return found

    def look(self, folder: Path, failed: bool) -> None:
        pass


class Writing:
    """Everything that is written, over an older file of the same name."""

    name, kinds = "writers", ("file",)
    files = ("whole.txt", "page.html", "table.csv", "sets.npz", "train.csv")

    def prepare(self, folder: Path) -> None:
        for name in self.files:
            (folder / name).write_bytes(b"old")

    def act(self, folder: Path) -> Any:
        write_whole(folder / "whole.txt", "new " * 10_000)
        write_file(folder / "page.html", b"<p>new" * 10_000)
        to_csv(TABLE, path=folder / "table.csv")
        sets = Annotations.from_lists([[[0], [1]], [[1, 2]]], n_classes=3)
        sets.save(folder / "sets.npz")
        X, y = TABLE[["size"]], (TABLE["class"] == "yes").to_numpy().astype(int)
        export_shifted(folder, X, y, X, y)
        return self.contents(folder)

    def contents(self, folder: Path) -> dict[str, str]:
        return {
            name: hashlib.sha256(raw_bytes(folder / name)).hexdigest()
            for name in sorted(os.listdir(folder))
        }

    def look(self, folder: Path, failed: bool) -> None:
        old = hashlib.sha256(b"old").hexdigest()
        for name, digest in self.contents(folder).items():
            assert digest in (old, self.wanted[name]), f"{name} is half written"

    @property
    def wanted(self) -> dict[str, str]:
        if not hasattr(self, "_wanted"):
            import tempfile

            with tempfile.TemporaryDirectory() as place:
                self._wanted = self.act(Path(place))
        return self._wanted


class _Mirror(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = TABLE.to_csv(index=False).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class _Mirrors(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        pass  # the caller hung up: it met a fault


class Downloading:
    """A data set fetched from this machine, over a broken copy; and an import."""

    name, kinds = "downloads", ("file", "network", "clock")

    def prepare(self, folder: Path) -> None:
        (folder / "home" / "tiny").mkdir(parents=True)
        (folder / "home" / "tiny" / "tiny.csv").write_bytes(b"broken")
        TABLE.to_csv(folder / "own.csv", index=False)

    def act(self, folder: Path) -> Any:
        body = TABLE.to_csv(index=False).encode()
        # The mirror's own sockets are not under test: it runs outside.
        url = f"http://127.0.0.1:{mirror()}/tiny.csv"
        file = SourceFile(
            name="tiny.csv", urls=(url,), sha256=(hashlib.sha256(body).hexdigest(),)
        )
        entry = row(
            "tiny",
            "caveat.datasets.sources._loaders:load_file",
            task="binary",
            rows=40,
            columns=2,
            source="",
            licence="",
            files=[file],
            params={"target": "class"},
        )
        fetched = obtain(entry, folder / "home")
        own = import_files(
            "own", [folder / "own.csv"], data_home=folder / "home", target="class"
        )
        return content_digest(fetched), content_digest(own)

    def look(self, folder: Path, failed: bool) -> None:
        body = TABLE.to_csv(index=False).encode()
        for path in (folder / "home").rglob("*.csv"):
            assert path.read_bytes() in (body, b"broken"), f"{path.name} is half there"


_MIRROR: list[int] = []


def mirror() -> int:
    """Return the port of a mirror in a process of its own, started once."""
    if not _MIRROR:
        import atexit
        import subprocess

        here = str(Path(__file__).parent)
        code = f"import sys; sys.path.insert(0, {here!r}); import works; works.serve()"
        started = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        atexit.register(started.kill)
        assert started.stdout is not None
        _MIRROR.append(int(started.stdout.readline()))
    return _MIRROR[0]


def serve() -> None:
    """Be the mirror, until whoever started it is gone."""
    server = _Mirrors(("127.0.0.1", 0), _Mirror)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)  # noqa: T201
    sys.stdin.read()


class Serving:
    """The live page, asked for three times; its server outlives every fault."""

    name, kinds = "server", ("network", "clock")

    def prepare(self, folder: Path) -> None:
        pass

    def act(self, folder: Path) -> Any:
        pages = {"index.html": b"<p>live" * 100, "a.csv": b"a\n1\n"}
        with PageServer(pages) as server:
            thread = threading.Thread(target=server.serve_forever, args=(0.005,))
            thread.daemon = True
            try:
                thread.start()
            except RuntimeError:
                thread = threading.Thread(target=server.serve_forever, args=(0.005,))
                thread.daemon = True
                thread.start()
            try:
                return [self.ask(server.port, name) for name in ("", "a.csv", "b")]
            finally:
                server.shutdown()
                thread.join()

    def ask(self, port: int, name: str) -> tuple[int, bytes]:
        """Ask again until there is an answer, as a person with a browser does."""
        for _ in range(3):
            caller = HTTPConnection("127.0.0.1", port, timeout=20)
            try:
                caller.request("GET", f"/{name}")
                answer = caller.getresponse()
                return answer.status, answer.read()
            except (OSError, HTTPException):
                continue
            finally:
                caller.close()
        return 0, b""

    def look(self, folder: Path, failed: bool) -> None:
        pass


class Studying:
    """A study through the ledger; what the runner told is what the ledger holds."""

    def __init__(self, engine: str, kinds: tuple[str, ...]) -> None:
        self.name, self.engine, self.kinds = f"study, {engine}", engine, kinds

    def prepare(self, folder: Path) -> None:
        add_fake_topic()
        (folder / "small.yaml").write_text(STUDY)
        self.told: list[str] = []

    def act(self, folder: Path) -> Any:
        def note(event: Any) -> None:
            if event.ended is not None:
                self.told.append(event.ended.key)

        ledger = folder / "small.ledger"
        summary = run(folder / "small.yaml", ledger, self.engine, on_event=note)
        with Ledger(ledger) as book:
            target = export(book.records(), folder / "small.csv")
        return summary.states, raw_bytes(target)

    def look(self, folder: Path, failed: bool) -> None:
        ledger = folder / "small.ledger"
        if not ledger.exists() or not ledger.stat().st_size:
            assert not self.told
            return
        raw = sqlite3.connect(ledger)
        try:
            assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            if not raw.execute("SELECT 1 FROM sqlite_master").fetchone():
                assert not self.told
                return
            stored = [key for (key,) in raw.execute("SELECT key FROM result")]
            done = Counter(
                key
                for (key,) in raw.execute(
                    "SELECT key FROM attempt WHERE outcome = 'done'"
                )
            )
        finally:
            raw.close()
        lost = set(self.told) - set(stored)
        assert not lost, f"lost: {lost}"
        assert len(stored) == len(set(stored))
        assert set(done.values()) <= {1}, "a trial is there twice"


class Commanding:
    """`caveat run`, `caveat export` and `caveat status` as a person types them."""

    name, kinds = "commands", ("file", "ledger", "commit", "clock")

    def prepare(self, folder: Path) -> None:
        add_fake_topic()
        (folder / "small.yaml").write_text(STUDY)

    def act(self, folder: Path) -> Any:
        ledger, out = str(folder / "small.ledger"), str(folder / "small.csv")
        study = str(folder / "small.yaml")
        for words in (
            ["run", study, "--ledger", ledger, "--engine", "inline"],
            ["status", ledger],
            ["export", ledger, "--out", out],
        ):
            code, told = _call(words)
            if code:
                _judge(code, told)
        return raw_bytes(folder / "small.csv")

    def look(self, folder: Path, failed: bool) -> None:
        with contextlib.suppress(FileNotFoundError):
            text = (folder / "small.csv").read_text()
            assert text.endswith("\n")


def _call(words: list[str]) -> tuple[int, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(words)
        except SystemExit as stop:
            return int(stop.code or 0), err.getvalue()
    return 0, err.getvalue()


def _judge(code: int, told: str) -> None:
    """A command that failed says so in one sentence, and does not call it a bug."""
    complaint = [line for line in told.splitlines() if line.startswith("caveat: ")]
    if code not in (1, 2) or len(complaint) != 1 or "this is a bug" in told:
        raise RuntimeError(f"exit {code}: {told}")
    raise CaveatError(complaint[0])


WORKS = (
    Reading(),
    Writing(),
    Downloading(),
    Serving(),
    Studying("inline", ("file", "ledger", "commit", "clock")),
    Commanding(),
    Studying("serial", ("file", "look", "commit", "process", "clock")),
    Studying("processes", ("process",)),
)
