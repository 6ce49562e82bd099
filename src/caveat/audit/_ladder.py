"""What survives: the remedies that a table calls for, each keeping those above it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from caveat.audit.scan import Finding

LEAKS = ("leak", "pair-leak", "missing-leak")
COPIES = ("duplicate", "near-duplicate")


@dataclass(frozen=True)
class Step:
    """One way to judge a model: which columns it gets, which rows stay together.

    Attributes
    ----------
    remedy : {"stands", "leak", "group", "copies", "time"}
        What it adds to the step before; "stands" adds nothing.
    about : tuple of str
        Columns that the remedy is about.
    drop : tuple of str
        Columns that models do not get.
    groups : str or None
        Rows with one value of this column are never on both sides.
    copies : bool
        Whether exact and near copies of a row are never on both sides.
    time : str or None
        Rows are judged by models of earlier rows, in the order of this column.
    """

    remedy: str = "stands"
    about: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    groups: str | None = None
    copies: bool = False
    time: str | None = None

    @property
    def rows(self) -> tuple[Any, ...]:
        """All that decides which rows judge; equal where two steps can be paired."""
        return (self.groups, self.copies, self.time)

    def to_dict(self) -> dict[str, Any]:
        """Write it as a study file does."""
        return {name: _plain(value) for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Step:
        """Read back what `to_dict` wrote."""
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in found.items()
        }
        return cls(**given)


def make_ladder(
    findings: Iterable[Finding],
    *,
    features: Iterable[str],
    groups: str | None,
    time: str | None,
    clock: str | None,
    test: bool,
) -> list[Step]:
    """Lay out the steps: as it stands, then remedy after remedy.

    Parameters
    ----------
    findings : iterable of Finding
        Of the scan; those that are only notes call for no remedy.
    features : iterable of str
        Columns that models get.
    groups, time : str or None
        How the user wants the rows to be split: no finding, but the rule from the
        first step on.
    clock : str or None
        A column that orders the rows in time, though nobody said so.
    test : bool
        Whether a file of test rows judges: then only columns can be mended.
    """
    found = [one for one in findings if one.severity != "note"]
    usable = set(features)
    step = Step(groups=groups, time=time)
    ladder = [step]
    owners = [c for one in found if one.kind == "group" for c in one.columns][:1]
    leaks = [c for one in found if one.kind in LEAKS for c in one.columns]
    # A column that names groups tells the target through them: its step is the split.
    leaks = [n for n in dict.fromkeys(leaks) if n in usable and n not in owners]
    if leaks and len(leaks) < len(usable):
        step = replace(step, remedy="leak", about=tuple(leaks), drop=tuple(leaks))
        ladder.append(step)
    if test:
        return ladder
    if owners and groups is None:
        step = replace(step, remedy="group", about=(owners[0],), groups=owners[0])
        ladder.append(step)
    if any(one.kind in COPIES for one in found):
        step = replace(step, remedy="copies", about=(), copies=True)
        ladder.append(step)
    if clock is not None and time is None:
        step = replace(step, remedy="time", about=(clock,), time=clock)
        ladder.append(step)
    return ladder


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
