"""The data sets of the multi-label paper, and emotions."""

from __future__ import annotations

from caveat._registry import Entry
from caveat.datasets._row import SourceFile, row

_MULAN = "the MULAN project (http://mulan.sourceforge.net/datasets-mlc.html)"
_RAW = "https://raw.githubusercontent.com/"
_DCSN = _RAW + "nicoladimauro/dcsn/"
_MENDOZA = _RAW + (
    "mendozamanu/multilabel/6e2f8097135273ff27eeabba66c3497a6f4560c8/datasets/"
)


def _mulan(
    name: str,
    rows: int,
    columns: int,
    labels: int,
    summary: str,
    files: list[SourceFile],
    *,
    display: str = "",
    forms: tuple[tuple[str, ...], ...] = (),
    bring: str = "",
    notes: tuple[str, ...] = (),
) -> Entry:
    return row(
        name,
        "caveat.datasets._loaders:load_file",
        task="multilabel",
        rows=rows,
        columns=columns,
        classes=labels,
        summary=summary,
        display=display,
        paper="Wu & Zhou (2017)",
        source=_MULAN,
        licence="none is stated; cite the original authors",
        files=files,
        forms=forms,
        bring=bring,
        notes=notes,
    )


def _two_ways(name: str) -> dict[str, object]:
    """Say that MULAN's pair of files serves, and MEKA's single file as well."""
    return {
        "files": [SourceFile(name=f"{name}.arff"), SourceFile(name=f"{name}.xml")],
        "forms": ((f"{name}.arff", f"{name}.xml"), (f"{name}.arff",)),
        "bring": f"MULAN's {name}.arff with {name}.xml, or MEKA's {name}.arff with -C "
        "in its relation",
    }


MULTILABEL = [
    _mulan(
        "cal500",
        502,
        68,
        174,
        "moods, genres and instruments of songs",
        [
            SourceFile(
                name="CAL500.arff",
                urls=(
                    _DCSN + "dd0f7a43f5fededeeaf37905f48f918a25b8c2c7/data/multilabel/"
                    "CAL500.orig.arff.gz",
                ),
                sha256=(
                    "cfe6097ba5fd6e8584e54911ab9783dcab34e898446b7c9370c71d477eae56d3",
                ),
                unpack=True,
            ),
            SourceFile(
                name="CAL500.xml",
                urls=(
                    _DCSN + "9ccbd71fbbf5be377cb7b49efb1abaa4e0388b0c/data/multilabel/"
                    "CAL500.xml.gz",
                ),
                sha256=(
                    "d39a693b6029e97f2e93b8bc480a45b06e06545e2fd88fc5ca7467a1b6f04bca",
                ),
                unpack=True,
            ),
        ],
        display="CAL500",
        notes=("the rarest label has 5 rows",),
    ),
    _mulan(
        "emotions",
        593,
        72,
        6,
        "moods of songs",
        [
            SourceFile(
                name="emotions.arff",
                sha256=(
                    "6f2f790047073d1293ac0872c0d55f2dc98b6177802fc96c6b66b309dfee1e4b",
                ),
            ),
            SourceFile(
                name="emotions.xml",
                sha256=(
                    "dbce8e6ccbbb2fcbfd9e9edbb230d7ed12692c6e13f59fdbc0161fa9b6cf2dc0",
                ),
            ),
        ],
        bring="Copies are in github.com/mrapp-ke/RuleGeneration, folder data",
    ),
    _mulan(
        "medical",
        978,
        1449,
        45,
        "diagnoses of clinical reports",
        [
            SourceFile(
                name="medical.arff",
                urls=(_MENDOZA + "medical/medical.arff",),
                sha256=(
                    "26efe0f13cfd104d83c426a47ce3697def82c8f32e5e031af1a8e3efa7349eb3",
                ),
            )
        ],
        notes=(
            "ten labels have a single positive row: in a 70/30 split several labels "
            "are absent from one part",
        ),
    ),
    _mulan(
        "bibtex",
        7395,
        1836,
        159,
        "tags of scientific references",
        [SourceFile(name="bibtex.arff", urls=(_MENDOZA + "bibtex/bibtex.arff",))],
    ),
    _mulan("enron", 1702, 1001, 53, "topics of e-mails", **_two_ways("enron")),  # type: ignore[arg-type]
    _mulan("corel5k", 5000, 499, 374, "words for pictures", **_two_ways("Corel5k")),  # type: ignore[arg-type]
]
