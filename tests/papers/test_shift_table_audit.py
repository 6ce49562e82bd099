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


@pytest.mark.thorough
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


@pytest.mark.thorough
def test_the_published_tables_break_what_the_specification_says_they_break():
    random = pd.read_csv(HERE / "published-random.csv").assign(scenario="random")
    single = pd.read_csv(HERE / "published-single.csv").assign(scenario="single")
    found = audit_table(pd.concat([random, single], ignore_index=True))
    leaks = found[found["kind"] == "leak"]
    assert {"TabLLM", "UniPredict"} == set(leaks["model"])
    means = found[(found["kind"] == "mean of singles") & (found["model"] == "LightGBM")]
    assert means.empty


@pytest.mark.thorough
def test_a_file_is_checked_from_the_command_line(true_table, tmp_path, capsys):
    path = tmp_path / "table.csv"
    true_table.to_csv(path, index=False)
    assert main([str(path)]) == 0
    plant(true_table, "leak").to_csv(path, index=False)
    assert main([str(path)]) == 1
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


PLANTS = [
    *("closed", "all gone", "leak", "mean of singles", "first step", "interchanged"),
    *("AUC printed as accuracy", "copied block"),
]


def in_percent(table):
    return table.assign(value=(100 * table["value"]).map("{:.1f}".format))


def with_holes(table):
    """Text with every seventh cell missing, but none that the faults need."""
    hole = (np.arange(len(table)) % 7 == 3) & table["k"].between(2, 4).to_numpy()
    return table.assign(value=table["value"].map("{:.3f}".format).mask(hole, "\\"))


def models_beside(table):
    keys = ["dataset", "measure", "scenario", "k", "column"]
    spread = table.assign(column=table["column"].fillna("")).pivot_table(
        index=keys, columns="model", values="value", sort=False
    )
    return spread.reset_index()


@pytest.mark.thorough
@pytest.mark.parametrize("printed", [in_percent, with_holes, models_beside])
def test_faults_are_found_however_a_table_is_printed(true_table, printed):
    assert audit_table(printed(true_table)).empty
    for kind in PLANTS:
        found = audit_table(printed(plant(true_table, kind)))
        assert kind in set(found["kind"]), kind


@pytest.mark.thorough
def test_many_true_tables_raise_no_alarm():
    """By chance alone: 40 tables of a random additive model, rounded as in print."""
    rng = np.random.default_rng(3)
    for number in range(40):
        loss = np.sort(rng.random(8) * 0.05)
        cells = [("single", 1, f"c{i}", 0.9 - each) for i, each in enumerate(loss)]
        cells += [("most", k, "", 0.9 - loss[-k:].sum()) for k in range(9) if k]
        cells += [("least", k, "", 0.9 - loss[:k].sum()) for k in range(9) if k]
        cells += [("random", k, "", 0.9 - k * loss.mean()) for k in range(9)]
        names = ["scenario", "k", "column", "value"]
        table = pd.DataFrame(cells, columns=names).round({"value": 2 + number % 3})
        table = table.assign(dataset="d", measure="accuracy", model="m")
        found = audit_table(table, digits=2 + number % 3)
        assert found.empty, found["words"].tolist()


def test_degrees_in_percent_and_published_names_are_read(true_table):
    names = {"single": "SC", "most": "MC-M", "least": "MC-L", "random": "MC-R"}
    share = (100 * true_table["k"] / 5).astype(int).astype(str) + "%"
    measure = true_table["measure"].map({"accuracy": "ACC", "auc": "ROC-AUC"})
    printed = true_table.assign(
        scenario=true_table["scenario"].map(names), measure=measure, degree=share
    ).drop(columns="k")
    assert audit_table(printed).empty
    broken = plant(true_table, "leak")["value"]
    assert "leak" in set(audit_table(printed.assign(value=broken))["kind"])


def test_a_table_that_ends_early_has_no_value_for_all_columns_gone(true_table):
    early = true_table[true_table["k"] < 4]
    assert audit_table(early).empty
    only = early[early["scenario"] == "random"].assign(n_columns=5)
    assert audit_table(only).empty


def test_a_copy_under_another_name_in_another_block_is_found():
    """One model's numbers as those of another model, data set and scenario."""
    rng = np.random.default_rng(0)
    rows = [
        {
            "dataset": dataset,
            "measure": "accuracy",
            "model": model,
            "scenario": scenario,
            "k": k,
            "column": "",
            "n_columns": 10,
            "value": round(0.9 - 0.02 * k - 0.02 * rng.random(), 3),
        }
        for dataset in ("toys", "others")
        for model in ("linear", "k-nn")
        for scenario in ("most", "least")
        for k in range(1, 9)
    ]
    table = pd.DataFrame(rows)
    assert audit_table(table).empty
    one = at(table, dataset="toys", model="linear", scenario="most")
    other = at(table, dataset="others", model="k-nn", scenario="least")
    table.loc[other, "value"] = table.loc[one, "value"].to_numpy()
    [found] = audit_table(table).to_dict("records")
    assert found["kind"] == "copied block"


def test_table_10_of_the_paper_has_one_method_twice(capsys):
    """OpenFE and OcTree with CatBoost agree in all eleven cells with columns gone."""
    path = HERE / "published-autofe.csv"
    assert main([str(path)]) == 1
    told = capsys.readouterr().out
    assert "heart accuracy random CatBoost OcTree repeats" in told
    assert told.endswith("\n1 breach\n")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"value": "good"}, "found 'good'"),
        ({"scenario": "worst"}, "none of single"),
        ({"k": 1.5}, "whole number"),
        ({"k": 1}, "stands twice"),
    ],
)
def test_what_is_no_table_ends_in_a_sentence(
    true_table, tmp_path, capsys, change, sentence
):
    path = tmp_path / "bad.csv"
    true_table.assign(**change).to_csv(path, index=False)
    assert main([str(path)]) == 2
    assert sentence in capsys.readouterr().err
    assert main([str(tmp_path / "nowhere.csv")]) == 2
    assert main([]) == 2
