"""Put the networks through vanishing columns, trained as usual and trained for loss.

    python -m papers.shift.networks FOLDER PARTS [--worker 0 --workers 2]

FOLDER holds the six tables that ``run.py`` reads. Every cell is a table, a split, a
model, a share of rows that lose columns in training and an imputation; what it measures
is one file of PARTS, so that a run that was cut off goes on where it stopped. What a
cell costs is estimated before it starts: the cheap ones come first, the three splits
of one cell together, and a cell above `DEAREST` is left out, with its reason.
``--collect`` writes ``results-networks.csv`` and ``results-networks-cells.csv`` beside
this file; ``page_networks.py`` turns them into the page. ``--restore`` is the way back:
cells of the table that PARTS does not have become parts again, and are not run anew.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.model_selection import train_test_split

from caveat.exceptions import MissingExtra
from caveat.models import MODELS, early_settings, make_model, names_for
from caveat.shift import shift_curve, upper_bound
from papers.shift.distilled import distilled
from papers.shift.run import SEEDS, TABLES, load, save

HERE = Path(__file__).parent
MEASURES = {
    "binary": ["accuracy", "auc"],
    "multiclass": ["accuracy", "auc"],
    "regression": ["rmse"],
}
# Between splits a curve varies more than between subsets of one size.
MOST_SUBSETS = 25
# Every subset of a refit costs a fit.
REFIT_SUBSETS = 5
# Training for loss: the share of rows that lose columns.
MASK_RATE = 0.3
# CPU seconds above which a cell is left out: models as they usually are, and the rest.
DEAREST_USUAL, DEAREST = 500.0, 120.0
# Rows, columns and categorical columns of the tables.
SHAPES = {
    "iris": (150, 4, 0),
    "penguins": (344, 6, 2),
    "heart": (918, 11, 5),
    "concrete": (1030, 8, 0),
    "abalone": (4177, 8, 1),
    "eyemovements": (10936, 27, 0),
}
# First whatever costs no more than this, then one question after the other.
CHEAP = 20.0
LOSS_FIRST = ("heart", "penguins", "concrete")
# Boosters stop as networks do: on a held-out fifth of the training rows, after at most
# so many rounds (scikit-learn's after fewer, see the registry).
MOST_ROUNDS = MODELS["lightgbm"].facts["early"]["n_estimators"]
BOOSTERS = ("lightgbm", "xgboost", "catboost")
IMPUTED = ("lightgbm", "catboost")
IMPUTERS = ("random", "median", "gaussian", "iterative")
REFITTED = ("lightgbm", "catboost", "mlp", "resnet")
DISTILLED = ("mlp", "resnet")
# Their packages do not let them be trained for loss.
UNMASKED = ("realmlp",)
# Attends to categories alone: on a table of numbers it is a perceptron.
OF_CATEGORIES = ("tabtransformer",)
ABSENT = {
    "tabpfn": "its weights cannot be had offline",
    "tabicl": "its weights cannot be had offline",
}


@dataclass(frozen=True)
class Cell:
    """One model on one split of one table, put through one kind of question.

    Attributes
    ----------
    kind : {"curve", "closed", "refit", "distilled"}
        All sizes of loss; the whole table only; fitted anew without the columns; taught
        by models that were.
    """

    kind: str
    dataset: str
    seed: int
    model: str
    mask_rate: float = 0.0
    imputation: str = "mean"

    @property
    def file(self) -> str:
        """Name its file."""
        return (
            f"{self.kind}-{self.dataset}-{self.seed}-{self.model}-"
            f"{self.mask_rate:g}-{self.imputation}.csv"
        )

    @property
    def seconds(self) -> float:
        """Estimate its CPU seconds on one core."""
        rows, columns, categories = SHAPES[self.dataset]
        facts = MODELS[self.model].facts
        attended = categories if self.model in OF_CATEGORIES else columns
        tokens = max(attended, 1) / 10 if facts.get("tokens") else 1.0
        longer = 2.0 if TABLES[self.dataset][1] == "regression" else 1.0
        # Where every row looks all others up, the cost is that of their square.
        among = max(0.8 * rows / 1e3, 1.0) if "most_rows" in facts else 1.0
        fit, answer = (among * seconds for seconds in facts["seconds"])
        # A small table has no fewer updates in a pass, only smaller ones.
        fit *= (0.2 + 0.6 * rows / 1e3) * tokens * longer
        if self.kind == "closed":
            return float(fit)
        if self.kind == "distilled":
            # Its table is longer, and every set of columns has a teacher.
            fit = 4 * fit + 5
        if self.kind == "refit":
            return float(fit * _subsets(columns, REFIT_SUBSETS))
        asked = _subsets(columns, MOST_SUBSETS) * 0.2 * rows / 1e5
        by_row = 10.0 if self.imputation in ("gaussian", "iterative") else 1.0
        return float(fit + answer * asked * tokens * by_row)

    @property
    def usual(self) -> bool:
        """Whether the model is trained as it usually is, and fitted once."""
        return self.kind in ("curve", "closed") and self.mask_rate == 0

    @property
    def question(self) -> int:
        """Say how early its question is asked: usual, for loss, refits, rest."""
        if self.usual:
            return 0
        if self.dataset not in LOSS_FIRST:
            return 3
        return 1 if self.kind == "curve" else 2

    @property
    def turn(self) -> tuple[bool, int, float]:
        """Order cells by round, question and cost; no result has a say in it."""
        return self.seconds > CHEAP, self.question, self.seconds

    @property
    def too_dear(self) -> bool:
        """Whether it is left out before the start."""
        return self.seconds > (DEAREST_USUAL if self.usual else DEAREST)


def _subsets(columns: int, most: int) -> int:
    return sum(min(most, comb(columns, k)) for k in range(columns + 1))


def questions(dataset: str) -> list[tuple[str, str, float, str]]:
    """List kind, model, mask rate and imputation of all cells of a table."""
    task = TABLES[dataset][1]
    found = []
    for name in names_for(task):
        if name in ABSENT:
            continue
        found.append(("curve", name, 0.0, "mean"))
        network = MODELS[name].facts["family"] == "network" and name not in UNMASKED
        if network or name in BOOSTERS:
            found.append(("curve", name, MASK_RATE, "mean"))
        if name in IMPUTED:
            found += [("curve", name, 0.0, how) for how in IMPUTERS]
        if name in REFITTED:
            found.append(("refit", name, 0.0, "mean"))
        if name in DISTILLED and task != "regression":
            found.append(("distilled", name, MASK_RATE, "mean"))
    return found


def cells() -> list[Cell]:
    """List all cells in their order, the splits of one together."""
    groups = []
    for dataset in TABLES:
        for kind, *question in questions(dataset):
            group = [Cell(kind, dataset, seed, *question) for seed in SEEDS]
            groups.append(group)
            plain = kind == "curve" and group[0].usual and question[2] == "mean"
            if plain and group[0].too_dear:
                # The curve is too dear; whether it learns at all can be afforded.
                groups.append([Cell("closed", dataset, s, *question) for s in SEEDS])
    groups.sort(key=lambda group: group[0].turn)
    return [cell for group in groups for cell in group]


def measure(cell: Cell, table: tuple[pd.DataFrame, pd.Series, str]) -> pd.DataFrame:
    """Fit one model on one split and take its columns away."""
    X, y, task = table
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.2, random_state=cell.seed
    )
    split = (X_train, y_train, X_test, y_test)
    started = time.process_time()
    model = fitted(cell, task, X_train, y_train)
    seconds = time.process_time() - started
    settings: dict[str, Any] = {
        "metric": MEASURES[task],
        "random_state": cell.seed,
        "task": task,
        "imputer": cell.imputation,
    }
    if cell.kind == "refit":
        rows = refits(cell, model, split, task, settings)
    else:
        closed = cell.kind == "closed"
        curve = shift_curve(
            model,
            *split,
            scenario="random",
            degrees=[1] if closed else None,
            max_subsets=1 if closed else MOST_SUBSETS,
            **settings,
        )
        rows = curve.table.drop(columns=["mask", "column"], errors="ignore")
        rows = rows[rows["k"] == 0] if closed else rows
    rows = rows.assign(
        kind=cell.kind,
        dataset=cell.dataset,
        seed=cell.seed,
        model=cell.model,
        mask_rate=cell.mask_rate,
        imputation=cell.imputation,
    )
    rows["fit_seconds"] = seconds
    rows["seconds"] = time.process_time() - started
    return rows[[name for name in COLUMNS if name in rows.columns]]


COLUMNS = (
    *("kind", "dataset", "seed", "model", "mask_rate", "imputation", "k", "measure"),
    *("value", "sd", "n_subsets", "refit", "trained", "fit_seconds", "seconds"),
)


def fitted(cell: Cell, task: str, X: pd.DataFrame, y: pd.Series) -> Any:
    """Fit the model of a cell with its defaults; boosters stop early, too."""
    if cell.kind == "distilled":
        return distilled(cell.model, task, (X, y), cell.mask_rate, cell.seed)
    more: dict[str, Any] = {"mask_rate": cell.mask_rate} if cell.mask_rate else {}
    more |= early_settings(cell.model, MODELS)
    return make_model(cell.model, task, random_state=cell.seed, **more).fit(X, y)


def refits(
    cell: Cell, model: Any, split: Any, task: str, settings: dict[str, Any]
) -> pd.DataFrame:
    """Compare imputed, trained for loss and fitted anew, all on the same subsets."""
    case = {"scenarios": ["random"], "max_subsets": REFIT_SUBSETS, **settings}
    plain = upper_bound(model, *split, **case)
    lossy = Cell(cell.kind, cell.dataset, cell.seed, cell.model, MASK_RATE)
    trained = shift_curve(
        fitted(lossy, task, *split[:2]),
        *split,
        scenario="random",
        max_subsets=REFIT_SUBSETS,
        **settings,
    ).table
    keys = ["k", "measure"]
    means = plain.groupby(keys)[["imputed", "upper"]].agg(["mean", "size"])
    found = pd.DataFrame(
        {
            "value": means["imputed", "mean"],
            "refit": means["upper", "mean"],
            "n_subsets": means["imputed", "size"],
            "trained": trained.set_index(keys)["value"],
        }
    ).dropna()
    return found.reset_index()


def collect(parts: Path) -> None:
    """Join the parts, and tell of every cell whether and why it is missing."""
    found, states = [], []
    for cell in cells():
        file = parts / cell.file
        there = file.exists()
        part = pd.read_csv(file) if there else None
        if part is not None:
            found.append(part)
        states.append(
            {
                "kind": cell.kind,
                "dataset": cell.dataset,
                "seed": cell.seed,
                "model": cell.model,
                "mask_rate": cell.mask_rate,
                "imputation": cell.imputation,
                "estimate": cell.seconds,
                "seconds": None if part is None else part["seconds"].iloc[0],
                "state": (
                    "measured"
                    if there
                    else "too dear"
                    if cell.too_dear
                    else "not reached"
                ),
            }
        )
    save(pd.concat(found), HERE / "results-networks.csv")
    save(pd.DataFrame(states), HERE / "results-networks-cells.csv")


def restore(parts: Path) -> None:
    """Write the parts of the cells that only the table has."""
    table = pd.read_csv(HERE / "results-networks.csv")
    keys = ["kind", "dataset", "seed", "model", "mask_rate", "imputation"]
    for values, rows in table.groupby(keys, sort=False):
        file = parts / Cell(*values).file
        if not file.exists():
            save(rows.dropna(axis="columns", how="all"), file)


def main() -> None:
    """Measure what is not there yet, or write the CSV files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("parts", type=Path)
    parser.add_argument("--worker", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--models", nargs="*", default=list(MODELS))
    parser.add_argument("--collect", action="store_true")
    parser.add_argument("--restore", action="store_true")
    arguments = parser.parse_args()
    arguments.parts.mkdir(parents=True, exist_ok=True)
    if arguments.restore:
        restore(arguments.parts)
    if arguments.collect:
        collect(arguments.parts)
    if arguments.restore or arguments.collect:
        return
    tables = {name: load(arguments.folder, name) for name in TABLES}
    mine = cells()[arguments.worker :: arguments.workers]
    for cell in mine:
        file = arguments.parts / cell.file
        wanted = cell.model in arguments.models and not cell.too_dear
        if file.exists() or not wanted:
            continue
        with warnings.catch_warnings():
            # Small tables have fewer subsets of a size than the cap.
            warnings.filterwarnings("ignore", message="there are no more than")
            try:
                rows = measure(cell, tables[cell.dataset])
            except MissingExtra as missing:
                sys.stderr.write(f"{cell.file} was not measured: {missing}\n")
                continue
        waiting = file.with_suffix(".part")
        save(rows, waiting)
        waiting.rename(file)


if __name__ == "__main__":
    main()
