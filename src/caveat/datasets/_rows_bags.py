"""Adult and CIFAR-10, the base data of the study of label proportions."""

from __future__ import annotations

from caveat._registry import Entry
from caveat.datasets._cifar_files import ARCHIVE
from caveat.datasets._row import SourceFile, row

_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/"
_ADULT_FILES = [
    SourceFile(
        name="adult.test",
        urls=(_UCI + "adult.test",),
        sha256=("a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",),
        folder="adult",
    ),
    SourceFile(
        name="adult.data",
        urls=(_UCI + "adult.data",),
        sha256=("5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",),
        folder="adult",
    ),
    SourceFile(
        name="adult-raw.parquet",
        sha256=("7ae504a3e46045ffd3ef30ea6cd09e9796ba12098a579469d27d8275a5d67529",),
        folder="adult",
    ),
]
_ADULT_FORMS = (("adult.test", "adult.data"), ("adult-raw.parquet",))


def _adult(name: str, columns: int, summary: str, processed: bool) -> Entry:
    return row(
        name,
        "caveat.datasets._adult:load_adult",
        task="binary",
        rows=48842,
        columns=columns,
        classes=2,
        column="income",
        summary=summary,
        paper="Becker & Kohavi (1996)",
        source="UCI (https://archive.ics.uci.edu/dataset/2/adult)",
        licence="CC BY 4.0 (UCI)",
        files=_ADULT_FILES,
        forms=_ADULT_FORMS,
        params={"processed": processed},
    )


PROPORTIONS = [
    _adult("adult", 179, "income above 50K, encoded as in the bags study", True),
    _adult("adult-raw", 14, "income above 50K, columns as recorded", False),
    row(
        "cifar10-grey",
        "caveat.datasets._cifar:load_cifar10_grey",
        task="binary",
        rows=60_000,
        columns=1024,
        classes=2,
        summary="vehicle or animal, grey pictures as in the bags study",
        display="CIFAR-10 grey",
        paper="Krizhevsky (2009)",
        source="https://www.cs.toronto.edu/~kriz/cifar.html",
        licence="none is stated; cite the technical report",
        files=[ARCHIVE],
        notes=("red and blue are interchanged in the grey values, as in the study",),
    ),
    row(
        "cifar10",
        "caveat.datasets._cifar:load_cifar10",
        task="multiclass",
        rows=60_000,
        columns=3072,
        classes=10,
        summary="ten kinds of things, 32 x 32 colour pictures",
        display="CIFAR-10",
        paper="Krizhevsky (2009)",
        source="https://www.cs.toronto.edu/~kriz/cifar.html",
        licence="none is stated; cite the technical report",
        files=[ARCHIVE],
        notes=("rows 50000 to 59999 are the published test part",),
    ),
]
