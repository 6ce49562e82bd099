"""`caveat.shift.look`: prices with their intervals, and what they advise."""

import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from caveat.exceptions import InvalidInput, UnknownName
from caveat.models import make_model
from caveat.pages import About, prose, terminal_lines
from caveat.pages.claims import Estimate
from caveat.shift import (
    Outage,
    Result,
    _forecast,
    _from_data,
    _look_rows,
    look,
    shift_curve,
    upper_bound,
)
from caveat.shift.page._advice_words import advice_words
from caveat.shift.prices._advice import advise
from caveat.shift.prices._folds import Contender, Fold, Tried
from caveat.shift.prices._prices import Book, Task, expected_seconds
from caveat.shift.prices._resampling import Resampling
from caveat.shift.registry import MEASURES
from caveat.shift.result import read_book
from caveat.shift.scenarios._scenarios import Stages

QUICK = {"models": ["logistic-regression"], "imputers": ["mean"], "repeats": 2}


def make_copies(n=300, seed=0):
    """A column and its noisy copy: filling one in costs, fitting again does not."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, n))
    y = (a + b + 0.3 * rng.normal(size=n) > 0).astype(int)
    return pd.DataFrame(
        {
            "a": a,
            "copy": a + 0.5 * rng.normal(size=n),
            "b": b,
            "noise": rng.normal(size=n),
            "y": np.where(y, "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def copies():
    return make_copies()


@pytest.fixture(scope="module")
def seen(copies):
    return look(copies, "y", missing=[["a"], ["noise"]], **QUICK)


@pytest.mark.thorough
def test_the_asked_loss_is_the_title_and_the_first_of_the_losses(seen):
    first, second = seen.extra["losses"]
    assert seen.title.startswith("Without a, ")
    assert (first["missing"], second["missing"]) == (["a"], ["noise"])
    assert first["low"] < first["loss"] < first["high"]
    assert first["loss"] == pytest.approx(first["all"] - first["after"])


def test_a_title_says_that_further_outages_stand_below(seen):
    assert seen.title.endswith("One more outage stands below.")


def test_advice_stands_once_and_its_words_are_explained(seen):
    assert str(seen.action).removesuffix(".") not in str(seen.lede)
    table = next(s for s in seen.sections if s.name == "missing").blocks[0]
    assert "Advice “fill”: keep the model" in str(table.conditions)
    assert "“refit”: fit it again" in str(table.conditions)
    assert "change" not in str(table.conditions)


def test_a_column_that_was_left_out_is_told_once(copies):
    dated = copies.assign(day=pd.date_range("2024-01-01", periods=len(copies)))
    page = look(dated, "y", missing=[["a"]], **QUICK)
    told = [str(c.words) for c in page.ordered if "left out" in str(c.words)]
    assert told == ["Column 'day' was left out: date."]
    facts = next(s for s in page.sections if s.name == "again").blocks[0]
    assert str(dict(facts.pairs)["Columns left out"]) == "day (date)"


def test_none_is_one(copies):
    page = look(copies[["noise", "y"]].assign(more=copies["noise"] ** 2), "y", **QUICK)
    section = next(s for s in page.sections if s.name == "columns")
    assert str(prose(section.heading)).startswith("None of 2 columns is seen to cost")


def test_a_copy_makes_refitting_worth_it_and_noise_can_be_filled_in(seen):
    assert [row["advice"] for row in seen.extra["losses"]] == ["refit", "fill"]
    assert "again without a" in str(seen.action)


@pytest.mark.thorough
def test_the_numbers_are_those_of_the_curve_on_the_same_split(mixed):
    X, y, X_test, y_test = mixed(n=160)
    model = make_model("logistic-regression").fit(X, y)
    found = look(
        None,
        "y",
        model=model,
        train=X.assign(y=y),
        test=X_test.assign(y=y_test),
        missing=["size", "left"],
        imputers=["mean"],
    ).extra["losses"][0]
    stage = Stages({"gone": ["size", "left"]})
    parts = (X, y, X_test, y_test)
    curve = shift_curve(model, *parts, scenario=stage, metric="auc").of()["value"]
    again = upper_bound(model, *parts, scenarios=[stage], metric="auc")["upper"][0]
    assert found["all"] == pytest.approx(curve[0])
    assert found["after"] == pytest.approx(curve[1])
    assert found["refitted"] == pytest.approx(again)


@pytest.mark.thorough
def test_errors_are_lost_when_they_rise(mixed):
    X, y = mixed("regression", n=160)[:2]
    table = X.assign(y=y)
    seen = look(table, "y", missing=["size"], models=["ridge"], repeats=2)
    row = seen.extra["losses"][0]
    assert row["measure"] == "rmse"
    assert row["loss"] == pytest.approx(row["after"] - row["all"])
    assert row["low"] > 0


@pytest.mark.thorough
@pytest.mark.parametrize("metric", ["accuracy", "log-loss", "brier", "f1", "ece"])
def test_every_measure_has_its_interval(copies, metric):
    row = look(copies, "y", missing=["a"], metric=metric, **QUICK).extra["losses"][0]
    assert row["low"] < row["high"]


@pytest.mark.thorough
def test_f1_is_about_the_class_that_all_commands_call_positive(copies):
    def f1(yes, no, **more):
        rare = copies[(copies["y"] == "no") | (copies.index % 3 == 0)]
        named = rare.assign(y=rare["y"].map({"yes": yes, "no": no}))
        found = look(named, "y", missing=["a"], metric="f1", **QUICK, **more)
        row = found.extra["losses"][0]
        return row["all"], row["after"]

    expected = f1("yes", "no")
    assert f1("bad", "good") == pytest.approx(expected)  # the rarer one, sorted first
    assert f1("good", "bad", positive="good") == pytest.approx(expected)
    assert f1("bad", "good", positive="good")[0] > expected[0]
    with pytest.raises(InvalidInput, match="two classes"):
        look(copies.assign(y=copies["a"]), "y", positive="1", **QUICK)


@pytest.mark.thorough
def test_a_published_scenario_is_about_the_same_class(copies, tmp_path):
    rare = copies[(copies["y"] == "no") | (copies.index % 3 == 0)]
    tables = []
    for names in ({"yes": "yes", "no": "no"}, {"yes": "bad", "no": "good"}):
        named = rare.assign(y=rare["y"].map(names))
        how = {"metric": "f1", "scenario": "single", "degree": "1"}
        look(named, "y", **how, **QUICK).save(tmp_path)
        tables.append(pd.read_csv(tmp_path / "curves.csv"))
    assert set(tables[0]["measure"]) == {"f1"}
    np.testing.assert_allclose(tables[1]["value"], tables[0]["value"])


@pytest.mark.thorough
def test_a_published_scenario_shows_means_over_splits_above_its_floors(copies):
    found = look(copies, "y", scenario="single", degree="1", **QUICK)
    (table,) = (s.blocks[0] for s in found.sections if s.name == "scenario")
    shown = [[str(prose(cell.text)) for cell in row.cells] for row in table.rows]
    assert shown[0][:4] == ["logistic-regression", "accuracy", "0", ""]
    assert {row[3] for row in shown} == {"", "a", "b", "copy", "noise"}
    assert not any("nan" in cell for row in shown for cell in row)
    frame = pd.read_csv(io.BytesIO(table.downloads[0].content))
    intact = frame[(frame["k"] == 0) & (frame["measure"] == "accuracy")]
    assert table.rows[0].cells[4].value == pytest.approx(intact["value"].mean())
    floors = {row[1]: row[4] for row in shown if row[0] == "A constant answer"}
    assert floors["auc"] == "0.500"
    assert floors["accuracy"] == f"{intact['constant'].mean():.3f}"
    lines = [line.plain for line in terminal_lines(found)]
    assert any(line.startswith("A constant answer") for line in lines)


@pytest.mark.thorough
def test_a_date_changes_nothing(copies):
    hours = pd.date_range("2025-01-01", periods=len(copies), freq="h").astype(str)
    dated = copies.assign(hour=hours)
    plain = look(copies, "y", missing=["a"], **QUICK).extra["losses"]
    assert look(dated, "y", missing=["a"], **QUICK).extra["losses"] == plain


@pytest.mark.thorough
def test_a_result_comes_back_from_its_record(copies, monkeypatch):
    from caveat.shift import page

    caught = []
    real = page.look
    monkeypatch.setattr(
        page,
        "look",
        lambda found, *a, **k: caught.append(found) or real(found, *a, **k),
    )
    told = look(copies, "y", missing=["a"], **QUICK).to_json()
    record = json.loads(json.dumps(caught[0].to_record()))
    about = About("x", "y", "binary", 4, 2)
    again = real(Result.from_record(record), about).to_json()
    assert json.loads(again)["losses"] == json.loads(told)["losses"]


@pytest.mark.thorough
def test_a_model_that_cannot_be_refitted_is_held_against_stand_ins(copies):
    train, test = copies[:200], copies[200:]
    fitted = LogisticRegression().fit(train[["a", "copy", "b", "noise"]], train["y"])
    rows = {"train": train, "test": test, "missing": ["a"], "imputers": ["mean"]}
    own = look(None, "y", model=fitted, **rows).extra["losses"][0]
    told = look(None, "y", model=lambda X: fitted.predict_proba(X), **rows).extra[
        "losses"
    ][0]
    assert told["refitted"] is None
    assert told["after"] == pytest.approx(own["after"])
    assert told["advice"] == own["advice"] == "refit"


@pytest.fixture(scope="module")
def told(copies):
    """A model that was trained for loss, with all the usual ways to fill in."""
    train, test = copies[:200], copies[200:]
    lossy = make_model("hist-gradient-boosting", mask_rate=0.3, max_iter=20)
    lossy.fit(train[["a", "copy", "b", "noise"]], train["y"])
    rows = {"train": train, "test": test, "missing": ["a"]}
    return lambda **more: look(None, "y", model=lossy, **rows, **more)


def test_a_model_that_is_told_what_is_gone_fills_in_nothing(told):
    page = told()
    assert [row["imputer"] for row in page.extra["losses"]] == [
        "told which columns are gone"
    ]
    assert "fill" not in page.to_json().lower()
    shown = "\n".join(map(str, terminal_lines(page)))
    [section] = [one for one in page.sections if one.name == "missing"]
    [columns] = [one for one in page.sections if one.name == "columns"]
    everything = [shown, page.action, section.blocks[0].conditions]
    everything += [columns.blocks[0].conditions, page.figure.label]
    assert not [text for text in everything if "fill" in str(text).lower()]
    assert "told which columns are gone" in shown
    assert "is told which columns are gone" in str(columns.blocks[0].conditions)
    assert "Chosen" not in str(section.lead)
    assert len(section.blocks[0].rows) == 2  # the one way, and a constant answer


def test_a_model_beside_it_is_filled_in_as_ever(told):
    page = told(models=["logistic-regression"], imputers=["mean", "median"])
    ways = {row["model"]: row["imputer"] for row in page.extra["losses"]}
    assert ways["the model"] == "told which columns are gone"
    assert ways["logistic-regression"] in ("mean", "median")
    [section] = [one for one in page.sections if one.name == "missing"]
    assert "Filled in: " in str(section.lead)
    assert "Being told: " in str(section.lead)


def test_a_loss_that_does_not_matter_to_a_model_that_is_told_is_no_filling():
    small = Estimate(0.0, "", -0.004, 0.004)
    assert advise(small, [], tolerance=0.01) == "fill"
    assert advise(small, [], tolerance=0.01, told=True) == "keep"


def test_without_columns_asked_for_the_dearest_column_is_the_caveat(copies):
    seen = look(copies, "y", **QUICK)
    assert seen.extra["losses"] == []
    assert seen.caveats[0]["kind"] == "vanish"
    assert seen.caveats[0]["columns"] == ["b"]


@pytest.mark.thorough
def test_how_long_it_may_take_is_told_before_it_starts(copies):
    models = ["ridge", "dummy"]
    told, seen = [], []
    look(
        copies,
        "y",
        missing=["a"],
        models=models,
        imputers=["mean"],
        repeats=2,
        found=lambda text: told.append((text, len(seen))),
        progress=lambda done, total: seen.append((done, total)),
    )
    (rough, before), (better, tried) = told[:2]
    assert rough.startswith("about ")
    assert "a rough guess" in rough
    assert better.startswith("up to ")
    for text in (rough, better):
        assert "\xa0" not in text
        assert "for 2 splits: " in text
        assert "logistic-regression" in text
    # The guess comes before the first fit, the other when both were tried once.
    assert (before, tried) == (0, 2)
    assert list(dict.fromkeys(seen)) == [(done, 6) for done in range(7)]


def test_how_long_one_model_may_take_is_told_before_its_only_fit(copies, monkeypatch):
    happened = []
    usual = _from_data.measure_prices
    monkeypatch.setattr(
        _from_data,
        "measure_prices",
        lambda *a, **k: happened.append("fit") or usual(*a, **k),
    )
    look(copies, "y", missing=["a"], **QUICK, found=happened.append)
    assert happened[0].startswith("about 1.0 s for 2 splits: logistic-regression under")
    assert "tried" not in happened[0]
    assert happened[1] == "fit"


def test_a_network_is_guessed_to_take_longer_with_more_rows_and_no_less_with_few():
    def guess(rows, network="ft-transformer"):
        frame = pd.DataFrame(np.zeros((rows, 10)))
        fold = Fold(frame, None, frame[:10], None, None)
        divided = _look_rows.Rows([fold], None, "binary", None, [], None)
        contenders = [Contender(name, None, None) for name in (network, "mine")]
        found = _forecast.guess_pace(contenders, divided)
        task = Task(outages=[], imputers=["mean"], metric=None, task="x")
        assert "without mine" in _forecast.rough_forecast(
            found, contenders, divided, task, False
        )
        return expected_seconds(found, [fold], task)[network]

    assert guess(4000) > 3 * guess(1000)
    # Rows that look one another up cost by their square.
    assert guess(4000, "modernnca") > 12 * guess(1000, "modernnca")
    assert guess(20) == pytest.approx(guess(250), rel=0.05)


def test_one_split_is_not_called_several(copies):
    told = []
    quick = {**QUICK, "repeats": 1}
    page = look(copies, "y", missing=["a"], **quick, found=told.append)
    assert any(text.startswith("the only split: ") for text in told)
    shown = " ".join([*told, page.to_json(), str(page.figure.conditions)])
    decay = next(one for one in page.sections if one.name == "decay")
    shown += str(decay.blocks[0].conditions)
    assert "over rows, seed 0" in shown
    for words in ("several", "over splits", "and splits", "in each"):
        assert words not in shown


def test_a_loss_that_the_rows_leave_open_is_not_called_none(copies):
    few = look(copies[:60], "y", missing=["noise"], **QUICK)
    row = few.extra["losses"][0]
    assert row["low"] < 0 < 0.01 < row["high"]  # the tolerance is 0.01
    shown = " ".join(str(one.words) for one in few.claims)
    assert "whether logistic-regression loses cannot be told at this size" in shown
    assert "no loss of" not in shown
    mild = look(copies[:60], "y", missing=["noise"], tolerance=0.5, **QUICK)
    shown = " ".join(str(one.words) for one in mild.claims)
    assert "no loss of logistic-regression is seen" in shown


def test_a_model_that_answers_one_value_is_named(copies):
    few = {"models": ["logistic-regression", "lightgbm"], "imputers": ["mean"]}
    page = look(copies[:26], "y", missing=["a"], repeats=2, **few)
    told = [str(one.words) for one in page.ordered if "one value" in str(one.words)]
    assert told == [
        "All rows get one value from lightgbm, whatever their columns hold."
    ]
    assert "one value" not in look(copies, "y", **QUICK).to_json()


def test_a_model_that_takes_twice_as_long_is_expected_to():
    fold = Fold(
        pd.DataFrame({"a": range(30)}), None, pd.DataFrame({"a": range(10)}), None, None
    )
    task = Task(outages=[Outage(("a",))], imputers=["mean"], metric=None, task="x")
    tried = {"slow": Tried(2.0, 0.0, 15, 5), "quick": Tried(1.0, 0.5, 30, 10)}
    found = expected_seconds(tried, [fold, fold], task)
    # Two splits, each with a fit, a refit, and four tables to be answered.
    assert found == {"slow": 2 * 2 * 2.0 * 2, "quick": 2 * (2 * 1.0 + 4 * 0.5)}


@pytest.mark.thorough
def test_groups_are_drawn_whole(copies):
    doubled = pd.concat([copies, copies], ignore_index=True)
    doubled["who"] = np.tile(np.arange(len(copies)), 2)
    alone = look(copies, "y", missing=["a"], **QUICK).extra["losses"][0]
    grouped = look(doubled, "y", missing=["a"], groups="who", **QUICK)
    wide = grouped.extra["losses"][0]
    assert wide["high"] - wide["low"] > 0.6 * (alone["high"] - alone["low"])


SURE, NONE, WIDE = (0.05, 0.03, 0.07), (0.0, -0.004, 0.004), (0.02, -0.02, 0.06)


@pytest.mark.parametrize(
    ("loss", "gain", "other", "advice"),
    [
        (SURE, SURE, None, "refit"),
        (SURE, SURE, SURE, "change"),
        (SURE, NONE, None, "fill"),
        (NONE, WIDE, None, "fill"),
        (NONE, SURE, SURE, "fill"),
        (SURE, NONE, WIDE, "open"),
        (SURE, NONE, NONE, "fill"),
        (SURE, WIDE, None, "open"),
        (SURE, None, None, "open"),
        (SURE, (0.004, 0.002, 0.006), None, "fill"),
    ],
)
def test_advice_goes_only_as_far_as_the_intervals(loss, gain, other, advice):
    def made(one):
        return [] if one is None else [Estimate(one[0], "", one[1], one[2])]

    found = advise(made(loss)[0], made(gain), made(other), tolerance=0.01)
    assert found == advice


def test_a_table_beside_the_users_own_division_is_said_to_be_unused(copies):
    rows = {"train": copies[:60], "test": copies[60:]}
    settings = {"missing": ["a"], "models": QUICK["models"], "imputers": ["mean"]}
    seen = look(copies, "y", **rows, **settings)
    told = [one["text"] for one in seen.caveats]
    assert "--train and --test give the rows; the table was not used." in told
    alone = look(None, "y", **rows, **settings)
    assert alone.extra["losses"] == seen.extra["losses"]


@pytest.mark.parametrize("limit", [2.0, 0.0005])
def test_the_tolerated_loss_is_written_as_given(copies, limit):
    found = look(copies, "y", protect=limit, **QUICK)
    section = next(one for one in found.sections if one.name == "protect")
    assert f"a loss of at most {limit:g} AUC" in str(section.heading.words)


def test_what_cannot_be_meant_is_refused(copies):
    with pytest.raises(UnknownName, match="did you mean 'noise'"):
        look(copies, "y", missing=["nose"], **QUICK)
    with pytest.raises(InvalidInput, match="a list of column names"):
        look(copies, "y", missing="a", **QUICK)
    with pytest.raises(InvalidInput, match="go together"):
        look(copies, "y", train=copies)
    with pytest.raises(InvalidInput, match="names no column"):
        Outage(())


@pytest.mark.slow
@pytest.mark.parametrize(
    "missing", ["ST_Slope,ChestPainType", "Oldpeak,ExerciseAngina"]
)
def test_heart_has_one_advice_over_five_seeds_or_says_that_it_is_open(real, missing):
    X, y, X_test, y_test = real("heart")
    table = pd.concat([X.assign(y=y), X_test.assign(y=y_test)], ignore_index=True)
    found: dict[str, set[str]] = {}
    for seed in range(5):
        seen = look(
            table,
            "y",
            missing=missing.split(","),
            models=["logistic-regression", "lightgbm"],
            random_state=seed,
        )
        for row in seen.extra["losses"]:
            found.setdefault(row["model"], set()).add(row["advice"])
    assert all(len(said - {"open"}) <= 1 for said in found.values()), found


def test_further_outages_have_their_price_and_advice(seen):
    told = [c for c in seen.caveats if c["text"].startswith("Without noise")]
    assert told
    assert any("logistic-regression" in c["fix"] for c in told)


def test_the_asked_loss_leads_where_its_answers_are_constant(copies):
    """All columns gone leave one answer, whose score has no interval."""
    names = ["a", "copy", "b", "noise"]
    seen = look(copies, "y", missing=names, **QUICK)
    assert seen.title.startswith("Without a, copy, b and noise, ")


def test_the_asked_loss_leads_where_the_model_is_at_its_floor():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc"))
    table["y"] = rng.integers(2, size=200)
    seen = look(table, "y", missing=["a"], **QUICK)
    assert seen.title.startswith("Without a, ")


def test_a_better_model_is_named(copies):
    """The copy and the column cancel where a model reads one of them only."""

    def weak(table):
        return 1 / (1 + np.exp(-0.1 * table["a"] - 0.01 * table["noise"]))

    seen = look(
        copies,
        "y",
        missing=["a"],
        model=weak,
        **{**QUICK, "models": ["logistic-regression"], "repeats": 3},
    )
    row = seen.extra["losses"][0]
    assert (row["advice"], row["better"]) == ("change", "logistic-regression")
    assert "logistic-regression does surely better without a" in str(seen.action)
    texts = [c["text"] for c in seen.caveats]
    assert any("leads the model, both without a, by" in text for text in texts)
    assert any("rows may be those that the model learnt from" in text for text in texts)


@pytest.mark.parametrize(("repeats", "known"), [(2, False), (3, True)])
def test_two_splits_give_clusters_no_interval(copies, repeats, known):
    seen = look(copies, "y", **{**QUICK, "repeats": repeats})
    lines = [line for line in terminal_lines(seen) if "clusters that" in str(line)]
    [row] = [line for line in lines if "reaches" not in str(line)]
    assert (" to 0." in str(row)) == known


def test_a_column_that_makes_no_difference_is_kept_out_of_every_plan():
    """Trees that have a column twice split on the first one alone."""
    table = make_copies(600)[["a", "b", "y"]]
    seen = look(
        table.assign(twin=table["a"]),
        "y",
        missing=["twin"],
        models=["lightgbm"],
        imputers=["mean", "median"],
    )
    [loss] = seen.extra["losses"]
    assert (loss["loss"], loss["low"], loss["high"]) == (0.0, 0.0, 0.0)
    assert loss["advice"] == "fill"
    assert re.fullmatch(
        r"Without twin, lightgbm keeps its 0\.\d+\sAUC: none of 4\d\d test rows makes "
        r"a difference\.",
        seen.title,
    )
    assert "makes no difference" in str(seen.action)
    assert "needs no labels" not in seen.to_json()


def test_no_difference_among_few_rows_is_no_proof():
    for rows, advice in ((298, "open"), (299, "fill")):
        nothing = Estimate(0.0, "", 0.0, 0.0, n=rows)
        assert advise(nothing, [nothing], tolerance=0.01) == advice
        lost = Estimate(0.3, "", 0.2, 0.4, n=rows)
        assert advise(lost, [nothing], tolerance=0.01) == advice
    nothing = Estimate(0.0, "", 0.0, 0.0, n=3)
    assert advise(nothing, [], tolerance=0.01, unread=True) == "fill"


def test_filling_in_is_advised_only_if_no_stand_in_could_gain():
    """One that gains little for sure does not speak for one that may gain much."""
    rng = np.random.default_rng(0)
    n = 200
    truth = rng.normal(size=n)
    intact = truth + 0.1 * rng.normal(size=n)
    filled = truth + 1.0 * rng.normal(size=n)
    close = filled + 1e-4 * (truth - filled)
    loose = truth + 1.0 * rng.normal(size=n)
    rows = Resampling(np.arange(n), [np.arange(n)], 0)
    for fitted, advice in (({"x": close}, "fill"), ({"x": close, "z": loose}, "open")):
        book = Book(MEASURES["rmse"], rows)
        gone = ("m", "without a", "mean")
        answers = {("m", "", ""): intact, gone: filled}
        answers |= {("m", "without a", f"refitted {k}"): v for k, v in fitted.items()}
        book.add(0, list(answers), np.stack(list(answers.values())), truth)
        book.distances[gone] = [1.0]
        found = read_book(book, ["m"], [Outage(("a",))], columns=[], tolerance=0.1)
        assert found["losses"]["by"].tolist() == ["x"]
        assert found["losses"]["advice"].tolist() == [advice]


def test_large_first_numbers_are_whole():
    assert _forecast._brief(7778482.683) == "7,778,483"
    assert _forecast._brief(0.9134) == "0.913"


def test_where_no_column_is_left_nothing_is_filled_in(copies):
    lost = [["a", "copy", "b", "noise"], ["a", "copy", "b"]]
    seen = look(copies, "y", missing=lost, **QUICK)
    assert str(seen.action) == (
        "Nothing makes up for this: without a, copy, b and noise no column is left "
        "that logistic-regression reads."
    )
    other = look(copies, "y", missing=lost[1], **QUICK)
    assert "Nothing makes up" not in str(other.action)


ROW = {
    **{"columns": ["a"], "outage": "without a", "kind": "vanish", "imputer": "mean"},
    **{"model": "ridge", "by": "ridge", "better": "lightgbm", "again": True},
    **{"low": -0.1, "high": 0.2, "rivals": [], "advice": "open"},
}
UNIT = {"kind": "unit", "outage": "a in another unit (times 2)", "again": False}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "between filling in and fitting again"),
        ({"by": "lightgbm"}, "between filling in and a model without a"),
        (
            {"again": False, "rivals": ["lightgbm"]},
            "between filling in and lightgbm in its place",
        ),
        (
            {"imputer": "native", "rivals": ["lightgbm", "mlp"]},
            "between leaving a missing, fitting again and lightgbm or mlp in its place",
        ),
        ({**UNIT, "rivals": ["mlp"]}, "between keeping it and mlp in its place"),
        (
            {**UNIT, "advice": "change"},
            "lightgbm does surely better with a in another unit (times 2)",
        ),
    ],
)
def test_advice_names_what_the_intervals_leave_open(more, words):
    assert str(advice_words({**ROW, **more})).endswith(words)


def test_one_way_to_meet_an_outage_was_not_chosen(copies):
    drifting = Outage(("a",), "drift", size=3.0)
    seen = look(copies, "y", outages=[drifting], **QUICK)
    section = next(one for one in seen.sections if one.name == "missing")
    [table] = section.blocks
    assert [str(column.title) for column in table.columns][:3:2] == ["Outage", "Met by"]
    assert str(table.rows[0].cells[2].text) == "as it arrives"
    assert section.lead.startswith("As it arrives: the fitted model")
    assert "Chosen" not in section.lead


@pytest.mark.parametrize("order", [["mean", "median"], ["median", "mean"]])
def test_a_filling_that_does_no_worse_has_no_oracle_beside_it(copies, order):
    """Whatever stands in one column of a line, the order of the rows is the same."""
    skewed = copies.assign(a=np.exp(copies["a"]))
    seen = look(skewed, "y", missing=["a"], **{**QUICK, "imputers": order})
    assert seen.tables["losses"].query("oracle")["chosen"].all()


def test_a_loss_that_nobody_minds_is_no_share_of_what_was_earned(copies):
    seen = look(copies, "y", missing=["a"], tolerance=0.5, **QUICK)
    row = seen.extra["losses"][0]
    assert 0 < row["low"] < row["high"] < 0.5
    assert not any("of what" in one["text"] for one in seen.caveats)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"costs": {"a": 2.0}}, "with --protect"),
        ({"degree": "2"}, "one with --scenario"),
        ({"degree": "9", "scenario": "most"}, "no more than 5 can be lost"),
        ({"outages": [Outage(("a",), where=("b", "9"))]}, "no test row is hit"),
        ({"outages": [Outage(("word",), "drift")]}, "only numbers can drift"),
        ({"outages": [Outage(("word", "a"), "swap")]}, "two columns of one kind"),
        ({"protect": -1.0}, "use a loss of 0 or more"),
        ({"protect": 0.1, "costs": {"aa": 2.0}}, "no column is called 'aa'"),
        ({"protect": 0.1, "costs": {"a": -2.0}}, "use a cost of 0 or more"),
    ],
)
def test_what_cannot_be_served_is_refused_before_anything_is_fitted(
    copies, settings, words
):
    told = []
    table = copies.assign(word=np.resize(["u", "v"], len(copies)))
    with pytest.raises((InvalidInput, UnknownName), match=words):
        look(table, "y", **QUICK, **settings, found=told.append)
    assert not told


def test_a_backup_that_was_asked_for_is_what_to_do(copies):
    ways = {**QUICK, "imputers": ["native"]}
    seen = look(copies, "y", protect=0.02, scenario="most", **ways)
    assert str(seen.action).startswith("Back up ")
    for name in ("columns", "scenario"):
        [part] = [one for one in seen.sections if one.name == name]
        assert "Cells are left missing." in str(part.blocks[0].conditions)
