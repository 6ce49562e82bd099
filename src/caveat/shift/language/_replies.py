"""Replies that were paid for: kept at once, and never asked for again."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from caveat.datasets import data_home


class ReplyStore:
    """A file of replies, by a digest of what was asked.

    Parameters
    ----------
    path : path, optional
        ``language-replies.sqlite`` in the data folder if not given.

    Examples
    --------
    >>> import tempfile
    >>> store = ReplyStore(Path(tempfile.mkdtemp()) / "replies.sqlite")
    >>> store.put("a key", {"text": "yes"})
    >>> store.get("a key"), store.get("another")
    ({'text': 'yes'}, None)
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = Path(path or data_home() / "language-replies.sqlite")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._file = sqlite3.connect(self.path, timeout=60, check_same_thread=False)
        with self._lock, self._file:
            self._file.execute(
                "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT)"
            )

    @staticmethod
    def key(asked: Mapping[str, Any]) -> str:
        """Digest what was asked: address, model, prompt and settings; no secret."""
        text = json.dumps(asked, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def get(self, key: str) -> dict[str, Any] | None:
        """Find a reply."""
        with self._lock:
            found = self._file.execute(
                "SELECT reply FROM replies WHERE key = ?", (key,)
            ).fetchone()
        return None if found is None else json.loads(found[0])

    def put(self, key: str, reply: Mapping[str, Any]) -> None:
        """Keep a reply; it is in the file when this returns."""
        with self._lock, self._file:
            self._file.execute(
                "INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, json.dumps(reply))
            )

    def __len__(self) -> int:
        with self._lock:
            return int(self._file.execute("SELECT COUNT(*) FROM replies").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._file.close()
