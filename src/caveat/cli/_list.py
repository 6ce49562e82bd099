"""`caveat list`: what there is to use."""

from __future__ import annotations

from typing import Any

import click

from caveat.cli._console import print_json, say, table

WHAT = ["datasets", "learners", "measures", "scenarios", "studies", "topics", "rules"]


@click.command("list", epilog="Example:  caveat list learners --topic supervised")
@click.argument("what", type=click.Choice(WHAT))
@click.option("--topic", metavar="NAME", help="Of one topic only.")
@click.option("--data-home", metavar="DIR", help="The local data folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object only.")
def list_(what: str, topic: str | None, data_home: str | None, as_json: bool) -> None:
    """List data sets, learners, measures, scenarios, studies, topics or rules."""
    if what == "datasets":
        rows = _datasets(data_home)
    elif what == "studies":
        rows = _studies(topic)
    elif what == "topics":
        rows = _topics()
    else:
        rows = _entries(what, topic)
    if as_json:
        print_json("list", what=what, items=rows)
        return
    if not rows:
        say(f"There are no {what} of {topic!r}.")
        return
    shown = [[_cell(cell) for cell in row.values()] for row in rows]
    header = list(rows[0])
    table(header, shown, right=[at for at, name in enumerate(header) if name in _RIGHT])
    if what == "studies":
        say("Run one by its name: caveat run NAME --dry-run")


_RIGHT = ("rows", "columns")


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value or "")


def _datasets(data_home: str | None) -> list[dict[str, Any]]:
    from caveat.datasets import available

    frame = available(data_home=data_home) if data_home else available()
    found = frame[["name", "task", "rows", "columns", "cached", "source"]]
    plain = found.astype(object).where(found.notna(), None)
    return plain.to_dict(orient="records")


def _studies(topic: str | None) -> list[dict[str, Any]]:
    from caveat.study import registered_studies

    return [
        {"name": name, "topic": found}
        for name, found in registered_studies().items()
        if topic in (None, found)
    ]


def _topics() -> list[dict[str, Any]]:
    from caveat.study import TOPICS

    return [{"name": one.name, "about": one.summary} for one in TOPICS.values()]


def _entries(what: str, topic: str | None) -> list[dict[str, Any]]:
    from caveat.study import TOPICS

    names = [topic] if topic is not None else list(TOPICS)
    return [
        {
            "topic": name,
            "name": entry.name,
            "about": entry.summary,
            "paper": entry.paper,
            "extra": entry.extra,
        }
        for name in names
        for entry in getattr(TOPICS[name].load(), what, {}).values()
    ]
