import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression

from caveat.bags import (
    VariantReport,
    _examine,
    _from_data,
    bag_hardness,
    examine_bags,
    look,
    page,
)
from caveat.bags._division import division
from caveat.bags.result import MEASURES, ORACLE, RULE, SHIFTED, Result
from caveat.cli._bags import bags as command
from caveat.exceptions import CaveatError
from caveat.pages import About
from papers.bags import figures


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 300
    y = rng.integers(0, 2, n)
    town = np.array(["north", "south", "west"])[
        np.where(rng.random(n) < 0.7, y, rng.integers(0, 3, n))
    ]
    return pd.DataFrame(
        {
            "age": rng.normal(size=n) + 2 * y,
            "job": np.where(rng.random(n) < 0.5, "a", "b"),
            "town": town,
            "left": np.where(y == 1, "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def found(table):
    X = table.drop(columns="left")
    return examine_bags(
        X, table["left"], "town", positive="yes", learners=["mm", "em-lr"], repeats=2
    )


@pytest.mark.thorough
def test_every_rule_has_a_score_and_a_criterion(found):
    assert len(found.scores) == 2 * 2 * 5
    chosen = found.scores[found.scores["rule"] != ORACLE]
    assert chosen["criterion"].notna().all()
    assert found.of_learner("mm", "split-bag-kfold", "f1").max() > 0.6


def test_the_choice_is_the_smallest_criterion_of_all_learners(found):
    chosen = found.chosen()
    for row in chosen.itertuples():
        rivals = found.scores.query("rule == @RULE and repeat == @row.repeat")
        assert row.criterion == rivals["criterion"].min()
    assert (found.regret(RULE) >= 0).all()


def test_it_is_plain_values_for_json(found):
    assert json.loads(json.dumps(found.to_dict()))["classes"] == ["no", "yes"]


def test_floors_are_what_they_say(table, found):
    """The constant answer has AUC one half; always yes finds every yes."""
    assert found.of_floor("constant answer").eq(0.5).all()
    yes = (table["left"] == "yes").mean()
    expected = 2 * yes / (1 + yes)
    assert found.of_floor("always yes", "f1").mean() == pytest.approx(
        expected, abs=0.02
    )
    share = found.of_floor("group share")
    assert (share >= found.of_floor("group majority") - 1e-12).all()


def test_the_grouping_column_is_not_learnt_from_unless_asked(table):
    lone = table[["town", "left"]]
    with pytest.raises(CaveatError, match="only column"):
        examine_bags(lone[["town"]], lone["left"], "town")


SHIFTED_MEASURES = [SHIFTED + name for name in MEASURES]
NO_LOOK = (
    VariantReport("other", {"T1": 1.0}, ("naive",), 0.05, 300, {}, {}),
    bag_hardness([[0.0], [1.0]], [0, 1], [0.2, 0.8]),
)


@pytest.fixture
def unlooked(monkeypatch):
    """Leave the five tests out: they take most of the time."""
    monkeypatch.setattr(_examine._Examination, "look", lambda self, rng: NO_LOOK)


def test_small_groups_are_left_out_and_told(table, unlooked):
    frame = table.assign(town=table["town"].where(table.index > 4, "tiny"))
    found = examine_bags(
        frame.drop(columns="left"), frame["left"], "town", learners=["mm"], repeats=1
    )
    assert "tiny" not in set(found.groups["group"])
    assert any("5 rows" in note for note in found.notes)


@pytest.mark.thorough
def test_rows_without_a_group_form_one_of_their_own(table, unlooked):
    frame = table.assign(town=table["town"].where(table.index > 40))
    found = examine_bags(
        frame.drop(columns="left"), frame["left"], "town", learners=["mm"], repeats=1
    )
    assert "(no value)" in set(found.groups["group"])
    assert any("41 rows without a value of town" in note for note in found.notes)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:.*against the rest")
def test_three_classes_go_by_their_names(table, unlooked):
    """Pure groups: without one of them a class has no share, and is named for it."""
    age = table["age"].rank().mul(3).floordiv(len(table) + 1).astype(int)
    left = np.array(["no", "maybe", "yes"])[age]
    frame = table.drop(columns="left").assign(town=np.char.add("of ", left))
    found = examine_bags(
        frame, left, "town", learners=["mm", "inverse-calibration"], repeats=1
    )
    assert sum("MM, InvCal: the learner learns two" in one for one in found.notes) == 1
    assert found.scores["f1"].between(0.5, 1).all()
    assert found.ceiling["auc"].min() > 0.9
    told = [note for note in found.notes if "has the same share" in note]
    assert {note.split("'")[1] for note in told} == {"no", "maybe", "yes"}
    assert all("full-bag-kfold" in note for note in told)


@pytest.mark.thorough
def test_a_label_seen_once_does_no_harm(table, unlooked):
    left = table["left"].copy()
    left.iloc[0] = "unknown"
    found = examine_bags(
        table.drop(columns="left"), left, "town", learners=["mm"], repeats=2
    )
    assert found.ceiling["f1"].between(0, 1).all()


@pytest.mark.parametrize("seed", range(20))
def test_a_division_keeps_shares_and_both_sides_of_a_rare_label(seed):
    rng = np.random.RandomState(seed)
    bags, codes = rng.randint(0, 30, 200), (rng.random_sample(200) < 0.4).astype(int)
    codes[[3, 90]] = 2
    train, test = division(bags, codes, rng)
    np.testing.assert_array_equal(np.sort(np.append(train, test)), np.arange(200))
    assert abs(len(test) - 50) <= 1
    whole, part = np.bincount(bags), np.bincount(bags[test], minlength=30)
    assert np.abs(part - whole / 4).max() <= 2
    assert set(codes[train]) == set(codes[test]) == {0, 1, 2}


def test_many_small_groups_are_no_obstacle(table, unlooked):
    """Sixty groups of five rows: more labels in groups than rows for the test."""
    frame = table.drop(columns="left").assign(town=np.arange(300) % 60)
    found = examine_bags(
        frame, table["left"], "town", learners=["mm"], repeats=1, smallest=5
    )
    assert found.n_groups == 60


@pytest.mark.thorough
def test_large_tables_are_sampled_and_told(table, unlooked):
    found = examine_bags(
        table.drop(columns="left"),
        table["left"],
        "town",
        learners=["mm"],
        repeats=1,
        max_items=200,
    )
    assert found.rows <= 200
    assert any("sample" in note for note in found.notes)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"by": "twon"}, ["town"]),
        ({"learners": ["lm"]}, ["lmm"]),
        ({"repeats": 0}, ["repeats"]),
        ({"positive": "maybe"}, ["maybe"]),
        ({"smallest": 10_000}, ["town", "3 values", "--smallest"]),
        ({"smallest": 0}, ["smallest"]),
        ({"by": "age"}, ["age", "300 values", "fewer values"]),
        ({"by": "all"}, ["all", "one value", "300 rows"]),
    ],
)
def test_bad_requests_are_named(table, change, words):
    given = {"by": "town", "learners": ["mm"], "repeats": 1, **change}
    with pytest.raises(CaveatError) as caught:
        examine_bags(
            table.drop(columns="left").assign(all=1),
            table["left"],
            given.pop("by"),
            **given,
        )
    for word in words:
        assert word in str(caught.value)


def run(file, *options):
    return CliRunner().invoke(command, [str(file), *options], catch_exceptions=True)


@pytest.fixture
def at_once(monkeypatch, found):
    """Let the command find what was found already."""
    monkeypatch.setattr(_from_data, "examine_bags", lambda *_, **__: found)


@pytest.fixture(scope="module")
def file(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("bags") / "people.csv"
    table.to_csv(path, index=False)
    return path


QUICK = (
    *("--target", "left", "--by", "town", "--positive", "yes"),
    *("--learner", "mm", "--repeats", "1"),
)


def test_the_command_prints_learners_floors_rules_and_the_variant(file, at_once):
    result = run(file, *QUICK)
    assert result.exit_code == 0, result.output
    for words in ("every label", "split-bag-shuffle", "group share", "MM", "F1 of yes"):
        assert words in result.output


ABOUT = About("people.csv", "left", "binary", 300, 3)


def made_up(auc, floor, ceiling=0.95, repeats=5):
    """A result with given means, and a little noise."""
    noise = np.linspace(-0.01, 0.01, repeats)
    base = {"accuracy": 0.6, "balanced-accuracy": 0.6, "f1": 0.49, "criterion": 0.1}
    scores = pd.DataFrame(
        [
            {"repeat": k, "learner": "mm", "rule": rule, **base, "auc": auc + noise[k],
             "params": {"lam": 1}}
            for k in range(repeats)
            for rule in (ORACLE, RULE)
        ]
    )  # fmt: skip
    floors = pd.DataFrame(
        [
            {"repeat": k, "floor": name, **base, "auc": value}
            for k in range(repeats)
            for name, value in (("constant answer", 0.5), ("group share", floor))
        ]
    )
    top = pd.DataFrame({"repeat": range(repeats), **base, "auc": ceiling - noise})
    tests = pd.DataFrame(
        {"test": ["T1"], "question": ["label and bag"], "p_value": [0.3],
         "decision": ["independent"], "seen": [0.08]}
    )  # fmt: skip
    groups = pd.DataFrame({"group": ["a"], "rows": [300], "no": [0.4], "yes": [0.6]})
    return Result(
        "town", ("no", "yes"), 300, 3, 0.2, 1.1, 90, 100.0, 110, "other", "None fits.",
        300, tests, groups, scores, floors, top, planned=1, smaller=100,
    )  # fmt: skip


def test_shares_below_their_floor_never_lead_as_a_success():
    below = page.look(made_up(0.6, 0.75), ABOUT)
    assert "do not reach" in below.title
    assert "stays below it" in str(below.action)
    above = page.look(made_up(0.85, 0.6), ABOUT)
    assert above.title.startswith("Shares alone, by MM, reach 0.85")
    assert "F1 of 0.49" not in above.to_json()


def test_floors_are_compared_division_by_division():
    found = made_up(0.76, 0.75)
    alike = np.linspace(-0.01, 0.012, 5).repeat(2)  # divisions are hard for both
    claim = page.against_floor(
        replace(found, floors=found.floors.assign(auc=found.floors["auc"] + alike))
    )
    assert claim.difference.n == 5
    assert claim.standing == "above"
    assert replace(claim, difference=None).standing == "at"
    assert "corrected resampled t, 5 divisions: a difference of" in str(claim.words)


def test_what_is_not_told_from_its_floor_is_no_fact():
    found = made_up(0.76, 0.75)
    noise = np.tile([0.03, -0.05, 0.02, -0.04, 0.02], 3)
    scores = found.scores.assign(auc=found.scores["auc"] + noise[: len(found.scores)])
    near = page.look(replace(found, scores=scores), ABOUT)
    assert "cannot be told from" in near.title
    assert "at this size no gain by learning from shares is seen" in str(near.action)
    assert "nothing is gained" not in near.to_json().lower()


def test_a_file_whose_groups_tell_more_than_its_columns_leads_with_that(unlooked):
    rng = np.random.default_rng(5)
    town = rng.integers(0, 6, 400)
    y = rng.random(400) < np.array([0.05, 0.1, 0.3, 0.5, 0.7, 0.95])[town]
    X = pd.DataFrame(rng.normal(size=(400, 2)), columns=["a", "b"])
    X["town"] = [f"t{n}" for n in town]
    found = examine_bags(X, np.where(y, "yes", "no"), "town", learners=["mm"])
    always = found.floors[found.floors["floor"] == "always yes"]["f1"].mean()
    assert found.chosen()["f1"].mean() < always
    shown = page.look(found, ABOUT)
    told = "Shares alone, by MM, cannot be told from the share of a row's group"
    assert shown.title.startswith(told)
    # The learner as it is does not know the group, and stays below its share.
    below = replace(found, scores=found.scores.drop(columns=SHIFTED_MEASURES))
    shown = page.look(below, ABOUT)
    assert "do not reach the share of a row's" in shown.title
    assert "stays below it" in str(shown.action)


def test_every_rule_names_all_that_it_chose():
    found = made_up(0.8, 0.6)
    learners = np.where(found.scores["repeat"] < 2, "em-lr", "mm")
    look_ = page.look(
        replace(found, scores=found.scores.assign(learner=learners)), ABOUT
    )
    section = next(one for one in look_.sections if one.name == "rules")
    (row,) = [r for r in section.blocks[0].rows if str(r.cells[0].text) == RULE]
    assert str(row.cells[3].text) == "MM and EM/LR"
    assert "MM and EM/LR" in str(section.heading.words)


def test_the_positive_class_has_no_part_in_a_division(table, unlooked):
    X, y = table.drop(columns="left"), table["left"]
    floors = [
        examine_bags(X, y, "town", positive=name, learners=["mm"], repeats=3).floors
        for name in ("yes", "no")
    ]
    shares = [one[one["floor"] == "group share"]["auc"].to_numpy() for one in floors]
    np.testing.assert_allclose(*shares)


def test_labels_lead_only_beyond_their_interval():
    told = [c["text"] for c in page.look(made_up(0.7, 0.55), ABOUT).caveats]
    assert any("a model with every label leads shares alone" in text.lower()
               for text in told)  # fmt: skip
    near = page.look(made_up(0.945, 0.55), ABOUT)
    assert not any("leads" in c["text"] for c in near.caveats)


@pytest.mark.parametrize(
    ("repeats", "words"),
    [(1, "one division is no test"), (2, "two divisions are no test")],
)
def test_few_divisions_are_no_headline_and_no_test(repeats, words):
    found = page.look(made_up(0.8, 0.6, repeats=repeats), ABOUT)
    assert "0.8" not in found.title
    assert words in str(found.action)
    assert not any("leads" in c["text"] or " to " in c["text"] for c in found.caveats)
    assert not [c for c in found.caveats if c["severity"] == "serious"]


def test_two_alike_differences_are_no_certainty():
    """0.011 (0.011 to 0.011) was an interval from two nearly equal differences."""
    found = made_up(0.8, 0.6, repeats=2)
    top = found.ceiling.assign(auc=[0.8012, 0.8212])
    own = found.of_learner("mm")
    gap, p_value = replace(found, ceiling=top).difference(
        top.set_index("repeat")["auc"], own
    )
    assert not gap.has_interval
    assert np.isnan(p_value)
    three = made_up(0.8, 0.6, repeats=3)
    assert three.difference(three.of_ceiling(), three.of_learner("mm"))[0].has_interval


def clinics(seed, n=1200):
    """Six clinics that depend on the label; age and bmi do, too."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.35).astype(int)
    mixed = rng.integers(0, 6, n)
    clinic = np.where(rng.random(n) < 0.55, 3 * y + rng.integers(0, 3, n), mixed)
    X = pd.DataFrame({"age": 40 + 12 * y + 10 * rng.normal(size=n)})
    X["bmi"] = 25 + 2 * y + 4 * rng.normal(size=n)
    return X.assign(clinic=np.array(list("ABCDEF"))[clinic]), y


def test_the_study_judges_what_shares_would_answer(unlooked):
    """Shifted answers of the study are right as often as those of --shares."""
    X, y = clinics(7)
    found = examine_bags(X, y, "clinic", learners=["em-lr"], repeats=3)
    shares = pd.crosstab(X["clinic"], y, normalize="index").reset_index()
    shares = shares.rename(columns={0: "well", 1: "ill"}).rename_axis(columns=None)
    told = look(X, by="clinic", shares=shares, learners=["em-lr"])
    answers = told.tables["predictions"]["label"].to_numpy()
    right = (answers == np.where(y == 1, "ill", "well")).mean()
    # 300 test rows in each of three divisions: a standard error of about 0.02.
    assert found.answers()["accuracy"].mean() == pytest.approx(right, abs=0.05)
    assert (found.answers()["auc"] > found.chosen()["auc"]).all()
    shown = page.look(found, ABOUT)
    assert "by EM/LR" in shown.title
    (section,) = [one for one in shown.sections if one.name == "learners"]
    names = [str(row.cells[0].text) for row in section.blocks[1].rows]
    assert "shares alone, shifted to the group's share" in names
    assert "every label, shifted alike" in names
    gaps = found.of_ceiling() - found.answers().set_index("repeat")["auc"]
    assert gaps.mean() > -0.01, "who has the labels knows the shares, too"
    assert shown.facts["score"] == pytest.approx(found.answers()["auc"].mean())


def test_the_shift_of_a_group_reads_no_test_label(monkeypatch):
    """Test labels judge; turned round, they leave what is answered as it was."""
    X, y = clinics(3, n=300)
    names = np.array(["no", "yes"])
    bags = _examine._groups_as_bags(X, y, "clinic", 1)
    study = _examine._Examination(X.drop(columns="clinic"), y, bags, names, None, [])
    monkeypatch.setattr(study, "_judged", lambda decided, proba, test: {"auc": proba})
    order = np.random.default_rng(0).permutation(300)
    train, test = order[:200], order[200:]
    parts = [study.frame[["age"]].to_numpy()[rows] for rows in (train, test)]
    model = LogisticRegression().fit(parts[0], names[study.codes[train]])
    before = study._shifted(model, parts, train, test)["shifted-auc"]
    study.codes = study.codes.copy()
    study.codes[test] = 1 - study.codes[test]
    after = study._shifted(model, parts, train, test)["shifted-auc"]
    np.testing.assert_array_equal(before, after)
    assert np.abs(before - model.predict_proba(parts[1])).max() > 0.05


@pytest.mark.thorough
def test_the_page_shows_the_share_of_every_class(found, tmp_path):
    shown = page.look(found, ABOUT).save(tmp_path).read_text(encoding="utf-8")
    assert "Share of yes" in shown
    assert "Would have seen" in shown


def test_the_look_is_what_the_command_shows(table, at_once):
    assert (
        look(table, "town", "left").title
        == page.look(_from_data.examine_bags(), ABOUT).title
    )


def test_the_command_prints_json(file, at_once):
    result = run(file, *QUICK, "--json")
    start, end = result.output.index("{"), result.output.rindex("}") + 1
    assert json.loads(result.output[start:end])["by"] == "town"


@pytest.mark.thorough
def test_the_command_writes_the_same_page_twice(file, tmp_path, at_once):
    for folder in ("one", "two"):
        result = run(file, *QUICK, "--out", str(tmp_path / folder))
        assert result.exit_code == 0, result.output
    first, second = (
        (tmp_path / folder / "index.html").read_bytes().replace(b"two", b"one")
        for folder in ("one", "two")
    )
    assert first == second
    assert b"hares alone" in first


@pytest.mark.slow
def test_the_command_does_its_work(file):
    result = run(file, *QUICK)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--target", "left", "--by", "left"), "target itself"),
        (("--target", "left", "--by", "twon"), "town"),
        (("--target", "age", "--by", "town"), "distinct numbers"),
        (("--target", "left", "--by", "town", "--positive", "maybe"), "maybe"),
        (("--target", "left", "--by", "town", "--rows", "3"), "--rows"),
        (("--by", "town"), "neither"),
        (("--target", "left", "--by", "town", "--shares", "x.csv"), "both"),
        (("--target", "left", "--by", "town", "--counts"), "--counts"),
    ],
)
def test_mistakes_are_one_sentence(file, options, word):
    result = run(file, *options)
    assert isinstance(result.exception, CaveatError)
    assert word in str(result.exception)


def test_figures_count_sets_votes_and_gaps():
    best = pd.DataFrame(
        {
            "dataset": ["a", "b", "c"],
            "base": "adult",
            "variant": ["naive", "naive", "hard"],
            "members": [("amm",), ("mm", "amm"), ("mm",)],
        }
    )
    shares = figures.learner_set_shares(best)
    assert shares.groupby("variant")["share"].sum().tolist() == [1.0, 1.0]
    votes = pd.DataFrame(
        {
            "dataset": ["a", "a", "b", "b", "c"],
            "base": "adult",
            "variant": "hard",
            "members": [
                ("full-bag-kfold", "split-bag-kfold"),
                ("split-bag-kfold",),
                ("full-bag-kfold",),
                ("full-bag-kfold",),
                ("full-bag-kfold", "split-bag-shuffle"),
            ],
        }
    )
    winners = figures.strategy_winners(votes)
    assert winners["kind"].tolist() == ["SB", "FB", "SB+FB"]
    axes = Figure().subplots(1, 3)
    figures.plot_learner_sets(shares, axes[0])
    figures.plot_gaps([0.1, 0.2, np.nan], axes[1])
    figures.plot_strategy_kinds(figures.strategy_kind_shares(winners), axes[2])
    assert sum(bar.get_height() for bar in axes[1].patches) == 2


def test_a_frame_without_its_columns_is_refused():
    with pytest.raises(CaveatError, match="members"):
        figures.learner_set_shares(pd.DataFrame({"base": [], "variant": []}))
