"""`caveat list`: what there is to use."""

from __future__ import annotations

import click

from caveat.cli._console import say, table

WHAT = ["datasets", "learners", "measures", "scenarios", "studies", "topics", "rules"]


@click.command("list", epilog="Example:  caveat list learners --topic supervised")
@click.argument("what", type=click.Choice(WHAT))
@click.option("--topic", metavar="NAME", help="Of one topic only.")
@click.option("--data-home", metavar="DIR", help="The local data folder.")
def list_(what: str, topic: str | None, data_home: str | None) -> None:
    """List data sets, learners, measures, scenarios, studies, topics or rules."""
    if what == "datasets":
        _datasets(data_home)
    elif what == "studies":
        _studies(topic)
    elif what == "topics":
        _topics()
    else:
        _entries(what, topic)


def _datasets(data_home: str | None) -> None:
    from caveat.datasets import available

    frame = available(data_home=data_home) if data_home else available()
    columns = ["name", "task", "rows", "columns", "cached", "source"]
    rows = [
        [_cell(row[column]) for column in columns]
        for row in frame.to_dict(orient="records")
    ]
    table(columns, rows, right=(2, 3), bold=(0,))


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return "" if value != value else f"{value:,.0f}"
    return "" if value is None else str(value)


def _studies(topic: str | None) -> None:
    from caveat.study import registered_studies

    rows = [
        [name, found]
        for name, found in registered_studies().items()
        if topic in (None, found)
    ]
    table(["study", "topic"], rows, bold=(0,))
    say("Run one by its name: caveat run NAME --dry-run")


def _topics() -> None:
    from caveat.study import TOPICS

    rows = [[entry.name, entry.summary] for entry in TOPICS.values()]
    table(["topic", "what it is about"], rows, bold=(0,))


def _entries(what: str, topic: str | None) -> None:
    from caveat.study import TOPICS

    names = [topic] if topic is not None else list(TOPICS)
    rows = []
    for name in names:
        registry = getattr(TOPICS[name].load(), what, None)
        for entry in registry.values() if registry is not None else ():
            needs = f"extra: {entry.extra}" if entry.extra else ""
            rows.append([name, entry.name, entry.summary, entry.paper, needs])
    table(["topic", what[:-1], "", "", ""], rows, bold=(1,))
