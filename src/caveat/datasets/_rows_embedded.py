"""Data sets that need no network: classics from scikit-learn, and drawn worlds."""

from __future__ import annotations

from caveat._registry import Entry
from caveat.datasets._row import row

_BUNDLED = "caveat.datasets._embedded:load_bundled"
_DRAWN = "caveat.datasets._generators:"


def _classic(
    name: str, task: str, rows: int, columns: int, classes: int | None, **more: str
) -> Entry:
    return row(
        name,
        _BUNDLED,
        task=task,
        rows=rows,
        columns=columns,
        classes=classes,
        params={"name": name},
        source="comes with scikit-learn",
        **more,  # type: ignore[arg-type]
    )


def _world(
    name: str,
    task: str,
    rows: int,
    columns: int,
    classes: int | None,
    summary: str,
    content: str | None = None,
) -> Entry:
    return row(
        name,
        _DRAWN + name,
        task=task,
        rows=rows,
        columns=columns,
        classes=classes,
        summary=summary,
        content=content,
        source="drawn by caveat",
        licence="BSD-3-Clause",
    )


EMBEDDED = [
    _classic(
        "iris",
        "multiclass",
        150,
        4,
        3,
        summary="three species of flowers by four lengths",
        paper="Fisher (1936)",
        licence="CC BY 4.0 (UCI)",
    ),
    _classic(
        "wine",
        "multiclass",
        178,
        13,
        3,
        summary="three growers of wine by chemical analysis",
        paper="Forina et al. (1991)",
        licence="CC BY 4.0 (UCI)",
    ),
    _classic(
        "breast_cancer",
        "binary",
        569,
        30,
        2,
        summary="benign or malignant, by measurements of cell nuclei",
        paper="Street et al. (1993)",
        licence="CC BY 4.0 (UCI)",
    ),
    _classic(
        "digits",
        "multiclass",
        1797,
        64,
        10,
        summary="handwritten digits, 8 x 8 pixels of 0 to 16",
        paper="Alpaydin & Kaynak (1998)",
        licence="CC BY 4.0 (UCI)",
    ),
    _classic(
        "diabetes",
        "regression",
        442,
        10,
        None,
        summary="progression of the disease after a year",
        paper="Efron et al. (2004)",
        licence="not stated",
    ),
    _world("noise", "binary", 500, 10, 2, "nothing to learn"),
    _world("blobs", "multiclass", 600, 4, 3, "three clouds far apart"),
    _world("xor", "binary", 400, 2, 2, "four clouds, no straight line"),
    _world("moons", "binary", 500, 2, 2, "two half circles that overlap a little"),
    _world("friedman", "regression", 500, 10, None, "five columns count, five do not"),
    _world("leak", "binary", 600, 8, 2, "one column gives the answer away"),
    _world("loans", "binary", 1000, 6, 2, "text, truth values, gaps, and a region"),
    _world("sectors", "multilabel", 2000, 2, 4, "four triangles with sets of labels"),
    _world("tags", "multilabel", 300, 12, 6, "six noisy linear labels, one rare"),
    _world("doubtful", "partial", 500, 6, 5, "clouds with candidate labels"),
]
