"""Feature shift as a topic: worlds, trials, registered studies, and what follows."""

import json
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

from caveat.exceptions import InvalidInput, UnknownName
from caveat.models import MODELS, early_settings, make_model
from caveat.shift import shift_curve
from caveat.shift.registry import LEARNERS
from caveat.shift.study import TOPIC, follow
from caveat.study import load_study, parse_learner, plan, preview, skipped
from caveat.study.trials._trial import run_trial

STUDIES = (
    *("shift-quick", "shift-minutes", "shift-hours", "shift-paper"),
    *("networks-minutes", "networks-hours", "networks-paper"),
)


def trial(**changes):
    written = {
        "study": "s",
        "topic": "shift",
        "datasets": ["iris"],
        "learners": [{"name": "logistic-regression"}],
        "scenario": {"scenario": ["random", "single"], "imputer": ["mean"]},
        "baseline": "none",
    }
    return plan({**written, **changes})[0].spec


def test_one_trial_fits_once_and_records_all_curves():
    record = run_trial(trial())
    table, curves = record["table"], pd.DataFrame(record["curves"]["shift"])
    assert set(curves["scenario"]) == {"random", "single"}
    closed = curves[(curves["k"] == 0) & (curves["measure"] == "accuracy")]["value"]
    assert closed.nunique() == 1
    assert table["test.accuracy"] == [closed.iloc[0]]
    random = curves[
        (curves["scenario"] == "random") & (curves["measure"] == "accuracy")
    ]
    area = np.trapezoid(random["value"], random["degree"])
    assert table["test.accuracy-area"][0] == pytest.approx(area)
    assert table["test.accuracy-retained"][0] == pytest.approx(area / closed.iloc[0])
    assert table["oracle.area-error"][0] == pytest.approx(1 - area)
    assert 0 <= table["criterion.validation-area-error"][0] <= 1
    json.dumps(record, allow_nan=False)


@pytest.mark.slow
def test_the_papers_tables_come_from_a_ledger(tmp_path):
    from caveat.study import Ledger, run
    from papers.shift.observations import closed_and_shifted
    from papers.shift.summaries import gap_table, rank_table

    study = {
        "study": "s",
        "topic": "shift",
        "datasets": ["iris"],
        "learners": ["dummy", "logistic-regression"],
        "resampling": {"validation": 0},
        "baseline": "none",
    }
    run(study, ledger=str(tmp_path / "s.ledger"), engine="serial")
    frame = Ledger(str(tmp_path / "s.ledger")).records().curves("shift")
    frame = frame[frame["measure"] == "accuracy"]
    gaps = gap_table(frame)
    assert gaps.loc[("multiclass", "dummy")].abs().max() < 1e-12
    assert (gaps.loc[("multiclass", "logistic-regression")] < 0).all()
    assert rank_table(frame).loc[("multiclass", "logistic-regression"), "0%"] == 1
    assert closed_and_shifted(frame).loc["iris", "models"] == 2


@pytest.mark.thorough
def test_a_regression_is_judged_by_its_error():
    record = run_trial(trial(datasets=["diabetes"], learners=["ridge"]))
    assert record["table"]["test.rmse-area"][0] > record["table"]["test.rmse"][0]
    assert record["table"]["oracle.error"] == record["table"]["test.rmse"]


def test_the_published_protocol_splits_as_the_published_program():
    from sklearn.model_selection import train_test_split

    spec = trial(protocol="tabfsbench", seeds=[42], resampling={"validation": 0})
    record = run_trial(spec)
    from caveat.datasets import load

    data = load("iris")
    X, X_test, y, y_test = train_test_split(
        data.X, data.y, test_size=0.2, random_state=42
    )
    model = make_model("logistic-regression", "multiclass", random_state=42).fit(X, y)
    curve = shift_curve(model, X, y, X_test, y_test, random_state=42)
    assert record["table"]["test.accuracy"][0] == curve.table["value"][0]
    assert record["table"]["test.accuracy-area"][0] == pytest.approx(curve.area())
    assert record["table"]["criterion.validation-error"] == [None]


def test_two_learners_of_one_repeat_share_the_split():
    digests = {
        run_trial(trial(learners=[name], scenario={"degrees": [1]}))["digests"]["split"]
        for name in ("dummy", "logistic-regression")
    }
    assert len(digests) == 1


def test_the_upper_bound_is_recorded_on_request():
    record = run_trial(trial(scenario={"scenario": "most", "upper": 1}))
    rows = pd.DataFrame(record["curves"]["upper"])
    assert set(rows["scenario"]) == {"most"}
    assert {"imputed", "upper", "loss"} <= set(rows.columns)


def test_a_cap_above_what_a_small_table_has_is_no_cause_for_warning():
    scenario = {"scenario": ["random"], "max_subsets": 65, "upper": 7, "degrees": [2]}
    capped = trial(scenario=scenario, learners=["dummy"], resampling={"validation": 0})
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        record = run_trial(capped)
    assert max(row["n_subsets"] for row in record["curves"]["shift"]) == 6


def test_scenarios_and_imputers_stay_in_one_world_the_rest_is_a_grid():
    worlds = TOPIC.worlds(
        {"scenario": ["random", "most"], "imputer": ["mean"], "max-subsets": [10, 20]},
        "d",
    )
    assert [world["max_subsets"] for world in worlds] == [10, 20]
    assert all(world["scenario"] == ["random", "most"] for world in worlds)
    assert all(json.dumps(world) for world in worlds)


def test_stages_can_be_written_in_a_study():
    scenario = {"scenario": "stages", "stages": {"no petals": ["petal length (cm)"]}}
    rows = pd.DataFrame(run_trial(trial(scenario=scenario))["curves"]["shift"])
    assert rows["stage"].dropna().unique().tolist() == ["no petals"]


@pytest.mark.parametrize(
    "scenario",
    [
        {"scenari": "random"},
        {"scenario": "randm"},
        {"imputer": ["meen"]},
        {"importance": "pearsn"},
        {"measures": ["acuracy"]},
        {"scenario": "stages"},
        {"degrees": "half"},
        {"max_subsets": 0},
        {"upper": -1},
        {"tolerance": -0.1},
        {"tolerance": True},
        {"aggregate": "median"},
        {"encode": "no"},
        {"cumulative": "yes"},
    ],
    ids=str,
)
def test_worlds_that_make_no_sense_are_refused_before_any_trial(scenario):
    with pytest.raises((InvalidInput, UnknownName)):
        TOPIC.worlds(scenario, "iris")


def test_unknown_resampling_is_refused():
    for resampling in ({"folds": 3}, {"validation": 1.5}):
        with pytest.raises((InvalidInput, UnknownName)):
            run_trial(trial(resampling=resampling))


def test_data_of_another_kind_are_skipped_with_a_reason():
    reason = TOPIC.skip({"task": "multilabel"}, LEARNERS["dummy"])
    assert "multilabel" in reason
    assert "regression" in TOPIC.skip(
        {"task": "regression"}, LEARNERS["logistic-regression"]
    )
    assert TOPIC.skip({"task": "binary"}, LEARNERS["lightgbm"]) == ""


@pytest.mark.parametrize("name", STUDIES)
def test_registered_studies_are_complete(name):
    study = load_study(name)
    assert study.topic == "shift"
    assert TOPIC.worlds(study.scenario, "iris")
    paper = {
        "iris",
        "penguins",
        "heart",
        "credit",
        "concrete",
        "abalone",
        "bike",
        "laptop",
    }
    paper |= {"electricity", "eyemovements", "miniboone", "jannis", "madelon", "nomao"}
    four = {"iris", "penguins", "heart", "concrete"}
    assert set(study.datasets) in (paper, four, {"iris", "wine"})


@pytest.mark.parametrize("name", [name for name in STUDIES if "networks" in name])
def test_studies_of_networks_have_all_of_them_and_a_cost_for_each(name):
    study = load_study(name)
    named = {parse_learner(one).name for one in study.learners}
    assert {each for each in MODELS if MODELS[each].extra == "deep"} <= named
    assert {"k-nn", "hist-gradient-boosting"} <= named
    assert all(MODELS[each].facts["seconds"] for each in named)


@pytest.mark.parametrize("name", STUDIES)
def test_boosting_stops_early_in_every_study_that_has_a_network(name):
    learners = [parse_learner(one) for one in load_study(name).learners]
    names = [one.name for one in learners]
    for one in learners:
        assert one.fixed.items() >= early_settings(one.name, names).items()


def test_rounds_that_a_study_fixes_are_not_searched():
    study = load_study("networks-paper").model_copy(update={"datasets": ["iris"]})
    drawn = [
        params
        for one in plan(study, digest=str)
        if one.spec["learner"]["name"] == "xgboost"
        for _, params in one.spec["configurations"]
    ]
    assert {"learning_rate", "max_depth"} <= set(drawn[1])
    assert not any("n_estimators" in params for params in drawn)


def test_a_model_whose_extra_is_missing_is_planned_and_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "pytabkit", None)
    monkeypatch.delitem(sys.modules, "caveat.models._realmlp", raising=False)
    study = load_study(
        {"study": "s", "topic": "shift", "datasets": ["iris"], "learners": ["realmlp"]}
    )
    found = preview(study, "none.ledger")
    assert ("iris", "realmlp") in [(one.dataset, one.learner) for one in found.cells]
    assert len(found.missing) == 1
    assert "[realmlp]" in found.missing[0]


def test_what_a_cell_costs_and_why_it_is_left_out_is_planned():
    study = load_study("networks-paper")
    reasons = {(data, who): why for data, who, why in skipped(study)}
    assert "every column to every other, 500" in reasons["madelon", "ft-transformer"]
    # It attends between categorical columns alone, and madelon has numbers.
    told = reasons["madelon", "tabtransformer"]
    assert "every categorical column to every other, up to 500 times 500" in told
    assert "72,998" in reasons["miniboone", "tabr"]
    assert "regression" in reasons["concrete", "tabcaps"]
    assert ("madelon", "mlp") not in reasons
    found = preview(load_study("networks-minutes"), "none.ledger")
    guesses = {(cell.dataset, cell.learner): cell.guess for cell in found.cells}
    assert len(guesses) == 2 * 22
    assert guesses["wine", "saint"] > guesses["iris", "saint"] > guesses["iris", "mlp"]
    assert found.guess == pytest.approx(sum(guesses.values()))


def test_data_that_are_not_here_are_planned_and_told(tmp_path, monkeypatch):
    monkeypatch.setenv("CAVEAT_DATA", str(tmp_path))
    monkeypatch.setenv("CAVEAT_OFFLINE", "1")
    written = {"study": "s", "topic": "shift", "datasets": ["credit", "iris"]}
    study = load_study({**written, "learners": ["dummy"], "baseline": "none"})
    found = preview(study, "none.ledger")
    assert [cell.dataset for cell in found.cells] == ["credit", "iris"]
    assert len(found.missing) == 1
    assert "credit" in found.missing[0]


def test_it_follows_a_model_of_any_topic(mixed):
    X, y, X_test, y_test = mixed()
    model = make_model("logistic-regression").fit(X, y)
    spec = {
        "scenario": ["random", "most"],
        "imputer": ["mean", "gaussian"],
        "tolerance": 0.01,
    }
    rows = pd.DataFrame(follow(spec, model, X, y, X_test, y_test, 7)["shift"])
    assert set(zip(rows["scenario"], rows["imputation"], strict=True)) == {
        (scenario, imputer)
        for scenario in ("random", "most")
        for imputer in ("mean", "gaussian")
    }
    expected = shift_curve(model, X, y, X_test, y_test, random_state=7, metric="auc")
    found = rows[(rows["scenario"] == "random") & (rows["measure"] == "auc")]
    found = found[found["imputation"] == "mean"]
    np.testing.assert_allclose(found["value"], expected.table["value"])
    with pytest.raises(UnknownName, match="did you mean 'imputer'"):
        follow({"imputr": "mean"}, model, X, y, X_test, y_test, 7)


def test_it_follows_a_model_fitted_on_an_array(mixed):
    from sklearn.linear_model import LogisticRegression

    X, y, X_test, y_test = (np.asarray(part) for part in mixed())
    X, X_test = (part[:, :2].astype(float) for part in (X, X_test))
    model = LogisticRegression().fit(X, y)
    rows = follow({"scenario": "most"}, model, X, y, X_test, y_test, 0)["shift"]
    assert len(rows) == 3 * 2


def test_it_follows_inside_a_study():
    written = {
        "study": "s",
        "topic": "supervised",
        "datasets": ["iris"],
        "learners": ["logistic-regression"],
        "resampling": {"folds": 0},
        "baseline": "none",
        "then": {"shift": {"scenario": ["random"], "degrees": [1, 2]}},
    }
    record = run_trial(plan(written)[0].spec)
    rows = pd.DataFrame(record["curves"]["shift"])
    assert sorted(set(rows["k"])) == [0, 1, 2]


def test_a_model_that_is_told_what_is_gone_is_measured_once_for_all_imputers(mixed):
    X, y, X_test, y_test = mixed(n=120)
    lossy = make_model("hist-gradient-boosting", mask_rate=0.3, max_iter=5).fit(X, y)
    spec = {"scenario": ["single"], "imputer": ["mean", "random"], "degrees": [1]}
    rows = pd.DataFrame(follow(spec, lossy, X, y, X_test, y_test, 0)["shift"])
    assert set(rows["imputation"]) == {"told which columns are gone"}
    assert not rows.duplicated(["column", "k", "measure"]).any()
