"""Search again where another setting was chosen than in the published execution.

The search is done again, a fixed number of times, none of them left out: first with
the columns as they are, then in other orders, which change nothing but rounding. For
DLLP the columns stay and the first weights change, for the published ones had no seed.
EM/LR is searched with fits that are cut short as published, and with exact ones.

The published setting is `ahead` of ours where its criterion is smaller, or as small and
it stands first in the grid. That it is ahead somewhere shows that the order of the two
is no property of the data; that it is `chosen` is more, for a grid has further
settings. What the test can tell depends on how many of these are ahead of ours
somewhere, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

TABLE = Path(__file__).with_name("choices.csv")
KEYS = ("dataset", "learner", "strategy", "execution")
CAPPED = "fits cut short there, exact here"
CUT, EXACT = "cut short", "exact"
COLUMNS = (*KEYS, "fits", "number", "theirs", "ours", "chosen", "ahead", "settings")


def verdict(criteria: ArrayLike, theirs: int, ours: int) -> dict[str, Any]:
    """Tell what one search says of two settings of its grid."""
    values = np.asarray(criteria, dtype=np.float64)
    # The first among equals; what failed comes last.
    ranked = np.argsort(values, kind="stable").tolist()
    ahead = sorted(ranked[: ranked.index(ours)])
    names = {theirs: "theirs", ours: "ours"}
    return {
        "theirs": round(float(values[theirs]), 6),
        "ours": round(float(values[ours]), 6),
        "chosen": names.get(ranked[0], "another"),
        # The published setting goes by a name, the others by their place in the grid.
        "ahead": " ".join(names.get(place, str(place)) for place in ahead),
        "settings": len(values),
    }


@dataclass(frozen=True)
class Choice:
    """What all searches of one execution say."""

    learner: str
    searches: int
    # How often the published setting is ahead of ours, and how often it wins.
    ahead: int
    chosen: int
    # How many other settings are ahead of ours somewhere, of how many.
    others: int
    of_others: int
    theirs: float
    ours: float
    exact: int
    exact_ahead: int

    @property
    def cause(self) -> str:
        """Name what decides between the two settings."""
        told = f"ahead in {self.ahead} of {self.searches}, chosen in {self.chosen}"
        if not self.ahead:
            return f"open ({told})"
        if self.learner == "dllp":
            return f"first weights, which had no seed ({told})"
        if self.exact and not self.exact_ahead:
            return f"{CAPPED} ({told}; exact: ahead in 0 of {self.exact})"
        return f"rounding ({told})"


def choice(rows: pd.DataFrame) -> Choice | None:
    """Sum up the searches of one execution; nothing if there are none."""
    if rows.empty:
        return None
    names = rows["ahead"].fillna("").astype(str).str.split()
    is_ahead = names.map(lambda one: "theirs" in one)
    is_exact = rows["fits"] == EXACT
    as_published = rows[~is_exact]
    others = set(names[~is_exact].explode().dropna()) - {"theirs"}
    return Choice(
        learner=str(rows["learner"].iloc[0]),
        searches=len(as_published),
        ahead=int(is_ahead[~is_exact].sum()),
        chosen=int((as_published["chosen"] == "theirs").sum()),
        others=len(others),
        of_others=int(as_published["settings"].iloc[0]) - 2,
        theirs=float(as_published["theirs"].mean()),
        ours=float(as_published["ours"].mean()),
        exact=int(is_exact.sum()),
        exact_ahead=int(is_ahead[is_exact].sum()),
    )


def choices(table: pd.DataFrame) -> dict[tuple[Any, ...], Choice]:
    """Sum up all searches, execution by execution."""
    groups = table.groupby(list(KEYS), sort=False)
    summed = {tuple(keys): choice(rows) for keys, rows in groups}
    return {keys: one for keys, one in summed.items() if one is not None}


def summary(found: Sequence[tuple[str, Choice]]) -> list[str]:
    """Show what decides between two settings, execution by execution.

    `found` has the first cells of each row.
    """
    lines = [
        "| learner | data set | strategy | execution | searches | criterion, published "
        "setting | ours | published ahead | chosen | others ahead somewhere |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for cells, one in found:
        others = f"{one.others} of {one.of_others}" if one.of_others else ""
        lines.append(
            f"| {cells} | {one.searches} | {one.theirs:.4f} | {one.ours:.4f} | "
            f"{one.ahead} | {one.chosen} | {others} |"
        )
    return lines
