"""The page of `caveat candidates`: the sets, the annotators, what can be learnt."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from caveat import pages as kit
from caveat.candidates._statistics import UNSURE
from caveat.candidates.registry import LEARNERS
from caveat.cli._again import again_section
from caveat.cli._candidates_figures import (
    algorithm_dots,
    annotator_figure,
    flip_matrix,
    label_bars,
    size_line,
)
from caveat.cli._candidates_look import Look
from caveat.cli._remark import Remark, caveats_of
from caveat.pages import percent

MODEL = "model.caveat"
SUGGESTIONS = "suggestions.csv"


def write_page(
    look: Look, remarks: Sequence[Remark], conditions: str, command: str, out: str
) -> Path:
    """Write the page and its files; return the page's path."""
    sections = [_sets_section(look, remarks)]
    if look.curve is not None:
        sections.append(_annotator_section(look))
    if look.confusions(1):
        sections.append(_confusion_section(look, remarks))
    if look.advice is not None:
        sections += [_algorithm_section(look, remarks), _suggestions(look, remarks)]
    sections.append(again_section(conditions, command))
    chapter = kit.Chapter(
        "",
        kit.say("Candidate labels of {file}", file=kit.code(look.file)),
        _title(look),
        _lede(look),
        figure=size_line(look),
        sections=sections,
        checks="Noise, twins among the labels, ties of algorithms and unsure "
        "suggestions were looked for.",
    )
    return kit.write(kit.Page([chapter]), out)


def _title(look: Look) -> str:
    found = look.found
    if found.noise_rate is None:
        noise = "how often none is true is not known"
    elif found.noise_rate == 0:
        noise = "the true one is always there"
    else:
        noise = f"in {percent(found.noise_rate)} of the items none is true"
    labels = kit.word(found.n_classes)
    return f"An item has {found.mean_size:.1f} of {labels} labels; {noise}."


def _lede(look: Look) -> str:
    if look.advice is None:
        return "Nothing was learnt from the sets: only their description was asked for."
    words = (
        f"{look.advice.algorithm}, chosen without one true label, suggests a label for "
        f"every item; {kit.count(look.unsure) if look.unsure else 'none'} of "
        f"{kit.count(look.found.n_items)} suggestions "
        f"{'is' if look.unsure == 1 else 'are'} unsure."
    )
    if look.right is not None:
        words += f" {percent(look.right)} of them are right."
    return words


def _sets_section(look: Look, remarks: Sequence[Remark]) -> kit.Section:
    found = look.found
    facts: list[tuple[str, Any]] = [
        ("Items", kit.count(found.n_items)),
        ("Classes", kit.count(found.n_classes)),
        ("Columns", f"{kit.count(look.data.X.shape[1])} to learn from"),
        ("All classes", f"{percent(found.full)} of the items: they say nothing"),
    ]
    if found.never_candidate:
        names = ", ".join(str(label) for label in found.never_candidate[:8])
        facts.append(("Never a candidate", names))
    facts += [("Noted", text) for text in look.data.notes]
    return kit.Section(
        "sets",
        "The candidates",
        f"{kit.capital(percent(found.singletons))} of the items have one candidate, "
        f"the others {_others(look):.1f} on average",
        lead="A set is ambiguous where it names several labels, and noisy where it "
        "does not name the true one.",
        blocks=[label_bars(look), kit.Facts(facts)],
        caveats=caveats_of(remarks),
    )


def _others(look: Look) -> float:
    """Mean size of the sets that name more than one label."""
    larger = look.data.sets.sizes[look.data.sets.sizes > 1]
    return float(larger.mean()) if len(larger) else 0.0


def _annotator_section(look: Look) -> kit.Section:
    curve = look.curve
    assert curve is not None
    last = curve.iloc[-1]
    people = kit.plural(int(last.annotators), "annotator")
    columns = [
        kit.Column("Annotators", "name"),
        kit.Column("Candidates"),
        kit.Column("One label"),
        kit.Column("True one missing"),
    ]
    rows = [
        kit.Row(
            [
                kit.Cell(str(int(row["annotators"])), value=float(row["annotators"])),
                kit.Cell(kit.fixed(row["mean_size"], 2)),
                kit.Cell(percent(row["single"])),
                kit.Cell(
                    "–" if row["noise"] != row["noise"] else percent(row["noise"])
                ),
            ]
        )
        for row in curve.to_dict("records")
    ]
    return kit.Section(
        "annotators",
        "The annotators",
        f"With {people} an item has {last.mean_size:.2f} candidates, with one "
        f"{curve.iloc[0].mean_size:.2f}",
        lead="Every further annotator makes sets larger, and the true label less "
        "likely to be missing.",
        blocks=[
            annotator_figure(look),
            kit.Table("curve", "What every further annotator adds", columns, rows),
        ],
    )


def _confusion_section(look: Look, remarks: Sequence[Remark]) -> kit.Section:
    pairs = look.confusions()
    true, other, share = pairs[0]
    rows = [
        kit.Row(
            [
                kit.Cell(kit.code(kit.shorten(a, 30))),
                kit.Cell(kit.code(kit.shorten(b, 30))),
                kit.Cell(percent(value), value=value),
            ]
        )
        for a, b, value in pairs
    ]
    columns = [
        kit.Column("True label", "name"),
        kit.Column("Also a candidate", "text"),
        kit.Column("How often", best="max", sorted=True),
    ]
    return kit.Section(
        "confusions",
        "What goes together",
        kit.say(
            "{other} is a candidate of {share} of the items that are {true}",
            true=kit.code(kit.shorten(true, 24)),
            other=kit.code(kit.shorten(other, 24)),
            share=percent(share),
        ),
        lead="Two labels that always come together cannot be told apart by any "
        "algorithm.",
        blocks=[
            flip_matrix(look),
            kit.Table("pairs", "Labels that come together most often", columns, rows),
        ],
        caveats=caveats_of(remarks, "confusions"),
    )


def _algorithm_section(look: Look, remarks: Sequence[Remark]) -> kit.Section:
    advice = look.advice
    assert advice is not None
    columns = [
        kit.Column("Algorithm", "name"),
        kit.Column("Covering rate", best="max"),
        kit.Column("Approximated accuracy", best="max"),
        kit.Column("Steps"),
        kit.Column("Note", "text"),
    ]
    order = advice.table.sort_values(advice.criterion, ascending=False, kind="stable")
    rows = [
        kit.Row(
            [
                kit.Cell(str(row["algorithm"])),
                _number(row["covering-rate"]),
                _number(row["approximated-accuracy"]),
                kit.Cell(kit.count(int(row["steps"])), value=float(row["steps"])),
                kit.Cell(
                    "chosen"
                    if row["algorithm"] == advice.algorithm
                    else str(row["note"])
                ),
            ]
        )
        for row in order.to_dict("records")
    ]
    terms = [
        kit.Term(f"algorithm-{name}", name, LEARNERS[name].summary)
        for name in order["algorithm"]
    ]
    return kit.Section(
        "algorithms",
        "Which algorithm",
        f"{advice.algorithm} with {kit.count(advice.steps)} steps has the best "
        f"{advice.criterion.replace('-', ' ')}",
        lead=f"No true label is needed to choose: {_spaced(advice.reason)}.",
        blocks=[
            algorithm_dots(look),
            kit.Table("tried", "What was tried, best first", columns, rows),
            kit.Terms("Algorithms", terms),
        ],
        caveats=caveats_of(remarks, "algorithms"),
    )


def _suggestions(look: Look, remarks: Sequence[Remark]) -> kit.Section:
    facts: list[tuple[str, Any]] = [
        (
            "Suggestions",
            kit.say("one for every item in {file}", file=kit.code(SUGGESTIONS)),
        ),
        ("Unsure", f"{kit.count(look.unsure)} below {percent(UNSURE)}"),
        (
            "Covered",
            f"the model's own label is a candidate of {percent(look.covered)}",
        ),
        ("For new items", kit.code(MODEL)),
    ]
    if look.right is not None:
        facts.insert(2, ("Right", f"{percent(look.right)} by the truth column"))
    sure = look.found.n_items - look.unsure
    return kit.Section(
        "suggestions",
        "The suggestions",
        f"{kit.count(sure)} of {kit.count(look.found.n_items)} suggestions have a "
        f"probability of {percent(UNSURE)} or more",
        lead="A suggestion is the most probable of an item's candidates. Sure is not "
        "right.",
        blocks=[
            kit.Facts(
                facts,
                command=f'caveat.candidates.load_model("{MODEL}").predict(new_items)',
            )
        ],
        caveats=caveats_of(remarks, "suggestions"),
    )


def _number(value: Any) -> kit.Cell:
    return kit.Cell(kit.fixed(float(value), 3), value=float(value))


def _spaced(text: str) -> str:
    return text.replace("%", f"{kit.NBSP}%")
