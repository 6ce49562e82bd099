"""Read tables of shifted scores as they are printed: rounded, in percent, with holes.

The tidy form has a row per number: ``dataset, measure, model, scenario, k, value`` and,
for the scenario ``single``, ``column``. Print puts models or degrees side by side,
calls the scenarios SC, MC-M, MC-L and MC-R, has degrees in percent and leaves holes.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from caveat.exceptions import InvalidInput

KEYS = ["dataset", "measure", "model"]
NEEDED = [*KEYS, "scenario", "k", "value"]
BOUNDED = {"accuracy", "auc"}
SCENARIOS = {
    "single": ("single", "sc"),
    "most": ("most", "mc-m", "mc-d"),
    "least": ("least", "mc-l", "mc-a"),
    "random": ("random", "rd", "mc-r"),
}
MEASURES = {
    "accuracy": ("accuracy", "acc"),
    "auc": ("auc", "roc-auc", "auroc"),
    "rmse": ("rmse",),
}
_HOLES = {"", "\\", "-", "–", "—", "/", "nan", "n/a", "na", "none"}
_CLOSED = {"id", "closed", "baseline", "none"}
_KNOWN = {*NEEDED, "column", "importance", "degree", "n_columns"}
_NUMBER = re.compile(r"([+-]?\d*\.?\d+(?:e[+-]?\d+)?)\s*(%?)\s*(?:±.*|\(.*\))?")


def read_print(table: pd.DataFrame, digits: int | None = None) -> pd.DataFrame:
    r"""Bring a table into the tidy form.

    Parameters
    ----------
    table : DataFrame
        Tidy, or with a column per model (beside `k` or `degree`) or per degree (beside
        `model`). Holes are empty or marked by a dash or a stroke; ``0.84 ± 0.01`` is
        0.84. Accuracies and AUCs above 1 throughout a block are percent.
    digits : int, optional
        To which values are rounded; seen from each block if not given.

    Returns
    -------
    DataFrame : `dataset`, `measure`, `model`, `scenario`, `k`, `column`, `value`,
    `half` (half a printed digit) and `n_columns` (of the data set).

    Examples
    --------
    >>> printed = pd.DataFrame({"dataset": "toys", "measure": "ACC", "scenario": "MC-R",
    ...                         "degree": ["0%", "50%", "100%"],
    ...                         "LightGBM": ["90.1", "\\", "55.0"]})
    >>> read_print(printed)[["model", "scenario", "k", "value", "half"]]
          model scenario  k  value    half
    0  LightGBM   random  0  0.901  0.0005
    1  LightGBM   random  1    NaN  0.0005
    2  LightGBM   random  2  0.550  0.0005
    """
    long = unfolded(table)
    lacking = [name for name in NEEDED if name not in {*long.columns, "k"}]
    if not {"k", "degree"} & set(long.columns):
        lacking.append("k")
    if lacking:
        raise InvalidInput(
            f"the table lacks the column {lacking[0]!r}; it needs {', '.join(NEEDED)}"
        )
    tidy = long[[*KEYS]].astype(str)
    tidy["scenario"] = _named(long["scenario"], SCENARIOS, "scenario")
    tidy["measure"] = _named(long["measure"], MEASURES, None)
    columns = long["column"] if "column" in long else pd.Series("", index=long.index)
    tidy["column"] = columns.fillna("").astype(str)
    texts = [_text(value) for value in long["value"]]
    tidy["value"] = [_number(text) for text in texts]
    tidy["decimals"] = [_decimals(text) for text in texts]
    tidy = tidy.assign(n_columns=0, k=0)
    for name, places in tidy.groupby("dataset", sort=False).groups.items():
        rows = long.loc[places].assign(scenario=tidy.loc[places, "scenario"])
        counts, last = _counts(rows, str(name))
        tidy.loc[places, "k"], tidy.loc[places, "n_columns"] = counts, last
    blocks = tidy.groupby(["dataset", "measure", "scenario"], sort=False)
    tidy["half"] = 0.0
    for (_, measure, _), places in blocks.groups.items():
        rounded, scale = _rounding(tidy.loc[places], str(measure), digits)
        tidy.loc[places, "half"] = rounded
        tidy.loc[places, "value"] *= scale
    _number_nameless(tidy)
    _check_once(tidy)
    return tidy.drop(columns="decimals")


def unfolded(table: pd.DataFrame) -> pd.DataFrame:
    """Put models or degrees that stand side by side below each other."""
    spelt = [str(name).strip() for name in table.columns]
    lower = [name.lower() if name.lower() in _KNOWN else name for name in spelt]
    long = table.set_axis(lower, axis=1).reset_index(drop=True)
    if "value" in lower:
        return long
    known = [name for name in lower if name in _KNOWN]
    if {"k", "degree"} & set(known) and "model" not in known:
        return long.melt(known, var_name="model", value_name="value")
    if "model" in known and not {"k", "degree"} & set(known):
        beside = [name for name in lower if name not in _KNOWN]
        shares = any("%" in name for name in beside)
        name = "degree" if shares else "k"
        return long.melt(known, var_name=name, value_name="value")
    return long


def _named(
    column: pd.Series, names: dict[str, tuple[str, ...]], must: str | None
) -> list[str]:
    """Call things by their usual name; unknown scenarios are refused."""
    usual = {alias: name for name, aliases in names.items() for alias in aliases}
    found = []
    for text in column.astype(str):
        plain = text.strip().lower().replace("_", "-").replace(" ", "-")
        if must and plain not in usual:
            raise InvalidInput(
                f"the {must} {text!r} is none of {', '.join(names)}; leave its rows out"
            )
        found.append(usual.get(plain, plain))
    return found


def _text(value: object) -> str:
    """Write a value as it would be printed."""
    if isinstance(value, str):
        return value.strip().strip("*†‡ ")
    number = float(value)  # type: ignore[arg-type]
    return "" if np.isnan(number) else f"{number:.9f}".rstrip("0").rstrip(".")


def _number(text: str) -> float:
    if text.lower() in _HOLES:
        return np.nan
    found = _NUMBER.fullmatch(text.lower())
    if found is None:
        raise InvalidInput(f"found {text!r} where a value belongs; use a number")
    return float(found[1]) / (100 if found[2] else 1)


def _decimals(text: str) -> float:
    """Count the digits behind the point; NaN in a hole."""
    found = _NUMBER.fullmatch(text.lower())
    if found is None:
        return np.nan
    behind = found[1].partition("e")[0].partition(".")[2]
    return float(len(behind) + (2 if found[2] else 0))


def _counts(rows: pd.DataFrame, dataset: str) -> tuple[np.ndarray, int]:
    """Say how many columns are gone in every row, and how many there are."""
    single = rows[rows["scenario"] == "single"]
    given = pd.to_numeric(rows.get("n_columns", pd.Series(dtype=float)))
    alone = _most_singles(single)
    known = int(given.max()) if given.notna().any() else 0
    if "k" in rows and not rows["k"].astype(str).str.strip().eq("").all():
        counts = np.array([_count(text) for text in rows["k"]])
        return counts, known or max(alone, int(counts.max(initial=0)))
    shares = np.array([_share(text) for text in rows["degree"]])
    if shares.max(initial=0) > 1:
        shares = shares / 100
    if not known:
        # Every number of columns is printed, as a rule; the last one is all of them.
        known = max(alone, len(set(shares[shares > 0])))
        if not alone and known and shares.max() < 1:
            raise InvalidInput(
                f"{dataset}: the degrees end at {shares.max():.0%}; add a column "
                "'n_columns' with the number of columns of the data set"
            )
    single_rows = (rows["scenario"] == "single").to_numpy()
    counts = np.where(single_rows, shares > 0, np.round(shares * known)).astype(int)
    return counts, known


def _most_singles(single: pd.DataFrame) -> int:
    """Count the columns that vanish alone: the most that one model has."""
    if single.empty:
        return 0
    name = "k" if "k" in single else "degree"
    closed = [_count(t) == 0 if name == "k" else _share(t) == 0 for t in single[name]]
    opened = single[~np.array(closed)]
    return int(opened.groupby(["measure", "model"]).size().max()) if len(opened) else 0


def _count(text: object) -> int:
    plain = str(text).strip().lower()
    if plain in _CLOSED:
        return 0
    try:
        number = float(plain)
    except ValueError:
        number = np.nan
    if number < 0 or number != int(number) if np.isfinite(number) else True:
        raise InvalidInput(f"k is {text!r}; use a whole number of columns")
    return int(number)


def _share(text: object) -> float:
    plain = str(text).strip().lower()
    if plain in _CLOSED:
        return 0.0
    try:
        return float(plain.rstrip("% ")) / (100 if "%" in plain else 1)
    except ValueError:
        raise InvalidInput(f"degree is {text!r}; use a share or a percentage") from None


def _rounding(
    rows: pd.DataFrame, measure: str, digits: int | None
) -> tuple[float, float]:
    """Give half a printed digit of a block, and what its values are to be scaled by."""
    known = rows["value"].dropna()
    percent = measure in BOUNDED and len(known) and known.median() > 1.5
    # A few cells with more digits do not make the others exact.
    seen = rows["decimals"].dropna()
    most = float(np.quantile(seen, 0.8, method="lower")) if len(seen) else 0.0
    places = most if digits is None else digits
    scale = 0.01 if percent and known.max() <= 100 else 1.0
    return 0.5 * 10.0**-places * scale + 1e-9, scale


def _number_nameless(tidy: pd.DataFrame) -> None:
    """Give single columns without a name a number, in the order of the table."""
    bare = tidy[
        (tidy["scenario"] == "single") & (tidy["k"] > 0) & (tidy["column"] == "")
    ]
    order = bare.groupby(KEYS).cumcount() + 1
    tidy.loc[bare.index, "column"] = "column " + order.astype(str)


def _check_once(tidy: pd.DataFrame) -> None:
    cell = [*KEYS, "scenario", "k", "column"]
    twice = tidy[tidy.duplicated(cell)]
    if len(twice):
        first = ", ".join(str(value) for value in twice[cell].iloc[0] if value != "")
        raise InvalidInput(f"the cell {first} stands twice; audit one run at a time")
