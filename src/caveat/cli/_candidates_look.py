"""What `caveat candidates` found, and the caveats that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caveat.candidates._statistics import UNSURE, confused_pairs
from caveat.cli._remark import Remark, Severity
from caveat.pages import percent

if TYPE_CHECKING:
    import pandas as pd

    from caveat.candidates import Advice, CandidateStatistics
    from caveat.candidates._table import CandidateTable

_NOISY, _VERY_NOISY = 0.02, 0.1
_TWINS, _SAME = 0.9, 0.99
_MANY_UNSURE = 0.2


@dataclass(frozen=True)
class Look:
    """Everything that the terminal, the JSON and the page tell.

    Attributes
    ----------
    file : str
        Its name, without folders.
    data : CandidateTable
    found : CandidateStatistics
    curve : DataFrame or None
        What every further annotator adds.
    advice, suggestions : Advice, DataFrame, or None
        What was learnt, unless only a description was asked for.
    """

    file: str
    data: CandidateTable
    found: CandidateStatistics
    curve: pd.DataFrame | None
    advice: Advice | None
    suggestions: pd.DataFrame | None

    @property
    def covered(self) -> float:
        """How often the model's own label is a candidate."""
        assert self.suggestions is not None
        return float(self.suggestions["covered"].mean())

    @property
    def unsure(self) -> int:
        """How many suggestions are unsure."""
        assert self.suggestions is not None
        return int((self.suggestions["probability"] < UNSURE).sum())

    @property
    def right(self) -> float | None:
        """How many suggestions the truth column agrees with."""
        if self.suggestions is None or self.data.y is None:
            return None
        return float((self.suggestions["suggestion"].to_numpy() == self.data.y).mean())

    def confusions(self, most: int = 8) -> list[tuple[str, str, float]]:
        """List what is a candidate beside the true label, most often first."""
        return confused_pairs(self.found.flipping, self.data.sets.classes, most)

    def plain(self) -> dict[str, Any]:
        """Give the numbers for JSON."""
        found = self.found
        told: dict[str, Any] = {
            "file": self.file,
            "items": found.n_items,
            "classes": found.n_classes,
            "mean_size": found.mean_size,
            "sizes": {str(size): count for size, count in found.histogram.items()},
            "single": found.singletons,
            "full": found.full,
            "noise_rate": found.noise_rate,
            "ambiguity": found.ambiguity,
        }
        if self.curve is not None:
            told["annotators"] = self.curve.to_dict("records")
        if self.advice is not None:
            told["model"] = {
                "algorithm": self.advice.algorithm,
                "steps": self.advice.steps,
                "criterion": self.advice.criterion,
                "reason": self.advice.reason,
                "tried": self.advice.table.to_dict("records"),
                "covered": self.covered,
                "unsure": self.unsure,
            }
            if self.right is not None:
                told["model"]["right"] = self.right
        return told


def make_remarks(look: Look) -> list[Remark]:
    """Collect the caveats that belong beside the numbers."""
    remarks = [_noise(look), *_twins(look)]
    if look.advice is not None:
        remarks += [*_ties(look), *_unsure(look), _unchecked(look)]
    return remarks


def _noise(look: Look) -> Remark:
    share = look.found.noise_rate
    if share is None:
        return Remark(
            "careful",
            "How often the true label is no candidate is not known: small sets can "
            "all be wrong.",
            how="--truth names a column that knows it",
        )
    if share == 0:
        return Remark(
            "note",
            "The true label is among the candidates of every item: the sets are "
            "ambiguous, not noisy.",
            how="by the column of --truth",
        )
    severity: Severity = "note" if share < _NOISY else "careful"
    return Remark(
        "serious" if share >= _VERY_NOISY else severity,
        f"The true label is no candidate of {percent(share)} of the items: no choice "
        "among candidates can be right there.",
        percent(share),
        "by the column of --truth",
        size=share,
    )


def _twins(look: Look) -> list[Remark]:
    pairs = look.confusions(1)
    if not pairs or pairs[0][2] < _TWINS:
        return []
    true, other, share = pairs[0]
    return [
        Remark(
            "serious" if share >= _SAME else "careful",
            f"{other} is a candidate of {percent(share)} of the items that are {true}: "
            "sets hardly tell the two apart.",
            percent(share),
            "the ambiguity degree of Cour, Sapp and Taskar (2011)",
            size=share,
            section="confusions",
        )
    ]


def _ties(look: Look) -> list[Remark]:
    """Say where the criterion cannot tell the chosen algorithm from others."""
    advice = look.advice
    assert advice is not None
    values = advice.table[advice.criterion].to_numpy(dtype=float)
    equal = int((values.max() - values < 1.0 / max(advice.held, 1)).sum()) - 1
    if equal < 1:
        return []
    others = "one other algorithm is" if equal == 1 else f"{equal} others are"
    return [
        Remark(
            "note",
            f"By its criterion {others} less than one held-out item away: the choice "
            f"of {advice.algorithm} is no finding.",
            how=f"{advice.held:,} held-out sets",
            section="algorithms",
        )
    ]


def _unsure(look: Look) -> list[Remark]:
    share = look.unsure / max(look.found.n_items, 1)
    if share < _MANY_UNSURE:
        return []
    return [
        Remark(
            "careful",
            f"{percent(share)} of the suggestions are unsure: below {percent(UNSURE)}.",
            percent(share),
            "have those looked at first",
            size=share,
            section="suggestions",
        )
    ]


def _unchecked(look: Look) -> Remark:
    if look.right is None:
        return Remark(
            "careful",
            f"Nobody checked the {look.found.n_items:,} suggestions, and the best of "
            "several algorithms looks better than it is.",
            f"{look.found.n_items:,}",
            "have a sample looked at before you use them",
            section="suggestions",
        )
    return Remark(
        "note",
        f"{percent(look.right)} of the suggestions are right on the items that the "
        "model was fitted to; on others they may be fewer.",
        percent(look.right),
        "by the column of --truth, which chose nothing",
        section="suggestions",
    )
