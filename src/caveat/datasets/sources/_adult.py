"""Adult: census records of 1994, and the form in which the bags study uses them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from caveat.datasets._dataset import Dataset
from caveat.datasets.readers._parquet import read_parquet
from caveat.exceptions import DataError

COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "educational-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "gender",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
)
NUMBERS = (
    "age",
    "fnlwgt",
    "educational-num",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
)
INDICATED = (
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "native-country",
)
_SEED = 6738921


def load_adult(files: Mapping[str, bytes], *, processed: bool) -> Dataset:
    """Load Adult from the two text files of UCI, or from one Parquet file of text.

    Parameters
    ----------
    files : mapping
        ``adult.test`` and ``adult.data``, or ``adult-raw.parquet``.
    processed : bool
        Give the 179 columns of the study of label proportions instead of the 14 that
        were recorded.

    References
    ----------
    .. [1] B. Becker, R. Kohavi (1996). Adult. UCI Machine Learning Repository.
    .. [2] G. Franco et al. Evaluating LLP methods: challenges and approaches. Appendix
       A.1.1: one-hot encoding and scaling.
    """
    if "adult-raw.parquet" in files:
        table = read_parquet(files["adult-raw.parquet"], "adult-raw.parquet")
        if tuple(table.columns) != COLUMNS:
            raise DataError("adult-raw.parquet does not have the columns of Adult")
    else:
        test = _records(files["adult.test"], "adult.test", skip=1)
        train = _records(files["adult.data"], "adult.data", skip=0)
        table = pd.concat([test, train], ignore_index=True)  # the study's order
    return _processed(table) if processed else _recorded(table)


def _records(data: bytes, where: str, *, skip: int) -> pd.DataFrame:
    """Read one text file; its fields are parted by a comma and a blank."""
    lines = [line for line in data.decode("ascii").splitlines()[skip:] if line.strip()]
    rows = [[field.strip() for field in line.split(",")] for line in lines]
    for number, fields in enumerate(rows, start=skip + 1):
        if len(fields) != len(COLUMNS):
            raise DataError(
                f"{where}, line {number}: found {len(fields)} fields, expected "
                f"{len(COLUMNS)}"
            )
    table = pd.DataFrame(rows, columns=list(COLUMNS), dtype="str")
    table["income"] = table["income"].str.removesuffix(".")  # only adult.test has it
    return table


def _recorded(table: pd.DataFrame) -> Dataset:
    X = table.drop(columns="income")
    for name in NUMBERS:
        X[name] = X[name].astype(np.int64)
    return Dataset(name="adult-raw", X=X, y=table["income"], task="binary")


def _processed(table: pd.DataFrame) -> Dataset:
    """Encode as the study does: 5 numbers, then indicators; shuffled; in [0, 1]."""
    numbers = pd.DataFrame(
        {
            "fnlwgt": table["fnlwgt"].astype(float),
            "gender": (table["gender"] == "Female").astype(float),
            "capital-gain": table["capital-gain"].astype(float),
            "capital-loss": table["capital-loss"].astype(float),
            "hours-per-week": table["hours-per-week"].astype(float),
        }
    )
    blocks = [numbers]
    for name in INDICATED:
        codes, levels = pd.factorize(table[name], sort=True)  # "?" is a level too
        names = [f"{name}_{level}" for level in levels]
        blocks.append(pd.DataFrame(np.eye(len(levels))[codes], columns=names))
    X = pd.concat(blocks, axis=1)
    order = X.sample(frac=1, random_state=_SEED).index
    X = X.loc[order].reset_index(drop=True)
    low, high = X.min(), X.max()
    X = (X - low) / (high - low)
    y = (table["income"] == ">50K").astype(np.int64).loc[order].reset_index(drop=True)
    return Dataset(name="adult", X=X, y=y.rename("income"), task="binary")
