"""Section *Do it again*: where the numbers come from and how to get them again."""

from __future__ import annotations

import hashlib

import caveat
from caveat.board.page import _sentences as sentences
from caveat.board.page._run_section import library_versions
from caveat.board.page._study import Study
from caveat.pages import (
    Facts,
    Prose,
    Section,
    count,
    name,
    names,
    prose,
    say,
    shorten,
)


def again_section(study: Study, command: str) -> Section:
    """Give the command, the digest of the ledger and the versions."""
    protocols = sorted(study.trials["protocol"].dropna().astype(str).unique())
    pairs: list[tuple[str, Prose | str]] = [
        ("Beside this page", "figures/ (SVG, PNG), tables/ (CSV, LaTeX)"),
        (
            "Ledger",
            say(
                "{n} trials, sha256 {digest} of their keys and states",
                n=count(len(study.trials) + len(study.baseline)),
                digest=_spaced(records_digest(study)),
            ),
        ),
    ]
    if protocols:
        pairs.append(("Protocol", names(protocols)))
    pairs.append(("Trials ran with", _versions(study)))
    pairs.append(("Page made by", f"caveat {caveat.__version__}"))
    return Section(
        name="again",
        eyebrow="Do it again",
        heading=sentences.SAME_PAGE,
        blocks=[Facts(pairs, command)],
    )


def records_digest(study: Study) -> str:
    """Return a digest of what the page rests on.

    A trial is a pure function of its spec, and its key a digest of the spec; so keys
    and states say which results there are, in whatever order they were written.
    """
    digest = hashlib.sha256()
    for trials in (study.trials, study.baseline):
        lines = trials["key"].astype(str) + " " + trials["state"].astype(str)
        text = "\n".join(sorted(lines))
        digest.update(text.encode("utf-8", errors="backslashreplace"))
    return digest.hexdigest()


def _spaced(digest: str) -> str:
    return f"{digest[:4]} {digest[4:8]} … {digest[-4:]}"


def _versions(study: Study) -> Prose:
    found = library_versions(study)
    if not found:
        return prose("versions were not recorded")
    words = prose("")
    for number, (library, versions) in enumerate(found.items()):
        words = words + (", " if number else "") + name(library)
        words = words + " " + shorten(" and ".join(versions), 60)
    return words
