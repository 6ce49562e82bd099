"""What a page on candidate labels says: only what the table below it shows."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from caveat.candidates import look, read_candidates
from caveat.candidates._claims import _vote_caveat
from caveat.candidates._judged import side_by_side
from caveat.candidates.crowd import Answers, DawidSkene, annotator_gain
from caveat.datasets.samples import write_sample
from caveat.exceptions import UnknownName
from caveat.pages.claims import AgainstFloor, Estimate, heading

PEOPLE = ["anna", "ben", "carl"]


@pytest.fixture(scope="module")
def birds(tmp_path_factory):
    return pd.read_csv(write_sample("birds", tmp_path_factory.mktemp("birds")))


def few(table, **more):
    """Look at the first six recordings."""
    return look(table.head(6), annotators=PEOPLE, **more)


def headings(seen):
    return {one.name: str(heading(one.heading)) for one in seen.sections}


def test_a_column_of_class_names_is_no_feature_but_told(birds):
    table = read_candidates(birds, annotators=PEOPLE)
    assert "species" not in table.X.columns
    assert table.label_columns == ["species"]
    assert table.left_out["species"] == "class names"
    seen = few(birds)
    assert "species holds names of classes only" in str(seen.caveats)
    assert str(seen.action).startswith("Pass species as --truth")


def test_whoever_wants_it_may_keep_or_drop_a_column_of_class_names(birds):
    kept = read_candidates(birds, annotators=PEOPLE, keep=["species"])
    assert "species" in kept.X.columns
    assert not kept.label_columns
    dropped = read_candidates(birds, annotators=PEOPLE, drop=["species"])
    assert not dropped.label_columns
    truth = read_candidates(birds, annotators=PEOPLE, truth="species")
    assert not truth.label_columns
    with pytest.raises(UnknownName):
        read_candidates(birds, annotators=PEOPLE, keep=["specie"])


def test_another_persons_sets_gaps_and_spellings_are_class_names_too(birds):
    dana = birds["ben"].str.upper().where(birds.index % 7 > 0)
    table = read_candidates(birds.assign(dana=dana), annotators=PEOPLE)
    assert table.label_columns == ["species", "dana"]


def test_numbers_are_labels_only_where_they_agree_with_the_answers():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    table = pd.DataFrame({"smokes": rng.integers(0, 2, 200), "truth": truth})
    for who in "abc":
        wrong = rng.random(200) < 0.2
        table[who] = np.where(wrong, 1 - truth, truth)
    found = read_candidates(table, annotators=list("abc"))
    assert found.label_columns == ["truth"]
    assert list(found.X.columns) == ["smokes"]


def test_items_have_the_name_that_a_column_gives_them(birds):
    table = birds.head(40)
    seen = look(table, annotators=PEOPLE, model=False)
    assert seen.tables["suggestions"]["item"].tolist() == table["recording"].tolist()
    assert set(seen.tables["ask_again"]["item"]) <= set(table["recording"])
    # Whoever checks some suggestions gives them back by these names, or by rows.
    by_name = pd.DataFrame({"item": ["rec-0003.wav"], "truth": ["wren"]})
    by_row = pd.DataFrame({"item": [3], "truth": ["wren"]})
    for truth in (by_name, by_row):
        found = read_candidates(table, annotators=PEOPLE, truth=truth)
        assert np.flatnonzero(found.truth >= 0).tolist() == [3]


def test_without_truth_the_title_holds_labels_against_the_vote(birds):
    seen = few(birds)
    assert "the majority vote cannot be told apart" in seen.title
    assert "most frequent label" not in seen.title
    assert not any(isinstance(claim, AgainstFloor) for claim in seen.leading)
    more = look(birds, annotators=PEOPLE, drop=["species"], steps=20)
    assert "leads the majority vote by" in more.title
    assert more.title.index("leads") < more.title.index("by their own probabilities")


def test_an_interval_of_left_out_answers_lies_inside_its_range_and_is_not_cut():
    # Nearly all say the same, so a symmetric interval would pass 1.
    rows = [(i, who, "a") for i in range(30) for who in "xyz"]
    rows[0] = (0, "x", "b")
    given = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    found = Answers.from_frame(given)
    told = {"majority-vote": found.votes() / found.votes().sum(1, keepdims=True)}
    constant = side_by_side(told, None, None, found).iloc[0]
    assert 0 < constant.low < constant.agreement < constant.high < 1


def test_one_more_answer_speaks_of_its_gain_or_says_that_it_cannot_be_told(birds):
    for truth in (None, "species"):
        words = headings(few(birds, truth=truth))["one-more"]
        assert words.endswith("would add cannot be told at this size")
    seen = look(birds, annotators=PEOPLE, truth="species", model=False)
    words = headings(seen)["one-more"]
    assert words.startswith("To Dawid-Skene's labels, one more answer per item is")
    assert " to " in words.split("(")[1]
    assert "labels by the truth" not in words


def test_the_gain_of_one_more_answer_is_what_drawn_answers_give(birds):
    given = read_candidates(birds, annotators=PEOPLE, truth="species")
    model = DawidSkene().fit(given.answers)
    curve = annotator_gain(model, given.truth)
    last, before = curve.iloc[-1], curve.iloc[-2]
    assert last.gain == pytest.approx(last.accuracy - before.accuracy)
    assert last.gain_low < last.gain < last.gain_high
    # By hand: one more average person answers every item, many times.
    rng = np.random.default_rng(0)
    weight = given.answers.per_annotator / len(given.answers)
    typical = np.tensordot(weight, model.confusion_, axes=1)
    right = []
    for _ in range(200):
        said = [rng.choice(len(typical), p=typical[true]) for true in given.truth]
        now = model.posterior_ * typical[:, said].T
        right.append((now.argmax(axis=1) == given.truth).mean())
    assert last.accuracy == pytest.approx(np.mean(right), abs=0.01)


def test_intervals_of_few_labels_are_as_wide_as_the_titles(birds):
    seen = few(birds, truth="species")
    curve = next(s for s in seen.sections if s.name == "one-more").blocks[0]
    csv = curve.downloads[0].content.decode().splitlines()
    assert csv[0].startswith("answers,accuracy,low,high,expected,gain")
    low = float(csv[3].split(",")[2])
    assert low == pytest.approx(seen.facts["low"])


def test_people_of_whom_nothing_can_be_told_are_named(birds):
    found = headings(few(birds))
    assert found["people"] == "Whether carl guesses cannot be told at this size"


def test_what_is_unsure_is_told_once(birds):
    seen = few(birds)
    text = " ".join([str(seen.caveats), *headings(seen).values()])
    assert text.count("% sure") == 1
    facts = [block for s in seen.sections for block in s.blocks]
    assert "70 %" not in str([getattr(block, "pairs", "") for block in facts])
    assert "for the item at the top" in str(seen.caveats)


def test_only_what_the_rule_says_is_said_of_the_other_models(birds):
    table = next(s for s in few(birds).sections if s.name == "methods")
    words = f"{table.lead} {table.blocks[0].conditions}"
    assert "special case" not in words
    assert "shown, and never chosen" in words
    assert "one answer of about half of the items" in words


@pytest.mark.parametrize(("high", "advice"), [(0.01, False), (-0.01, True)])
def test_the_vote_is_advised_only_where_a_test_says_that_it_is_better(high, advice):
    ends = (-0.02, -0.05, high)
    gap = Estimate(ends[0], "accuracy", *ends[1:], "200 items, paired", 200)
    (said,) = _vote_caveat(
        SimpleNamespace(by_vote=False, difference=ends, advantage=gap)
    )
    assert bool(said.fix) == advice
    assert ("cannot be told from none" in str(said.words)) == (not advice)
