"""The auditor of published tables: true tables pass, planted faults are found."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from caveat.exceptions import InvalidInput
from caveat.shift import shift_curve
from papers.shift.cells import HERE
from papers.shift.table_audit import audit_table, main


@pytest.fixture(scope="module")
def true_table():
    """Two models, two measures, four scenarios, rounded as in print."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 5)), columns=list("abcde"))
    weights = np.array([2.0, 1.5, 1.0, 0.5, 0.25])
    y = (X.to_numpy() @ weights + rng.normal(size=300) > 0).astype(int)
    parts = (X[:150], y[:150], X[150:], y[150:])
    models = {"linear": LogisticRegression(), "k-nn": KNeighborsClassifier()}
    found = []
    for name, model in models.items():
        model.fit(*parts[:2])
        for scenario in ("single", "most", "least", "random"):
            curve = shift_curve(
                model, *parts, scenario=scenario, metric=["accuracy", "auc"]
            )
            found.append(curve.tidy(dataset="toys", model=name))
    table = pd.concat(found, ignore_index=True)
    return table.assign(value=table["value"].round(3))


def test_a_true_table_passes(true_table):
    assert audit_table(true_table).empty


def at(table, **wanted):
    chosen = np.ones(len(table), dtype=bool)
    for name, value in wanted.items():
        chosen &= (table[name] == value).to_numpy()
    return chosen


def plant(table, kind):
    broken = table.copy()
    linear = {"model": "linear", "measure": "accuracy"}
    if kind == "out of range":
        broken.loc[at(broken, **linear, scenario="most", k=2), "value"] = 1.2
    if kind == "closed":
        broken.loc[at(broken, **linear, scenario="most", k=0), "value"] -= 0.02
    if kind == "all gone":
        broken.loc[at(broken, **linear, scenario="most", k=5), "value"] += 0.02
    if kind == "leak":
        gone = at(broken, model="linear", measure="auc", k=5)
        broken.loc[gone, "value"] = 0.7
    if kind == "mean of singles":
        broken.loc[at(broken, **linear, scenario="random", k=1), "value"] -= 0.01
    if kind == "first step":
        broken.loc[at(broken, **linear, scenario="most", k=1), "value"] -= 0.03
    if kind == "interchanged":
        most, least = (at(broken, **linear, scenario=s) for s in ("most", "least"))
        names = broken["scenario"].to_numpy(copy=True)
        names[most], names[least] = "least", "most"
        broken["scenario"] = names
    if kind == "AUC printed as accuracy":
        for scenario in ("most",):
            one = at(broken, scenario=scenario, measure="accuracy")
            other = at(broken, scenario=scenario, measure="auc")
            broken.loc[other, "value"] = broken.loc[one, "value"].to_numpy()
    if kind == "copied block":
        again = broken[at(broken, scenario="most", measure="accuracy")]
        broken = pd.concat([broken, again.assign(dataset="others")])
    return broken


@pytest.mark.parametrize(
    "kind",
    [
        *("out of range", "closed", "all gone", "leak", "mean of singles"),
        *("first step", "interchanged", "AUC printed as accuracy", "copied block"),
    ],
)
def test_every_planted_fault_is_found_and_named(true_table, kind):
    assert kind in set(audit_table(plant(true_table, kind))["kind"])


def test_the_published_tables_break_what_the_specification_says_they_break():
    random = pd.read_csv(HERE / "published-random.csv").assign(scenario="random")
    single = pd.read_csv(HERE / "published-single.csv").assign(scenario="single")
    found = audit_table(pd.concat([random, single], ignore_index=True))
    leaks = found[found["kind"] == "leak"]
    assert {"TabLLM", "UniPredict"} == set(leaks["model"])
    means = found[(found["kind"] == "mean of singles") & (found["model"] == "LightGBM")]
    assert means.empty


def test_a_file_is_checked_from_the_command_line(true_table, tmp_path, capsys):
    path = tmp_path / "table.csv"
    true_table.to_csv(path, index=False)
    assert main(str(path)) == 0
    plant(true_table, "leak").to_csv(path, index=False)
    assert main(str(path)) == 1
    assert "round the mask" in capsys.readouterr().out


def test_a_table_without_its_columns_is_refused(true_table):
    with pytest.raises(InvalidInput, match="lacks the column 'scenario'"):
        audit_table(true_table.drop(columns="scenario"))


def test_a_copy_of_one_model_is_found(true_table):
    broken = true_table.copy()
    one, other = (
        at(broken, scenario="random", measure=name, model="k-nn")
        for name in ("accuracy", "auc")
    )
    broken.loc[other, "value"] = broken.loc[one, "value"].to_numpy()
    found = audit_table(broken)
    copied = found[found["kind"] == "AUC printed as accuracy"]
    assert copied["model"].tolist() == ["k-nn"]
