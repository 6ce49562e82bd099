"""A Look: the one thing that is shown: page, terminal, JSON, notebook.

A topic describes what it found as claims, sections and facts; which claim becomes the
title, what the lede says and which action follows is decided here, by one rule for all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caveat.pages._json import to_json
from caveat.pages._model import SEVERITIES, Download, Figure, Page, Section, Words
from caveat.pages._prose import Prose, join, prose
from caveat.pages._render import render
from caveat.pages._rules import Outcome, judge
from caveat.pages._sarif import to_sarif
from caveat.pages._write import write
from caveat.pages.claims import (
    AgainstFloor,
    Claim,
    Comparison,
    Condition,
    Standings,
    Tie,
    Unfinished,
    Value,
)

if TYPE_CHECKING:
    import pandas as pd

MOST_TOP_CAVEATS = 3
UNDECIDED = Condition(sentence="No number here is sure enough for a title.")


@dataclass(frozen=True)
class Look:
    """What was found, ready to be shown.

    Attributes
    ----------
    topic : str
        The command whose look it is; names the JSON schema.
    eyebrow : Prose, Span or str
        What was looked at: "EAPP of `loans.csv`, target `default`".
    claims : sequence of Claim
        All that is said. Those with a severity are caveats. The first that is no
        caveat and may lead becomes the title.
    sections : sequence of Section
        The evidence. Caveats find their section by its name.
    figure : Figure or None
        The one-line figure at the top.
    facts : mapping
        The numbers of the JSON: file, target, task, rows, columns, measure, score,
        low, high, floor, free, best_column, p_value, worst_loss, as far as known.
    extra : mapping
        Further keys that only this topic's JSON has.
    tables : mapping of str to DataFrame
    checks : Prose, Span or str
        What was looked for, said where no caveat was found.
    nothing_to_do : Prose, Span or str
        The action where no claim asks for one.
    name : str
        Begins the ids of its sections where a page holds several looks.
    """

    topic: str
    eyebrow: Words
    claims: Sequence[Claim]
    sections: Sequence[Section] = ()
    figure: Figure | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    checks: Words = ""
    nothing_to_do: Words = "Nothing to do."
    name: str = ""
    rules: Sequence[str] = ()

    @property
    def ordered(self) -> list[Claim]:
        """The caveats, worst first."""
        found = [claim for claim in self.claims if claim.severity is not None]
        return sorted(found, key=lambda c: (SEVERITIES.index(c.severity), -c.size))  # type: ignore[arg-type]

    @property
    def top(self) -> list[Claim]:
        """The caveats of the first screen: the worst, and what is unfinished."""
        waiting = [c for c in self.ordered if isinstance(c, Unfinished)][:1]
        worst = [c for c in self.ordered if c not in waiting]
        top = worst[: MOST_TOP_CAVEATS - len(waiting)] + waiting
        return [claim for claim in self.ordered if claim in top]

    @property
    def caveats(self) -> list[dict[str, Any]]:
        """The caveats as JSON values, worst first."""
        return [claim.to_dict() for claim in self.ordered]

    @property
    def leading(self) -> tuple[Claim, ...]:
        """The claims of the title: the score beside its floor, then the worst finding.

        Where a topic puts a comparison before its score, that comes first, then the
        score. What somebody asked for comes before all else. A claim leads only if its
        interval decides it. Where none does, the title says what is unfinished, or a
        plain fact, or that nothing is sure.
        """
        running = [c for c in self.claims if isinstance(c, Unfinished) and c.leads]
        return tuple(running[:1]) or self.found

    @property
    def found(self) -> tuple[Claim, ...]:
        """The claims that would lead if everything had been done."""
        able = [claim for claim in self.claims if claim.may_lead]
        scores = [c for c in able if isinstance(c, AgainstFloor | Value)]
        findings = [c for c in able if c.severity is None and c not in scores]
        score = [c for c in scores if c.severity is None][:1]
        worst = [c for c in self.ordered if c.may_lead and c.estimates][:1]
        worst = [c for c in worst if c.severity != "note"]
        asked = [claim for claim in findings if claim.asked][:1]
        if asked:
            return (*asked, *worst)
        orders = (Comparison, Tie, Standings)
        first = next((c for c in findings if isinstance(c, orders)), None)
        if first and (not score or able.index(first) < able.index(score[0])):
            return (first, *score)
        if score and score[0].whole:
            worst = []
        found = tuple(score + worst) or tuple(findings[:1])
        if found:
            return found
        undecided = [c for c in self.claims if isinstance(c, Unfinished)]
        plain = [c for c in self.claims if c.severity is None and not c.estimates]
        return (*undecided, *plain, UNDECIDED)[:1]

    @property
    def headline(self) -> Prose:
        """The title, with its structure."""
        return join([claim.short for claim in self.leading])

    @property
    def title(self) -> str:
        """The title as plain text."""
        return str(self.headline)

    @property
    def lede(self) -> Prose:
        """The findings of the title with intervals and tests; caveats stand below."""
        said = [claim for claim in self.found if claim.severity is None]
        words = join([part for c in said for part in (c.words, prose(c.how))])
        return words if self.leading == self.found else prose("So far: ") + words

    @property
    def action(self) -> Prose:
        """What to do now: the fix of the title, of what was asked, or of the worst."""
        first = [one for one in self.claims if one.asked and one.severity is None]
        order = (*self.leading, *first, *self.ordered, *self.claims)
        asked = [claim.fix for claim in order if claim.fix]
        return prose(asked[0] if asked else self.nothing_to_do)

    @property
    def unfinished(self) -> list[str]:
        """What was planned and not done, in words."""
        return [str(c.words) for c in self.claims if isinstance(c, Unfinished)]

    @property
    def complete(self) -> bool:
        """Whether all that was planned was done."""
        return not self.unfinished

    @property
    def files(self) -> list[Download]:
        """The tables, as they are written beside the page."""
        return [
            replace(Download.csv(f"{name}.csv", table), label=f"{name}.csv")
            for name, table in self.tables.items()
        ]

    @property
    def outcomes(self) -> list[Outcome]:
        """What became of the rules."""
        return judge(self.rules, self)

    def filled_sections(self) -> list[Section]:
        """Put every caveat beside its section; the worst stand at the top instead."""
        rest = [claim for claim in self.ordered if claim not in self.top]
        home = {section.name for section in self.sections}
        first = self.sections[0].name if self.sections else ""
        return [
            replace(
                section,
                caveats=[
                    *section.caveats,
                    *(
                        claim
                        for claim in rest
                        if (claim.section if claim.section in home else first)
                        == section.name
                    ),
                ],
            )
            for section in self.sections
        ]

    def to_json(self, page: str | None = None) -> str:
        """Write it as JSON, in the one shape that all looks have."""
        return to_json(self, page)

    def to_sarif(self) -> dict[str, Any]:
        """Give the caveats in the form that code hosts show beside a change."""
        return to_sarif(self)

    def save(self, folder: str | Path) -> Path:
        """Write the page with its figures and tables; return the path of the page."""
        return write(Page([self]), folder)

    def _repr_html_(self) -> str:
        """Show the page in a notebook, kept apart from the notebook's own style."""
        text = escape(render(Page([self])), quote=True)
        return (
            f'<iframe srcdoc="{text}" title="{escape(self.title, quote=True)}" '
            'style="width:100%;height:80vh;border:0"></iframe>'
        )
