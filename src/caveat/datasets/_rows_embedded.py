"""Data sets that need no network: classics from scikit-learn, and drawn worlds."""

from __future__ import annotations

from caveat._registry import Entry
from caveat.datasets._row import row

# What each data set holds, so that nobody has to load it to know which one it is.
_CONTENT = {
    "iris": "93b2429e0788ad485e1574d1afd563f6fcb082eeffab54452c6b15cad9e691c6",
    "wine": "85dabab4cf46166a24084c3fdfa86e5b6b887e846fc3aedfa6b669156facddcb",
    "breast_cancer": "9c7333324eb74361ce9511263fb1d833246edaba4843e55f1b429b73395e8b31",
    "digits": "6ec666898cfe0cc63aace579b60572eef749ff78060d880c0160e8152686e872",
    "diabetes": "5de7bf2e990b91a0d2147e4effd8cb7b21ef5cead26879ffd4e2ec8bf444b7ac",
    "noise": "01c97d4a8d8469b4ba3b1aba5153b744adc6d2c1b0b58435c9c2a9483af19def",
    "blobs": "62c93e50d46e9e9a67e85f6ea5fc223b4fef31800b803129c269d30fbfa5d80e",
    "xor": "d3a2a70871434b91273f9594a0a2f08897853788f413504d24ae587e5e97046f",
    "moons": "8e6039a653ac2a34666f271c16f0afb3640f4e59c6b9feec81c62f73fadca897",
    "friedman": "134bfcda8f97977f04e8e8a59cf85920ff4d9142ae80290582a423ab840b04a2",
    "leak": "a54fa356861f20192ccbd152a21c64cbd408457bb210887c7c8825106f1b2ce4",
    "lending": "d8425b7e2063d32acd6d0e8add2dd9e5d3a7098594f694fd3f2f1ca3aac085a1",
    "sectors": "73898804fa8fd28edf5b844f79c25008c10d5b9713656e1e0a9b991ece882092",
    "tags": "9e932e85947d89cea919ac04048319ea5c5e57e6d7b15fe4cc6af95572449201",
    "doubtful": "6bd831cc286275a4515b346491d1101bd712a99cf059031e4805f27b381586ff",
}
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
        content=_CONTENT[name],
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
) -> Entry:
    return row(
        name,
        _DRAWN + name,
        task=task,
        rows=rows,
        columns=columns,
        classes=classes,
        summary=summary,
        content=_CONTENT[name],
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
    _world("lending", "binary", 1000, 6, 2, "text, truth values, gaps, and a region"),
    _world("sectors", "multilabel", 2000, 2, 4, "four triangles with sets of labels"),
    _world("tags", "multilabel", 300, 12, 6, "six noisy linear labels, one rare"),
    _world("doubtful", "candidates", 500, 6, 5, "clouds with candidate labels"),
]
