"""The audit of a folder of pictures: how they were taken, copies, and clusters.

No model is fitted. What tells the class without what a picture shows is asked by the
scan; how far clusters of the pixels, or of given embeddings, get, by EAPP.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from caveat import eapp, pages
from caveat.audit._embeddings import embedded
from caveat.audit.page import Found
from caveat.audit.scan import Scan, scan_pictures
from caveat.datasets import Dataset, PicturesDiffer, read
from caveat.pages import claims

_CHECKS = (
    "Looked for: size, format, compression, brightness, border and names that tell the "
    "class; copies; clusters of the {}."
)


def look_pictures(
    folder: str | Path,
    *,
    rules: Sequence[str] = (),
    embeddings: str | Path | None = None,
    seed: int = 0,
    command: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> pages.Look:
    """Look at what a folder with a folder of pictures per class gives away.

    Parameters
    ----------
    folder : path
    rules : sequence of str
        Such as ``capture>0``.
    embeddings : path, optional
        What clusters are made of instead of the pixels; see `embedded`.
    seed : int
    command : str
        What makes the look again.
    progress : callable, optional
        Gets done and total of the work on clusters.
    """
    found = scan_pictures(folder, seed=seed)
    basis = "pixels" if embeddings is None else "given embeddings"
    if embeddings is None:
        dataset, note = _read_alike(folder)
    else:
        dataset, note = embedded(folder, embeddings), ""
    clusters = eapp.look(
        dataset, random_state=seed, shuffles=100, k_max=6, progress=progress
    )
    part = pages.part(clusters)
    about = pages.About.of(dataset, file=Path(folder).name, command=command)
    about = replace(about, columns=len(found.columns))
    made = list(_claims(found, len(dataset.X)))
    again = pages.again_section(
        about, f"Scan and clusters of the {basis}, seed {seed}.{note}"
    )
    return pages.Look(
        "audit",
        about.eyebrow("Audit"),
        [*made, *part.claims],
        [_captured(found, made), *part.sections, again],
        figure=clusters.figure,
        facts={**clusters.facts, **about.facts(), **_told(found)},
        tables={"columns": found.columns, **part.tables},
        checks=_CHECKS.format(basis),
        nothing_to_do="Nothing was found: fit a model, and hold it against clusters.",
        rules=rules,
    )


def _read_alike(folder: str | Path) -> tuple[Dataset, str]:
    """Read the pictures at one size, and say so where they have several.

    That they do is for the scan to judge; clusters need equal pixels.
    """
    try:
        return read(folder), ""
    except PicturesDiffer as differ:
        side = differ.smallest
        note = f" For clusters every picture was cut and resized to {side} x {side}."
        return read(folder, image_size=side), note


def _claims(found: Scan, rows: int) -> Iterator[claims.Claim]:
    for one in found.findings:
        yield Found(
            one,
            basis=f"{rows} pictures",
            n=rows,
            severity=one.severity,  # type: ignore[arg-type]
            kind=one.kind,
            section="capture",
            columns=one.columns,
            rows=one.rows,
            fix=one.fix,
            size=one.size,
        )


def _captured(found: Scan, made: Sequence[claims.Claim]) -> pages.Section:
    """Show what everything but the motif tells of the class."""
    ordered = found.columns.sort_values("alone", ascending=False, kind="stable")
    rows = [
        [
            pages.code(str(row.column)),
            pages.Cell.number(row.alone, tone="strong"),
            pages.ends(row.low, row.high),
            pages.Cell.number(row.null_high),
        ]
        for row in ordered.itertuples()
    ]
    told = sum(one.kind == "capture" for one in made)
    return pages.Section(
        "capture",
        "How the pictures were taken",
        f"{pages.capital(pages.word(told))} of {pages.word(len(rows))} facts about the "
        "files tell the class without what the pictures show",
        lead="Each fact is asked by itself, on pictures that it was not fitted on.",
        blocks=[
            pages.Table.of(
                "facts",
                "What each fact tells of the class",
                [
                    "Fact",
                    pages.Column("AUC alone", best="max", sorted=True),
                    "95 % interval",
                    "Shuffled, 95 %",
                ],
                rows,
                brief=True,
                downloads=[pages.Download.csv("facts.csv", found.columns)],
            )
        ],
    )


def _told(found: Scan) -> dict[str, object]:
    floor = found.floor
    return {"best_column": floor.column or None, "floor": floor.value}
