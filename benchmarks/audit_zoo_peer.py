"""Run another tool on exported cases of the zoo, in an environment of its own.

    python benchmarks/audit_zoo.py --export FOLDER
    PEER-ENVIRONMENT/bin/python benchmarks/audit_zoo_peer.py PEER FOLDER [--each N]

PEER is `cleanlab` (Datalab), `deepchecks` or `skore`; nothing of caveat is imported.
Settings are the defaults. What a tool calls an issue is mapped to the kinds of caveat
generously: any of the kinds it could mean counts, whatever columns it names. With
`--each N` it runs N cases of each fault, those at or above the stated strength first.
What `FOLDER/PEER.json` holds already is not run again.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

Kinds = list[frozenset[str]]

DATALAB = {
    "label": {"label-error", "conflict", "chance"},
    "near_duplicate": {"duplicate", "near-duplicate", "conflict", "group"},
    "outlier": {"outlier"},
    "class_imbalance": {"imbalance"},
    "non_iid": {"row-order", "time", "group"},
    "underperforming_group": {"segment"},
    "null": set(),
}
DEEPCHECKS = {
    "Feature Label Correlation": {"leak", "missing-leak", "row-order"},
    "Identifier Label Correlation": {"row-order", "leak"},
    "Data Duplicates": {"duplicate"},
    "Conflicting Labels": {"conflict"},
    "Outlier Sample Detection": {"outlier", "near-duplicate"},
    "Class Imbalance": {"imbalance"},
    "Feature Drift": {"drift", "time"},
    "Multivariate Drift": {"drift", "time"},
    "Predictive Power Score": {"leak"},
    "Train Test Samples Mix": {"duplicate", "group"},
    "Date Train Test Leakage Duplicates": {"time"},
    "Index Train Test Leakage": {"group"},
    "New Category Train Test": {"drift"},
    "Label Drift": {"time"},
    "Mixed Nulls": set(),
    "Feature-Feature Correlation": {"pair-leak"},
}
SKORE = {
    "SKD002": {"chance"},  # underfitting: no better than a dummy
    "SKD003": {"time", "drift", "row-order"},  # splits differ
    "SKD004": {"imbalance"},
    "SKD005": {"imbalance", "small"},
    "SKD008": {"pair-leak"},  # correlated features
    "SKD011": {"leak", "missing-leak", "group", "row-order", "time"},  # golden feature
    "SKD013": {"time"},
}
# How a model is tuned and how fast it is says nothing about a table.
SKORE_NOT_ABOUT_DATA = ["SKD001", "SKD009", "SKD010", "SKD012", "SKD015", "SKD016"]


def main() -> None:
    """Run one tool on every case, or on some of each fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("peer", choices=sorted(TOOLS))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--each", type=int, default=0)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    listed = json.loads((asked.folder / "cases.json").read_text())
    place = asked.folder / f"{asked.peer}.json"
    rows = json.loads(place.read_text()) if place.is_file() else []
    known = {row["name"] for row in rows}
    for entry in _some(listed, asked.each) if asked.each else listed:
        if entry["name"] in known:
            continue
        found = _kinds(asked.peer, asked.folder, entry, "table", "test")
        twin = _kinds(asked.peer, asked.folder, entry, "twin", "twin_test")
        right = [entry["kind"] in one for one in found]
        rows.append(
            {key: entry[key] for key in ("name", "fault", "kind", "strength", "stated")}
            | {
                "among": any(right),
                "first": bool(right) and right[0],
                "serious": bool(twin),
                "careful": bool(twin),
                "twin": True,
            }
        )
        place.write_text(json.dumps(rows, indent=1))
        sys.stdout.write(f"{entry['name']} {any(right)} {len(twin)}\n")
        sys.stdout.flush()


def _some(listed: list[Any], each: int) -> list[Any]:
    """Take so many cases of each fault, the strongest first."""
    by_fault: dict[str, list[Any]] = {}
    for entry in sorted(listed, key=lambda one: -one["strength"]):
        by_fault.setdefault(entry["fault"], []).append(entry)
    return [one for entries in by_fault.values() for one in entries[:each]]


def _kinds(peer: str, folder: Path, entry: Any, role: str, test: str) -> Kinds:
    table = pd.read_csv(folder / entry[role])
    other = pd.read_csv(folder / entry[test]) if entry.get(test) else None
    try:
        return TOOLS[peer](table, entry["target"], other)
    except Exception as error:  # a tool that gives up has found nothing
        sys.stderr.write(f"{entry['name']} {role}: {type(error).__name__}: {error}\n")
        return []


def cleanlab(table: pd.DataFrame, target: str, test: pd.DataFrame | None) -> Kinds:
    """Datalab with features and out-of-fold answers of a forest, as its guide shows."""
    from cleanlab import Datalab
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.model_selection import cross_val_predict

    X = pd.get_dummies(table.drop(columns=target).iloc[:, :300], dtype=float)
    X = X.loc[:, :].fillna(X.median()).to_numpy()[:, :500]
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    y = table[target].to_numpy()
    if y.dtype.kind == "f":
        answers = cross_val_predict(RandomForestRegressor(50, random_state=0), X, y)
        lab = Datalab({"y": y}, label_name="y", task="regression", verbosity=0)
        lab.find_issues(features=X, pred_probs=answers)
    else:
        answers = cross_val_predict(
            RandomForestClassifier(50, random_state=0), X, y, method="predict_proba"
        )
        lab = Datalab({"y": y}, label_name="y", verbosity=0)
        lab.find_issues(features=X, pred_probs=answers)
    found = lab.get_issue_summary().sort_values("num_issues", ascending=False)
    return [
        frozenset(DATALAB.get(row.issue_type, set()))
        for row in found.itertuples()
        if row.num_issues > 0 and DATALAB.get(row.issue_type)
    ]


def deepchecks(table: pd.DataFrame, target: str, test: pd.DataFrame | None) -> Kinds:
    """Run the suites for one table and for two, and take the conditions that failed."""
    from deepchecks.tabular import Dataset
    from deepchecks.tabular.suites import data_integrity, train_test_validation

    whole = Dataset(table, label=target)
    results = [data_integrity().run(whole)]
    # Halves would be read as having other categories than the whole.
    words = {"label": target, "cat_features": whole.cat_features}
    if test is not None:
        whole, later = Dataset(table, **words), Dataset(test, **words)
    else:
        later = Dataset(table.iloc[len(table) // 2 :], **words)
        whole = Dataset(table.iloc[: len(table) // 2], **words)
    results.append(train_test_validation().run(whole, later))
    found = []
    for result in results:
        for one in result.get_not_passed_checks():
            name = one.get_header().split(" - ")[0]
            kinds = DEEPCHECKS.get(name, set())
            found.append(frozenset(kinds or {name}))
    return found


def skore(table: pd.DataFrame, target: str, test: pd.DataFrame | None) -> Kinds:
    """Take the issues of a report on the usual pipeline, and its golden feature."""
    from skore import evaluate
    from skrub import tabular_pipeline

    X, y = table.drop(columns=target), table[target]
    task = "regressor" if y.dtype.kind == "f" else "classifier"
    report = evaluate(tabular_pipeline(task), X, y, splitter=0.2)
    found = report.checks.summarize(ignore=SKORE_NOT_ABOUT_DATA).frame()
    told = found[(found["section"] == "issue") | (found["code"] == "SKD011")]
    told = told[told["section"].isin(["issue", "tip"])]
    return [frozenset(SKORE.get(code, {code})) for code in told["code"]]


TOOLS: dict[str, Callable[[pd.DataFrame, str, pd.DataFrame | None], Kinds]] = {
    "cleanlab": cleanlab,
    "deepchecks": deepchecks,
    "skore": skore,
}

if __name__ == "__main__":
    main()
