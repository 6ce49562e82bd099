"""Rows held out inside a fit respect the groups and the order that somebody named."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.tree import DecisionTreeClassifier

from caveat.cli._shift import shift
from caveat.models import Bonds, _base, early_settings, fit_model, make_model
from caveat.shift import look, tune
from caveat.study import plan, run_trial

STOPS = {"name": "hist-gradient-boosting", "validation": 0.2, "max_iter": 5}


def people(n=120):
    """Four rows of each person, who differ much, in the order of their days."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(n // 4), 4)
    a = rng.normal(size=n // 4)[who]
    return pd.DataFrame(
        {
            "a": a + 0.2 * rng.normal(size=n),
            "b": rng.normal(size=n),
            "c": rng.normal(size=n),
            "who": who,
            "day": rng.permutation(n),
            "y": np.where(a + 0.5 * rng.normal(size=n) > 0, "yes", "no"),
        }
    )


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "people.csv"
    people().to_csv(path, index=False)
    return str(path)


@pytest.fixture
def asked(monkeypatch):
    """Keep what every fit asked for, and which rows it held out."""
    kept = []
    usual = _base.hold_out

    def spy(target, share, **how):
        held = usual(target, share, **how)
        kept.append((held, how))
        return held

    monkeypatch.setattr(_base, "hold_out", spy)
    return kept


def assert_whole_groups(asked):
    assert asked
    for held, how in asked:
        groups = np.asarray(how["groups"])
        assert len(held)
        assert not set(groups[held]) & set(np.delete(groups, held))


def assert_latest(asked):
    assert asked
    for held, how in asked:
        time = np.asarray(how["time"])
        assert time[held].min() > np.delete(time, held).max()


def trial(topic, file, split, **more):
    study = {
        "study": "s",
        "topic": topic,
        "datasets": [{"file": file, "target": "y", "keep": ["day"]}],
        "learners": [STOPS],
        "split": split,
        "baseline": "none",
        **more,
    }
    return plan(study)[0].spec


def test_the_command_holds_out_whole_groups_and_says_so(file, asked):
    words = [file, "--target", "y", "--groups", "who", "--repeats", "1"]
    words += ["--models", "mlp,lightgbm", "--imputers", "mean"]
    found = CliRunner().invoke(shift, [*words, "--missing", "a"])
    assert found.exit_code == 0, found.output
    # The choice among the two, the fit and the refit; each by a network and a booster.
    assert len(asked) >= 6
    assert_whole_groups(asked)


def test_a_look_stops_by_the_latest_rows_and_says_how_models_stop(asked):
    how = {"models": ["mlp", "lightgbm"], "imputers": ["mean"], "repeats": 1}
    seen = look(people().drop(columns="who"), "y", order="day", **how)
    assert_latest(asked)
    told = " ".join(str(section) for section in seen.sections)
    assert "lightgbm (at most 2,000 rounds) does so, too" in told
    assert "Rows by which models stop early are the latest by day." in told


def test_without_networks_boosting_grows_all_its_trees(asked):
    how = {"models": ["lightgbm"], "imputers": ["mean"], "repeats": 1}
    seen = look(people(), "y", groups="who", **how)
    assert not asked
    assert "stop early" not in " ".join(str(section) for section in seen.sections)


def test_a_given_network_makes_boosting_stop_early(asked):
    data = people().drop(columns=["who", "day"])
    network = make_model("mlp", "binary", max_epochs=2, random_state=0)
    network.fit(data.drop(columns="y"), data["y"])
    asked.clear()
    how = {"models": ["lightgbm"], "imputers": ["mean"], "repeats": 1}
    look(data, "y", model=network, **how)
    assert asked


@pytest.mark.parametrize("topic", ["shift", "supervised"])
def test_studies_hold_out_whole_groups(topic, file, asked):
    run_trial(trial(topic, file, {"groups": "who"}))
    assert len(asked) >= 2
    assert_whole_groups(asked)


@pytest.mark.parametrize("topic", ["shift", "supervised"])
def test_studies_hold_out_the_latest_rows(topic, file, asked):
    run_trial(trial(topic, file, {"order": "day"}))
    assert len(asked) >= 2
    assert_latest(asked)


def test_refits_of_a_study_hold_out_whole_groups(file, asked):
    more = {"resampling": {"validation": 0}}
    more["scenario"] = {"scenario": "most", "degrees": [1], "upper": 1}
    run_trial(trial("shift", file, {"groups": "who"}, **more))
    assert len(asked) == 2
    assert_whole_groups(asked)


@pytest.mark.parametrize("part", ["score", "vanish"])
def test_an_audit_holds_out_whole_groups(part, file, asked):
    scenario = {"groups": "who", "folds": 2, "aside": {"day": "date"}}
    study = {
        "study": "s",
        "topic": "audit",
        "datasets": [{"file": file, "target": "y"}],
        "learners": [STOPS],
        "scenario": scenario,
        "baseline": "none",
    }
    one = next(each for each in plan(study) if each.spec["world"]["part"] == part)
    run_trial(one.spec)
    # Columns that are missed most are fitted without, too.
    assert len(asked) == {"score": 1, "vanish": 3}[part]
    assert_whole_groups(asked)


def test_tuning_measures_on_whole_groups_and_stops_by_others(asked):
    table = people()
    rows = (table[["a", "b", "c"]], table["y"])
    fixed = {key: STOPS[key] for key in ("validation", "max_iter")}
    how = {"n_trials": 2, "fixed": fixed}
    tune("hist-gradient-boosting", *rows, groups=table["who"], **how)
    assert len(asked) == 2
    assert_whole_groups(asked)
    learnt = set(asked[0][1]["groups"])
    # About a fifth of the people was not learnt from at all, but measured on.
    assert 0.7 * 30 <= len(learnt) < 30


def test_a_model_of_the_users_own_gets_a_plain_fit():
    X, y = [[0], [1], [0], [1]], [0, 1, 0, 1]
    tree = fit_model(DecisionTreeClassifier(), X, y, Bonds(groups=[0, 0, 1, 1]))
    assert tree.predict(X).tolist() == y


def test_rows_of_one_group_can_still_be_learnt_from():
    table = people()
    model = make_model("hist-gradient-boosting", "binary", validation=0.2, max_iter=2)
    alone = Bonds(groups=np.zeros(len(table)))
    fit_model(model, table[["a"]], table["y"], alone)
    assert len(model.validation_rows_)
    assert not len(alone.hold_out(table["y"], 0.2, classify=True, seed=0))


def test_every_booster_can_stop_beside_a_network():
    from caveat.models import MODELS

    for name, entry in MODELS.items():
        early = early_settings(name, ["mlp"])
        assert bool(early) == (entry.facts["family"] == "boosting")
        known = make_model(name, entry.tasks[0]).get_params() if early else {}
        assert set(early) <= set(known)
