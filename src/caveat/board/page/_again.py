"""Section *Do it again*: where the numbers come from and how to get them again."""

from __future__ import annotations

import pandas as pd

import caveat
from caveat.board.page import _sentences as sentences
from caveat.board.page._run_section import library_versions
from caveat.board.page._study import Study
from caveat.pages import (
    Facts,
    Prose,
    Section,
    code,
    count,
    name,
    names,
    prose,
    say,
    shorten,
)
from caveat.study import trials_digest

_UNPROVEN = (
    "; they come from an older caveat, whose records carry no digests, so nothing "
    "shows that they are what was written"
)


def again_section(study: Study, command: str) -> Section:
    """Give the command, the digest of the ledger and the versions."""
    protocols = sorted(study.trials["protocol"].dropna().astype(str).unique())
    pairs: list[tuple[str, Prose | str]] = [
        ("Beside this page", "figures/ (SVG, PNG), tables/ (CSV, LaTeX)"),
        (
            "Ledger",
            say(
                "{n} trials, {digest} is the sha256 of their records{proven}",
                n=count(len(study.trials) + len(study.baseline)),
                digest=code(records_digest(study)),
                proven="" if study.proven else _UNPROVEN,
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
    """Return the digest of all records that the page rests on, the baseline's too."""
    return trials_digest(pd.concat([study.trials, study.baseline]))


def _versions(study: Study) -> Prose:
    found = library_versions(study)
    if not found:
        return prose("versions were not recorded")
    words = prose("")
    for number, (library, versions) in enumerate(found.items()):
        words = words + (", " if number else "") + name(library)
        words = words + " " + shorten(" and ".join(versions), 60)
    return words
