"""The fourteen tables of the feature-shift study (iris is embedded)."""

from __future__ import annotations

from caveat._registry import Entry
from caveat.datasets._row import SourceFile, row

_PAPER = "Cheng et al. (2025)"
_TABLE = "caveat.datasets._loaders:load_file"
_OPENML = "caveat.datasets._loaders:load_openml"
_KAGGLE = "https://www.kaggle.com/datasets/"
_BENCH = "a copy is in github.com/LAMDASZ-ML/TabFSBench, folder dataset"


def _openml(
    name: str,
    number: int,
    task: str,
    rows: int,
    columns: int,
    classes: int,
    column: str,
    summary: str,
    **more: object,
) -> Entry:
    file = SourceFile(name=f"openml-{number}.parquet", urls=(f"openml:{number}",))
    return row(
        name,
        _OPENML,
        task=task,
        rows=rows,
        columns=columns,
        classes=classes,
        column=column,
        summary=summary,
        paper=_PAPER,
        source=f"OpenML {number} (https://www.openml.org/d/{number})",
        licence="see OpenML",
        openml=number,
        files=[file],
        params={"task": task},
        bring="A CSV, ARFF or Parquet file of the same table serves as well",
        **more,  # type: ignore[arg-type]
    )


def _csv(
    name: str,
    task: str,
    rows: int,
    columns: int,
    classes: int | None,
    column: str,
    summary: str,
    *,
    source: str,
    licence: str,
    bring: str,
    sha256: str | None = None,
    params: dict[str, object] | None = None,
    notes: tuple[str, ...] = (),
) -> Entry:
    pins = (sha256,) if sha256 else ()
    return row(
        name,
        _TABLE,
        task=task,
        rows=rows,
        columns=columns,
        classes=classes,
        column=column,
        summary=summary,
        paper=_PAPER,
        source=source,
        licence=licence,
        files=[SourceFile(name=f"{name}.csv", sha256=pins)],
        params={"target": column, "task": task, **(params or {})},
        bring=bring,
        notes=notes,
    )


SHIFT = [
    _openml("credit", 31, "binary", 1000, 20, 2, "class", "good or bad credit risk"),
    _openml(
        "electricity",
        151,
        "binary",
        45312,
        8,
        2,
        "class",
        "does the price of electricity rise or fall",
    ),
    _csv(
        "heart",
        "binary",
        918,
        11,
        2,
        "HeartDisease",
        "heart disease, by clinical measurements",
        source=_KAGGLE + "fedesoriano/heart-failure-prediction",
        licence="not stated where it was taken from; check before redistribution",
        sha256="452b297cbe6a2a562a23af3c677f4741a4947ea2284c3751aad5d6e050ccfab3",
        bring=f"The benchmark's version spells classes as words; {_BENCH}",
        notes=("Cholesterol is 0 in 172 rows and RestingBP in 1: values not recorded",),
    ),
    _csv(
        "miniboone",
        "binary",
        72998,
        50,
        2,
        "signal",
        "electron or muon neutrinos; the balanced version",
        source=_KAGGLE + "alexanderliapatis/miniboone",
        licence="not stated where it was taken from; check before redistribution",
        bring="A CSV file with 72,998 rows, 50 numbers and the column signal; OpenML "
        "41150 has all 130,064 rows and is another data set",
    ),
    _csv(
        "penguins",
        "multiclass",
        344,
        6,
        3,
        "species",
        "three species of penguins",
        source="penguins.csv of the Python package palmerpenguins 0.1.6",
        licence="package MIT; the data are CC0 according to the original R package",
        sha256="f204db2c753b0937caac3cb35258562c14f073e4bbc76be24b4c51ce22767a93",
        params={"drop": ["year"]},
        bring="It is the file penguins.csv inside the package",
        notes=(
            "2 rows have no measurement, 11 rows no sex",
            "the column year is left out, as in the benchmark",
        ),
    ),
    _csv(
        "eyemovements",
        "multiclass",
        10936,
        27,
        3,
        "label",
        "is a sentence relevant, by the movements of eyes",
        source=_KAGGLE + "vinnyr12/eye-movements (the rows of OpenML 1044)",
        licence="not stated where it was taken from; check before redistribution",
        sha256="434261c5bc617c51dc35a63834f9c87d234bd9dbc03cafaef30fa4ba958e1a7c",
        params={"groups": "assgNo", "order": "lineNo"},
        bring=_BENCH[0].upper() + _BENCH[1:],
        notes=(
            "lineNo identifies the row (10936 distinct values)",
            "assgNo identifies the group (336 groups): rows of one assignment belong "
            "together",
        ),
    ),
    _openml(
        "jannis",
        41168,
        "multiclass",
        83733,
        54,
        4,
        "class",
        "numbers of a challenge, four classes",
        notes=(
            "the paper links OpenML 45021, a smaller balanced binary version; 83733 "
            "rows with 4 classes are OpenML 41168",
        ),
    ),
    _csv(
        "abalone",
        "regression",
        4177,
        8,
        None,
        "Age",
        "rings of shells, by size and weight",
        source=_KAGGLE + "rodolfomendes/abalone-dataset (UCI Abalone; the rows of "
        "OpenML 183 under other names)",
        licence="CC BY 4.0 (UCI)",
        sha256="4763640a62bbe54bbcb442799c779680a5f28932b63aa496e7fab436db3822f4",
        bring=f"The benchmark's version spells Sex as words; {_BENCH}",
        notes=("Age is the number of rings, as in the file",),
    ),
    _csv(
        "bike",
        "regression",
        10886,
        9,
        None,
        "count",
        "rented bikes by hour and weather",
        source=_KAGGLE + "abdullapathan/bikesharingdemand",
        licence="not stated where it was taken from; check before redistribution",
        bring="A CSV file with 10,886 rows, 9 features (6 numbers, 3 texts) and the "
        "column count; casual and registered add up to it and must not be there",
    ),
    _csv(
        "concrete",
        "regression",
        1030,
        8,
        None,
        "csMPa",
        "strength of concrete, by what is in it",
        source=_KAGGLE + "maajdl/yeh-concret-data (UCI, Yeh 1998)",
        licence="other, according to its metadata",
        sha256="4866aa64263fac4ec89e962bbe1e7b947e81bcb0b10e67eb62eccfd2b0aff96a",
        bring=_BENCH[0].upper() + _BENCH[1:],
        notes=("25 rows repeat an earlier row",),
    ),
    _csv(
        "laptop",
        "regression",
        1275,
        22,
        None,
        "Price_euros",
        "prices of laptops",
        source=_KAGGLE + "owm4096/laptop-prices",
        licence="not stated where it was taken from; check before redistribution",
        bring="A CSV file with 1,275 rows, 22 features and the column Price_euros",
    ),
    _openml(
        "madelon",
        1485,
        "binary",
        2600,
        500,
        2,
        "Class",
        "an artificial task, 500 columns",
    ),
    _openml(
        "nomao", 1486, "binary", 34465, 118, 2, "Class", "do two records mean one place"
    ),
]
