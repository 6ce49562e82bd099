"""`caveat bags`: what could be learnt from the shares of groups alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caveat.cli._again import command_again
from caveat.cli._console import Progress, duration, note, say, table
from caveat.cli._folder import Folder
from caveat.cli._remark import Remark, show_remarks
from caveat.exceptions import InvalidInput, UnknownName

if TYPE_CHECKING:
    from caveat.bags import BagExamination
    from caveat.datasets import Dataset

RULE = "split-bag-shuffle"
"""How settings are chosen in the headline table."""
MOST_CLASSES = 6
"""How many classes have their shares shown, at most."""


@click.command(
    epilog="Example:  caveat bags loans.csv --target default --by region --out bags"
)
@click.argument("file", metavar="FILE")
@click.option("--target", metavar="COL", required=True, help="Column with the labels.")
@click.option("--by", metavar="COL", required=True, help="Column that makes groups.")
@click.option("--positive", metavar="LABEL", help="Class that F1 is about.")
@click.option("--drop", metavar="COL", multiple=True, help="Column to leave out.")
@click.option("--learner", metavar="NAME", multiple=True, help="Learner to try.")
@click.option("--repeats", metavar="N", type=int, default=3, show_default=True)
@click.option(
    "--smallest",
    metavar="N",
    type=int,
    default=10,
    show_default=True,
    help="Leave out groups with fewer rows.",
)
@click.option("--keep-by", is_flag=True, help="Let learners see the grouping column.")
@click.option(
    "--rows",
    metavar="N",
    type=int,
    default=10_000,
    show_default=True,
    help="Look at a random sample of so many rows at most.",
)
@click.option("--seed", metavar="N", type=int, default=0, show_default=True)
@click.option("--out", type=Folder(), help="Folder for a page with figure and tables.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON only.")
def bags(
    file: str,
    target: str,
    by: str,
    positive: str | None,
    drop: tuple[str, ...],
    learner: tuple[str, ...],
    repeats: int,
    smallest: int,
    keep_by: bool,
    rows: int,
    seed: int,
    out: str | None,
    as_json: bool,
) -> None:
    """Tell how well the labels of FILE could be learnt from group shares alone.

    The labels are hidden; only the share of each label in each group is kept. caveat
    says how groups depend on labels and rows, how far learners get with the shares,
    what a learner with every label would reach, and what it costs to choose
    settings without labels.
    """
    from caveat.bags import examine_bags
    from caveat.bags._examine import QUICK_LEARNERS

    dataset = _dataset(file, target, by, drop)
    if rows < 50:
        raise InvalidInput(f"--rows: found {rows}; expected at least 50")
    progress = Progress(f"bags, {dataset.name}")
    found = examine_bags(
        dataset.X,
        dataset.y,
        by,
        kinds=dataset.kinds,
        positive=_label(dataset, positive),
        learners=learner or QUICK_LEARNERS,
        repeats=repeats,
        smallest=smallest,
        keep_by=keep_by,
        max_items=rows,
        random_state=seed,
        progress=progress.update,
    )
    progress.close()
    remarks = make_remarks(found)
    if as_json:
        names = {"file": Path(file).name, "target": target, "by": by}
        click.echo(json.dumps(names | found.to_dict(), indent=2, default=str))
    else:
        _show(found, dataset, file, target, by)
        show_remarks(remarks)
    where = ""
    if out is not None:
        from caveat.cli._bags_page import write_page

        command = command_again(click.get_current_context(), file, out)
        index = write_page(found, remarks, command, Path(file).name, target, by, out)
        where = f" Page: {index}"
    if as_json:
        note(where.strip() or conditions(found))
    else:
        say(f"{conditions(found)} {duration(found.seconds)}.{where}", "dim")


def make_remarks(found: BagExamination) -> list[Remark]:
    """Collect the caveats that belong beside the table, worst first."""
    learners = found.by_learner(RULE)
    full = float(found.supervised["f1"].mean())
    remarks = []
    if len(learners):
        best, score = learners.index[0], float(learners["f1"].iloc[0])
        if score < 0.5 * full:
            remarks.append(
                Remark(
                    "serious",
                    f"Shares alone reach an F1 of {score:.2f} at best, every label "
                    f"{full:.2f}: these groups do not carry the labels.",
                    f"{score:.2f}",
                    f"{best}, chosen by {RULE}",
                )
            )
        if score > full:
            remarks.append(
                Remark(
                    "note",
                    f"Shares scored {score - full:.2f} higher than every label: the "
                    "reference is a logistic regression that is not tuned for F1.",
                    f"{score - full:.2f}",
                    conditions(found),
                )
            )
        regrets = found.by_rule()
        if len(regrets) and float(regrets.iloc[0]) > 0.05:
            remarks.append(
                Remark(
                    "careful",
                    f"Choosing settings without labels costs {regrets.iloc[0]:.2f} F1 "
                    f"even by the best rule, {regrets.index[0]}.",
                    f"{regrets.iloc[0]:.2f}",
                )
            )
    if found.hardness.proportion_std < 0.02:
        remarks.append(
            Remark(
                "careful",
                "The groups have almost the same shares: what differs between them is "
                "mostly chance.",
                f"{found.hardness.proportion_std:.3f}",
                "standard deviation of the share over groups",
            )
        )
    if found.variant.variant in ("intermediate", "hard"):
        remarks.append(
            Remark(
                "careful",
                "Groups differ in more than their labels; mean maps and forward "
                "correction assume that they do not.",
            )
        )
    remarks += [
        Remark("note", text[0].upper() + text[1:] + ".") for text in found.notes
    ]
    order = ("serious", "careful", "note")
    return sorted(remarks, key=lambda remark: order.index(remark.severity))


def conditions(found: BagExamination) -> str:
    """Say under which conditions the numbers hold."""
    repeats = found.supervised["repeat"].nunique()
    return (
        f"{len(found.bags.kept):,} rows in {len(found.bag_names):,} groups, "
        f"{repeats} division{'s' * (repeats > 1)}, a quarter of the rows for the test."
    )


def told_classes(found: BagExamination) -> list[int]:
    """Classes whose shares are shown: the second of two, else those that vary most."""
    if len(found.classes) == 2:
        return [1]
    spread = found.bags.proportions.std(axis=0)
    return sorted(range(len(spread)), key=lambda c: -spread[c])[:MOST_CLASSES]


def _show(
    found: BagExamination, dataset: Dataset, file: str, target: str, by: str
) -> None:
    n_rows = len(dataset.X)
    say(f"{Path(file).name}, target {target}, groups {by}: {n_rows:,} rows")
    hardness = found.hardness
    say(
        f"{len(found.bag_names):,} groups of {hardness.size_min:,} to "
        f"{hardness.size_max:,} rows; separation {hardness.separation:.3f}"
    )
    for c in told_classes(found):
        shares = found.bags.proportions[:, c]
        say(f"share of {found.classes[c]}: {shares.min():.3f} to {shares.max():.3f}")
    say("")
    for line in str(found.variant).splitlines():
        say(line)
    say("")
    learners = found.by_learner(RULE)
    best = found.by_learner("best possible")["f1"]
    cells = [
        [
            name,
            f"{row.f1:.3f}",
            f"{best.get(name, float('nan')):.3f}",
            f"{row.regret:.3f}",
            f"{row.auc:.3f}",
        ]
        for name, row in learners.iterrows()
    ]
    full = found.supervised
    cells.append(
        [
            "with every label",
            f"{full['f1'].mean():.3f}",
            "",
            "",
            f"{full['auc'].mean():.3f}",
        ]
    )
    header = ["learner", "F1", "best setting", "regret", "AUC"]
    table(header, cells, right=(1, 2, 3, 4), bold=(1,))
    say("")
    rules = [[rule, f"{value:.3f}"] for rule, value in found.by_rule().items()]
    table(["settings chosen by", "mean regret"], rules, right=(1,), bold=(1,))
    say("")


def _dataset(file: str, target: str, by: str, drop: tuple[str, ...]) -> Dataset:
    from caveat.datasets import read

    if by == target:
        raise InvalidInput(
            f"--by: {by!r} is the target itself; group by another column"
        )
    dataset = read(file, target=target, drop=drop)
    if dataset.task == "regression":
        raise InvalidInput(
            f"--target: {target!r} holds {dataset.y.nunique():,} distinct numbers; "
            "shares are about classes: choose another column"
        )
    if dataset.task not in ("binary", "multiclass"):
        raise InvalidInput(
            f"{file}: the file holds {dataset.task} data; shares need a class per row"
        )
    if by not in dataset.X.columns:
        raise UnknownName.among("column", by, map(str, dataset.X.columns))
    return dataset


def _label(dataset: Dataset, text: str | None) -> Any:
    """Find the class that a word on the command line stands for."""
    if text is None:
        return None
    named = {str(label): label for label in dataset.y.unique()}
    if text not in named:
        raise UnknownName.among("label", text, named)
    return named[text]
