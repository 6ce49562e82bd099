"""The scan of a folder of pictures: how they were taken, and which are copies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.audit.scan._finding import Finding, Scan, ordered
from caveat.audit.scan._scan import scan
from caveat.datasets import from_frame, picture_facts
from caveat.exceptions import InvalidInput

_TARGET = "class"
_NOT_ASKED = ("file", "digest", "outline")
# What a file is like rather than what it shows: there classes have no reason to differ.
_OF_THE_FILE = ("width", "height", "mode", "format", "number in name")
_NEAR = 12
_MOST_COMPARED = 8_000
_MOST_LISTED = 200


def scan_pictures(folder: str | Path, *, seed: int = 0) -> Scan:
    """Ask how well pictures tell their class without what they show.

    Size, mode, format, compression, brightness, border and the number in a name are
    columns of a scan; copies are found by their pixels, near copies by an outline that
    survives resizing and compression.

    Parameters
    ----------
    folder : path
        Holds a folder of pictures per class.
    seed : int

    Returns
    -------
    Scan
        Rows of its findings number the pictures by class, then by name.

    Warnings
    --------
    Classes that differ in brightness may do so in the world, too: snow is bright.
    """
    facts = picture_facts(folder)
    if facts[_TARGET].nunique() < 2:
        raise InvalidInput(f"{folder} holds one class; a scan needs two")
    table = facts.drop(columns=list(_NOT_ASKED))
    asked = scan(from_frame(table, _TARGET), seed=seed)
    shape = [one for one in asked.findings if one.kind in ("imbalance", "small")]
    findings = [*_capture(asked.columns), *_copies(facts), *shape]
    return Scan(ordered(findings), asked.columns, asked.floor, asked.sampled)


def _capture(columns: pd.DataFrame) -> Iterator[Finding]:
    """Name what of the way pictures were taken tells their class."""
    for row in columns.itertuples():
        if not isinstance(row.low, float) or not row.alone > row.null_high:
            continue
        of_file = row.column in _OF_THE_FILE
        serious, careful = (0.75, 0.6) if of_file else (0.85, 0.7)
        if not row.low > careful:
            continue
        yield Finding(
            kind="capture",
            severity="serious" if row.low > serious else "careful",
            columns=(str(row.column),),
            number=float(row.alone),
            low=float(row.low),
            high=float(row.high),
            measure="auc",
            sentence=(
                f"The {row.column} of a picture tells its class: AUC {row.alone:.3f} "
                f"({row.low:.3f} to {row.high:.3f}), without what it shows."
            ),
            fix=(
                f"Take or convert pictures of all classes alike in {row.column}, and "
                "judge the model on pictures from elsewhere."
            ),
            size=1 + 2 * float(row.low) - 1,
        )


def _copies(facts: pd.DataFrame) -> Iterator[Finding]:
    codes = pd.factorize(facts["digest"])[0]
    again = np.bincount(codes)[codes] > 1
    labels = pd.factorize(facts[_TARGET])[0]
    if again.any():
        extra = len(codes) - len(np.unique(codes))
        yield _finding("duplicate", extra / len(codes), again, "pixel by pixel")
    torn = _torn(codes, labels)
    if torn.any():
        share = float(torn.mean())
        words = "the same picture stands in folders of two classes"
        yield _finding("conflict", share, torn, words)
    near = _near(facts, codes)
    if near.sum() > 1:
        yield _finding("near-duplicate", float(near.mean()), near, "nearly")


def _torn(codes: NDArray[np.intp], labels: NDArray[np.intp]) -> NDArray[np.bool_]:
    both = pd.Series(labels).groupby(codes).transform("nunique")
    return (both > 1).to_numpy()


def _near(facts: pd.DataFrame, codes: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Mark pictures whose outline differs in few places from that of another."""
    first = ~pd.Series(codes).duplicated().to_numpy()
    chosen = np.flatnonzero(first)[:_MOST_COMPARED]
    packed = np.frombuffer(
        b"".join(facts["outline"].iloc[chosen]), dtype=np.uint64
    ).reshape(len(chosen), -1)
    flat = facts["contrast"].to_numpy()[chosen] < 2
    found = np.zeros(len(facts), dtype=bool)
    for i in range(len(chosen) - 1):
        differ = np.bitwise_count(packed[i + 1 :] ^ packed[i]).sum(axis=1)
        alike = (differ <= _NEAR) & ~flat[i + 1 :] & ~flat[i]
        if alike.any():
            found[chosen[i]] = True
            found[chosen[i + 1 :][alike]] = True
    return found


def _finding(kind: str, share: float, marked: NDArray[np.bool_], words: str) -> Finding:
    many = int(marked.sum())
    sentence = (
        f"{many:,} pictures: {words}."
        if kind == "conflict"
        else f"{many:,} pictures are copies of one another, {words}."
    )
    return Finding(
        kind=kind,
        severity="serious" if share >= 0.05 else "careful" if share >= 0.01 else "note",
        rows=tuple(int(i) for i in np.flatnonzero(marked)[:_MOST_LISTED]),
        number=share,
        measure="share",
        sentence=sentence,
        fix="Keep one of each, or keep copies together in every split.",
        size=0.8 + share,
    )
