"""The numbers that Wu & Zhou (2017) print, as far as they can be read.

Table B.3 holds mean and standard deviation over ten splits (and a rank that
follows from the means), two lines per method here. `DOUBTFUL` names damaged cells.
"""

from __future__ import annotations

from itertools import product

import pandas as pd

from caveat.measures import LABEL_MEASURES as MEASURES

PAPER_METHODS = ("br", "ml-knn", "gfm", "limo-inst", "limo-label", "limo")

_COLUMNS = (
    "hamming_loss", "ranking_loss", "average_precision", "one_error", "coverage",
    "instance_f1", "instance_auc", "macro_f1", "macro_auc", "micro_f1", "micro_auc",
)  # fmt: skip

_TABLE_B3 = {
    "cal500": """
        .145±.003 .216±.005 .470±.008 .212±.025 143.025±2.319 .354±.009
        .784±.005 .097±.006 .544±.012 .357±.011 .779±.006
        .139±.003 .184±.005 .491±.007 .106±.023 129.789±2.426 .321±.010
        .816±.005 .053±.002 .523±.009 .318±.010 .813±.004
        .200±.002 .522±.007 .337±.004 .000±.000 166.481±0.906 .454±.006
        .662±.006 .183±.005 .518±.013 .457±.006 .661±.006
        .143±.004 .545±.015 .147±.004 .971±.022 162.652±1.539 .386±.010
        .455±.015 .302±.008 .566±.011 .389±.010 .458±.014
        .138±.002 .180±.004 .499±.008 .105±.023 129.993±2.491 .473±.004
        .820±.004 .126±.003 .510±.011 .477±.004 .815±.004
        .137±.025 .178±.004 .501±.008 .122±.035 129.323±2.672 .475±.006
        .822±.004 .288±.006 .523±.011 .479±.006 .816±.004
    """,
    "medical": """
        .011±.001 .073±.041 .416±.100 .804±.029 3.697±1.752 .766±.022
        .927±.040 .384±.040 .877±.038 .792±.020 .910±.039
        .016±.001 .048±.008 .788±.017 .266±.025 3.034±0.411 .564±.033
        .953±.007 .190±.015 .797±.029 .654±.028 .949±.008
        .025±.002 .287±.026 .692±.025 .217±.025 6.581±0.714 .636±.025
        .882±.013 .216±.018 .650±.027 .605±.027 .875±.014
        .015±.001 .017±.005 .881±.018 .170±.028 1.248±0.279 .444±.090
        .983±.005 .448±.024 .901±.032 .439±.087 .979±.005
        .014±.001 .032±.006 .829±.018 .217±.026 2.237±0.378 .641±.030
        .968±.006 .207±.012 .859±.035 .702±.020 .960±.007
        .013±.001 .019±.006 .893±.017 .147±.027 1.423±0.350 .706±.019
        .981±.006 .464±.024 .896±.029 .757±.012 .977±.006
    """,
}  # fmt: skip

DOUBTFUL = {("cal500", "limo", "hamming_loss"): "the standard deviation .025 is "
            "probably .0025: the first column lost its decimal points"}  # fmt: skip

_TABLE_B1 = {
    "ranking_loss": (0.027, 0.015, 0.015),
    "average_precision": (0.992, 0.992, 0.992),
    "one_error": (0.000, 0.001, 0.001),
    "coverage": (1.576, 1.557, 1.556),
    "macro_auc": (0.842, 0.828, 0.842),
    "instance_auc": (0.973, 0.985, 0.985),
    "micro_auc": (0.861, 0.854, 0.903),
}

_TABLE_B2 = {
    ("micro_f1", "limo-label", "t(x)"): 0.890,
    ("macro_f1", "limo-inst", "t"): 0.869,
    ("macro_f1", "limo-inst", "t(x)"): 0.857,
    ("macro_f1", "limo-label", "t"): 0.861,
    ("macro_f1", "limo-label", "t(x)"): 0.859,
    ("macro_f1", "limo", "t(x)"): 0.852,
    ("instance_f1", "limo-inst", "t"): 0.804,
    ("instance_f1", "limo-inst", "t(x)"): 0.883,
    ("instance_f1", "limo-label", "t"): 0.835,
    ("instance_f1", "limo-label", "t(x)"): 0.904,
    ("instance_f1", "limo", "t"): 0.858,
    ("instance_f1", "limo", "t(x)"): 0.900,
}


def published_benchmark() -> pd.DataFrame:
    """Return Table B.3 for CAL500 and medical.

    Returns
    -------
    DataFrame with ``dataset``, ``method``, ``measure``, ``mean``, ``std``

    Examples
    --------
    >>> table = published_benchmark()
    >>> len(table), table["method"].nunique(), table["measure"].nunique()
    (132, 6, 11)
    """
    rows = []
    for dataset, text in _TABLE_B3.items():
        keys = product(PAPER_METHODS, _COLUMNS)
        for (method, measure), cell in zip(keys, text.split(), strict=True):
            mean, std = map(float, cell.split("±"))
            rows.append((dataset, method, measure, mean, std))
    return pd.DataFrame(rows, columns=["dataset", "method", "measure", "mean", "std"])


def published_synthetic() -> pd.DataFrame:
    """Return Table B.1 and the legible cells of Table B.2.

    Returns
    -------
    DataFrame with ``measure``, ``method``, ``threshold`` (``t`` per label, ``t(x)``
    per instance, empty for ranking measures) and ``mean``

    Examples
    --------
    >>> published_synthetic().query("measure == 'micro_auc'")["mean"].tolist()
    [0.861, 0.854, 0.903]
    """
    methods = ("limo-inst", "limo-label", "limo")
    rows = [
        (measure, method, "", mean)
        for measure in MEASURES
        if measure in _TABLE_B1
        for method, mean in zip(methods, _TABLE_B1[measure], strict=True)
    ]
    rows += [(*key, mean) for key, mean in _TABLE_B2.items()]
    return pd.DataFrame(rows, columns=["measure", "method", "threshold", "mean"])
