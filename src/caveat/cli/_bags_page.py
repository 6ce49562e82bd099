"""The page of `caveat bags`: what the shares of groups teach, and what they do not."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import getdoc
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caveat import pages as kit
from caveat.bags.registry import LEARNERS, RULES
from caveat.cli._again import again_section
from caveat.cli._bags import RULE, conditions, told_classes
from caveat.cli._remark import Remark, caveats_of

if TYPE_CHECKING:
    from caveat.bags import BagExamination
    from caveat.pages import Canvas

_MOST_GROUPS = 200


def write_page(
    found: BagExamination,
    remarks: Sequence[Remark],
    command: str,
    file: str,
    target: str,
    by: str,
    out: str,
) -> Path:
    """Write the page and its files; return the page's path."""
    learners = found.by_learner(RULE)
    full = float(found.supervised["f1"].mean())
    title = "No learner could use these groups."
    if len(learners):
        title = f"Shares alone reach an F1 of {learners['f1'].iloc[0]:.2f}."
    chapter = kit.Chapter(
        "",
        kit.say(
            "Bags of {file}, target {target}, groups {by}",
            file=kit.code(file),
            target=kit.code(target),
            by=kit.code(by),
        ),
        title,
        f"A model with every label reaches {full:.2f}. {found.variant.sentence()}",
        figure=_one_line(found),
        sections=[
            _groups_section(found),
            _variant_section(found),
            _learner_section(found, remarks),
            _rule_section(found),
            again_section(conditions(found), command),
        ],
        checks="Shares were held against labels on rows that no learner saw.",
    )
    return kit.write(kit.Page([chapter]), out)


def _groups_section(found: BagExamination) -> kit.Section:
    table, hardness = found.bags.proportions, found.hardness
    told = told_classes(found)
    first = table[:, told[0]]
    order = sorted(range(len(first)), key=lambda bag: -first[bag])
    columns = [
        kit.Column("Group", "name"),
        kit.Column("Rows"),
        *(
            kit.Column(
                kit.say("Share of {label}", label=str(found.classes[c])),
                best="max",
                sorted=c == told[0],
            )
            for c in told
        ),
    ]
    rows = [
        kit.Row(
            [
                kit.Cell(kit.code(str(found.bag_names[bag]))),
                kit.Cell(kit.count(int(found.bags.sizes[bag]))),
                *(
                    kit.Cell(kit.fixed(table[bag, c], 3), value=float(table[bag, c]))
                    for c in told
                ),
            ]
        )
        for bag in order[:_MOST_GROUPS]
    ]
    facts: list[tuple[str, Any]] = [
        ("Spread of the shares", f"{hardness.proportion_std:.3f} (standard deviation)"),
        ("Separation", f"{hardness.separation:.3f} (1: groups look alike)"),
        ("Rows in a group", f"{hardness.size_mean:.0f} on average"),
    ]
    return kit.Section(
        "groups",
        "The groups",
        f"{kit.count(len(first))} groups, shares from {first.min():.2f} to "
        f"{first.max():.2f}",
        lead="The larger the spread of the shares, and the smaller the groups, the "
        "more they tell.",
        blocks=[
            kit.Facts(facts),
            kit.Table("shares", "Share in every group", columns, rows, titled=True),
        ],
    )


def _variant_section(found: BagExamination) -> kit.Section:
    columns = [
        kit.Column("Independent?", "name"),
        kit.Column("Decision", "text"),
        kit.Column("p-value"),
    ]
    rows = [
        kit.Row(
            [
                kit.Cell(row.question),
                kit.Cell(row.decision),
                kit.Cell(f"{row.p_value:.3g}", value=float(row.p_value)),
            ]
        )
        for row in found.variant.to_frame().itertuples()
    ]
    return kit.Section(
        "variant",
        "The variant",
        kit.prose(found.variant.sentence().rstrip(".")),
        lead="How groups depend on rows and labels decides which learners can work.",
        blocks=[kit.Table("tests", "Five tests", columns, rows, titled=True)],
        caveats=[
            kit.Caveat(
                "note",
                "Four of the five p-values are approximate: read them as decisions.",
                "Four",
                f"{found.variant.n_items:,} rows were looked at",
            )
        ],
    )


def _learner_section(found: BagExamination, remarks: Sequence[Remark]) -> kit.Section:
    learners = found.by_learner(RULE)
    best = found.by_learner("best possible")["f1"]
    columns = [
        kit.Column("Learner", "name"),
        kit.Column("F1", best="max", sorted=True),
        kit.Column("Best setting"),
        kit.Column("Regret", best="min"),
        kit.Column("AUC", best="max"),
    ]
    rows = [
        kit.Row(
            [
                kit.Cell(LEARNERS[str(name)].title if name in LEARNERS else str(name)),
                kit.Cell(kit.fixed(row.f1), value=float(row.f1), tone="strong"),
                kit.Cell(kit.fixed(best[name]), value=float(best[name])),
                kit.Cell(kit.fixed(row.regret), value=float(row.regret)),
                kit.Cell(kit.fixed(row.auc), value=float(row.auc)),
            ]
        )
        for name, row in learners.iterrows()
    ]
    full = found.supervised
    rows.append(
        kit.Row(
            [
                kit.Cell("with every label"),
                kit.Cell(kit.fixed(full["f1"].mean()), value=float(full["f1"].mean())),
                kit.Cell(""),
                kit.Cell(""),
                kit.Cell(
                    kit.fixed(full["auc"].mean()), value=float(full["auc"].mean())
                ),
            ],
            place="bottom",
        )
    )
    heading = "No learner could be fitted"
    if len(learners):
        heading = (
            f"{LEARNERS[str(learners.index[0])].title} gets furthest: "
            f"{learners['f1'].iloc[0]:.2f}, with every label {full['f1'].mean():.2f}"
        )
    return kit.Section(
        "learners",
        "The learners",
        heading,
        lead=f"Settings chosen by {RULE}, without a label; scores on rows that no "
        "learner saw.",
        blocks=[
            kit.Table(
                "scores",
                "Scores by learner",
                columns,
                rows,
                downloads=[kit.Download.csv("scores.csv", found.scores)],
            ),
            kit.Terms("Learners", [_term(str(name)) for name in learners.index]),
        ],
        caveats=caveats_of(remarks),
    )


def _rule_section(found: BagExamination) -> kit.Section:
    regrets = found.by_rule()
    rows = [
        kit.Row(
            [
                kit.Cell(str(rule)),
                kit.Cell(RULES[str(rule)].summary, tone="muted"),
                kit.Cell(kit.fixed(value), value=float(value), tone="strong"),
            ]
        )
        for rule, value in regrets.items()
    ]
    columns = [
        kit.Column("Chosen by", "name"),
        kit.Column("How", "text"),
        kit.Column("Mean regret", best="min", sorted=True),
    ]
    heading = "No rule could be used"
    if len(regrets):
        heading = f"{regrets.index[0]} loses least: {regrets.iloc[0]:.3f} F1"
    return kit.Section(
        "rules",
        "Choosing without labels",
        heading,
        lead="Regret is what the chosen setting gives up against the best one, which "
        "nobody can know without labels.",
        blocks=[kit.Table("regret", "Mean regret by rule", columns, rows)],
    )


def _one_line(found: BagExamination) -> kit.Figure | None:
    """Draw the number line: every learner, and what every label gives."""
    learners = found.by_learner(RULE)
    if not len(learners):
        return None
    full = float(found.supervised["f1"].mean())
    values = learners["f1"].astype(float)

    def draw(canvas: Canvas) -> None:
        axes = kit.number_line(canvas)
        ink, earned = canvas.colour("ink"), canvas.colour("earned")
        axes.plot(values, [0.4] * len(values), "o", color=earned, markersize=7)
        axes.axvline(full, color=ink, linewidth=2.2)
        top = float(values.iloc[0])
        kit.value_axis(axes, canvas, 0.0, 1.0, "")
        shares = (top, f"shares {top:.2f}", "earned", "bold")
        kit.line_labels(axes, canvas, 1.06, [shares])
        labels = (full, f"every label {full:.2f}", "ink", "bold")
        kit.line_labels(axes, canvas, 1.34, [labels])

    best = f"{learners.index[0]} {values.iloc[0]:.2f}"
    return kit.Figure(
        "line",
        "",
        f"F1 of {len(values)} learners from shares alone, the best {best}; with every "
        f"label {full:.2f}.",
        draw,
        size=(10.5, 1.7),
        phone_size=(3.6, 1.7),
        conditions="F1 on rows that no learner saw.",
        one_line=True,
    )


def _term(name: str) -> kit.Term:
    entry = LEARNERS[name]
    return kit.Term(name, entry.title, entry.summary, _warnings(entry.load()))


def _warnings(kind: Any) -> str:
    """Read the `Warnings` section of a docstring as one paragraph of plain words."""
    text = getdoc(kind) or ""
    _, _, rest = text.partition("Warnings\n--------\n")
    lines: list[str] = []
    for line in rest.splitlines():
        if not line.strip() and lines:
            break
        lines.append(line.strip())
    return " ".join(lines).strip().replace("`", "")
