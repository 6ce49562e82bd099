"""From records to findings, in every state that a ledger can be in."""

import dataclasses
import re

import pandas as pd
import pytest

from caveat import pages
from caveat.board import build_page
from caveat.exceptions import UnknownName
from caveat.pages import Figure, Notice, Progress, Switch, Table, claims, prose
from caveat.pages._model import flat_blocks
from caveat.study import Ledger, Records, run

TWO_WORLDS = ({"variant": "easy"}, {"variant": "hard"})
SMALL = {"a": 0.8, "b": 0.78, "c": 0.7}
MANY = tuple(f"data-{number}" for number in range(12))


@pytest.fixture
def make(make_records):
    """Make records with one measure and one rule, unless told otherwise."""

    def made(**changes):
        few = {
            "measures": ("auc",),
            "rules": {"good": 0.004},
            "oracle": False,
        }
        return make_records(**(few | changes))

    return made


def chapter_of(records, **options):
    return build_page(records, **options).chapters[0]


def section(chapter, name):
    return next(one for one in chapter.sections if one.name == name)


def heading(chapter, name):
    return str(claims.heading(section(chapter, name).heading))


def caveats(chapter):
    return [str(one.words) for one in chapter.ordered]


def blocks(chapter, kind):
    found = [block for one in chapter.sections for block in flat_blocks(one.blocks)]
    return [block for block in found if isinstance(block, kind)]


def test_an_empty_ledger_says_that_nothing_was_run():
    chapter = chapter_of(Records(pd.DataFrame(), pd.DataFrame()))
    assert chapter.title == "Nothing has been run yet."
    assert "caveat run" in chapter.sections[0].blocks[0].command


def test_only_failures_come_first_and_without_a_leaderboard(make):
    records = make(
        learners=SMALL,
        worlds=({},),
        repeats=2,
        baseline=None,
        fail=lambda trial: ("oom", "", "peak 4.3 GB"),
    )
    chapter = chapter_of(records)
    assert chapter.title == "No trial gave a value."
    assert [one.name for one in chapter.sections] == ["failures", "run", "again"]
    assert not blocks(chapter, Switch)
    assert heading(chapter, "run") == "None of 6 trials gave a value"


def half_run(trial):
    return "pending" if trial["repeat"] == 1 else None


@pytest.mark.thorough
def test_a_running_study_says_so_far_in_every_heading(make):
    records = make(learners=SMALL, worlds=TWO_WORLDS, repeats=2, state=half_run)
    chapter = chapter_of(records)
    assert chapter.title == "6 of 12 trials so far."
    told = ("run", "leaderboard", "different", "selection", "cost", "failures")
    assert all(heading(chapter, name).startswith("So far") for name in told)
    assert blocks(chapter, Progress)[0].parts[3] == ("pending", 6)


@pytest.mark.thorough
def test_a_finished_study_never_says_so_far(make):
    chapter = chapter_of(make(learners=SMALL, worlds=TWO_WORLDS, repeats=2))
    assert not any("So far" in str(prose(one.heading)) for one in chapter.sections)


def test_a_study_without_a_value_yet_is_no_failure(make):
    records = make(
        learners=SMALL,
        worlds=({},),
        repeats=1,
        baseline=None,
        state=lambda trial: "running",
    )
    chapter = chapter_of(records)
    assert chapter.title == "0 of 3 trials so far."


def test_one_learner_is_compared_with_nothing(make):
    chapter = chapter_of(make(learners={"alone": 0.8}, worlds=TWO_WORLDS))
    assert chapter.title.startswith("alone was run alone.")
    assert heading(chapter, "different") == "alone was run alone"
    assert not [one for one in blocks(chapter, Table) if one.look == "matrix"]


@pytest.mark.thorough
def test_one_data_set_is_judged_by_its_repeats(make):
    records = make(learners={"good": 0.9, "bad": 0.6}, worlds=({},))
    chapter = chapter_of(records)
    assert chapter.title.startswith("good leads bad by 0.3")
    assert "good leads bad" in heading(chapter, "different")
    assert "corrected resampled t-test" in str(chapter.lede)
    same = make(learners={"x": 0.8, "y": 0.8}, worlds=({},), noise=0.02)
    assert "x and y cannot be told apart." in chapter_of(same).title.replace(
        "y and x", "x and y"
    )


def test_one_run_each_tells_nobody_apart(make):
    records = make(learners=SMALL, worlds=({},), repeats=1)
    chapter = chapter_of(records)
    assert heading(chapter, "different") == "No test compares the learners"
    assert any("one run" in words for words in caveats(chapter))


@pytest.mark.thorough
def test_a_clear_leader_leads_and_equals_share(make):
    apart = make(
        learners={"first": 0.9, "second": 0.7, "third": 0.5},
        worlds=({},),
        datasets=MANY,
        repeats=2,
    )
    chapter = chapter_of(apart)
    assert "first leads second by 0.2" in chapter.title
    equal = make(
        learners={"x": 0.8, "y": 0.8, "z": 0.5},
        worlds=({},),
        datasets=MANY,
        repeats=2,
        seed=1,
    )
    assert "cannot be told apart." in chapter_of(equal).title


@pytest.mark.thorough
def test_rules_differ_only_where_a_paired_test_says_so(make):
    settings = {
        "learners": {"x": 0.8, "y": 0.8},
        "worlds": ({},),
        "datasets": MANY,
        "repeats": 5,
    }
    far = chapter_of(make(rules={"good": 0.0, "bad": 0.5}, spread=0.3, **settings))
    near = chapter_of(make(rules={"good": 0.0, "same": 0.0}, spread=0.3, **settings))
    assert any(words.startswith("Tuned by bad") for words in caveats(far))
    assert str(far.action) == "Tune by good."
    assert not any(words.startswith("Tuned by") for words in caveats(near))
    assert "cannot be told apart" in heading(near, "selection")


@pytest.mark.thorough
def test_the_free_part_is_reached_or_not(make):
    settings = {"learners": SMALL, "worlds": TWO_WORLDS, "repeats": 6}
    above = chapter_of(make(baseline=0.6, **settings))
    below = chapter_of(make(baseline=0.95, **settings))
    assert "above clusters that labels only had to name: 0.60" in above.title
    assert "does not reach clusters" in below.title
    assert not any("stays below" in words for words in caveats(above))
    assert any("stays below" in words for words in caveats(below))
    assert below.ordered[0].severity == "serious"


@pytest.mark.thorough
def test_clusters_that_know_nothing_are_not_asked_what_they_know(make):
    flat = {"learners": {"a": 0.5, "b": 0.5}, "worlds": ({},), "repeats": 6}
    chance = chapter_of(make(baseline=0.47, noise=0.05, **flat))
    known = chapter_of(make(baseline=0.95, **flat))
    assert str(chance.action).startswith("Look for columns that say more")
    assert str(known.action).startswith("Look at the data before the learners")


@pytest.mark.thorough
def test_a_part_below_the_free_part_is_starred(make):
    records = make(
        learners=SMALL,
        worlds=TWO_WORLDS,
        repeats=6,
        baseline=0.65,
        shift=lambda learner, data, world: -0.2 * (world["variant"] == "hard"),
    )
    chapter = chapter_of(records)
    assert any(
        words.startswith("The highest mean in the hard worlds")
        for words in caveats(chapter)
    )
    board = blocks(chapter, Switch)[0].tables[0][1]
    stars = [cell.star for row in board.rows for cell in row.cells[1:] if cell.star]
    names = [one.name for one in chapter.ordered]
    assert len(stars) == 1
    assert stars[0] in names


@pytest.mark.thorough
def test_without_a_search_there_is_nothing_to_choose(make):
    records = make(
        learners=SMALL, worlds=TWO_WORLDS, rules={}, configurations=1, repeats=2
    )
    chapter = chapter_of(records)
    assert "nothing to choose" in heading(chapter, "selection")
    columns = [
        str(prose(c.title)) for c in blocks(chapter, Switch)[0].tables[0][1].columns
    ]
    assert "Regret" not in columns


def test_without_a_rule_nothing_is_chosen_and_the_title_says_so(make):
    records = make(learners=SMALL, worlds=({},), rules={}, repeats=2)
    chapter = chapter_of(records)
    assert chapter.title.startswith("Nothing was chosen: no selection rule")


@pytest.mark.thorough
def test_what_is_known_of_the_data_is_told(make):
    chapter = chapter_of(make(learners=SMALL, worlds=TWO_WORLDS, repeats=2))
    term = section(chapter, "words").blocks[-1].terms[0]
    assert str(prose(term.summary)) == "48,842 rows, 14 columns, binary."


@pytest.mark.thorough
def test_smaller_is_better_for_a_loss(make):
    records = make(
        learners={"good": 1.0, "bad": 30.0},
        measures=("rmse",),
        direction="min",
        worlds=({},),
        datasets=MANY,
        repeats=2,
        baseline=None,
    )
    chapter = chapter_of(records)
    assert chapter.title.startswith("good leads bad by 29")


@pytest.mark.thorough
def test_a_measure_without_direction_is_said_to_be_guessed(make):
    records = make(learners=SMALL, worlds=TWO_WORLDS, repeats=2)
    records.glossary["measure", "test.auc"].pop("direction")
    assert any(
        "larger was taken to be" in words for words in caveats(chapter_of(records))
    )


def fail_hard(trial):
    if trial["learner"] == "c" and "hard" in trial["world"]:
        return ("timeout", "timeout", "over 10 minutes")
    return None


@pytest.mark.thorough
def test_missing_cells_are_shown_and_counted(make):
    records = make(learners=SMALL, worlds=TWO_WORLDS, repeats=2, fail=fail_hard)
    chapter = chapter_of(records)
    board = blocks(chapter, Switch)[0].tables[0][1]
    cells = {str(prose(row.cells[0].text)): row.cells for row in board.rows}
    mean = cells["c"][1]
    assert (mean.before, mean.state) == ("1/2", "partial")
    assert "not comparable" in mean.caveat
    assert [cell.state for cell in cells["c"]][3:5] == ["", "failed"]
    matrix = next(one for one in blocks(chapter, Table) if one.look == "matrix")
    assert [cell.state for row in matrix.rows for cell in row.cells].count(
        "failed"
    ) == 1
    assert any("2 of 12 trials gave no value" in words for words in caveats(chapter))


@pytest.mark.thorough
def test_a_learner_that_never_gave_a_value_is_named(make):
    records = make(
        learners=SMALL,
        worlds=TWO_WORLDS,
        repeats=2,
        fail=lambda trial: (
            ("crashed", "", "signal 9") if trial["learner"] == "b" else None
        ),
    )
    assert "b gave no value in any of 2 worlds." in caveats(chapter_of(records))


@pytest.mark.thorough
def test_an_incomplete_search_is_chosen_from_aloud(make):
    records = make(learners=SMALL, worlds=TWO_WORLDS, repeats=2)
    lost = records.trials.index[:3]
    extra = records.trials.loc[lost].assign(
        key=["x1", "x2", "x3"], state="failed", reason="non-finite", configurations=1
    )
    trials = pd.concat([records.trials, extra], ignore_index=True)
    trials["group_size"] = trials["group_size"].where(
        ~trials["group"].isin(extra["group"]), 7
    )
    torn = dataclasses.replace(records, trials=trials)
    assert any(
        "3 of 12 searches are incomplete" in words
        for words in caveats(chapter_of(torn))
    )
    assert not any("incomplete" in words for words in caveats(chapter_of(records)))


@pytest.mark.thorough
def test_a_failed_trial_is_listed_with_its_reason_and_message(make):
    records = make(learners=SMALL, worlds=TWO_WORLDS, repeats=2, fail=fail_hard)
    table = next(
        one for one in blocks(chapter_of(records), Table) if one.name == "failed"
    )
    texts = [str(prose(cell.text)) for cell in table.rows[0].cells]
    assert texts == ["time", "2", "c", "hard", "over 10 minutes"]


@pytest.mark.thorough
def test_other_measures_with_other_first_learners_are_told(make):
    records = make(learners=SMALL, worlds=TWO_WORLDS, repeats=6, measures=("auc", "f1"))
    assert not any(
        "others come first" in words for words in caveats(chapter_of(records))
    )
    rows = records.rows.assign(**{"test.f1": 1 - records.rows["test.auc"]})
    turned = dataclasses.replace(records, rows=rows)
    assert "By F1 of the positive class others come first: c." in caveats(
        chapter_of(turned)
    )


@pytest.mark.thorough
def test_several_versions_and_hosts_are_told(make):
    records = make(learners=SMALL, worlds=TWO_WORLDS, repeats=2, hosts=("one", "two"))
    records.trials.loc[0, "versions"] = '{"numpy":"1.0"}'
    told = caveats(chapter_of(records))
    assert any("two versions of numpy" in words for words in told)
    assert any("Times come from 2 hosts" in words for words in told)


@pytest.mark.thorough
def test_measure_and_rule_can_be_brought_to_the_front(make):
    two = {"measures": ("auc", "f1"), "rules": {"good": 0.0, "bad": 0.1}}
    records = make(learners=SMALL, worlds=TWO_WORLDS, repeats=2, **two)
    chapter = chapter_of(records, measure="f1", rule="bad")
    assert blocks(chapter, Switch)[0].tables[0][0] == (
        "F1 of the positive class",
        "bad",
    )
    with pytest.raises(UnknownName, match="did you mean 'auc'"):
        build_page(records, measure="acu")
    with pytest.raises(UnknownName, match="no selection rule is called 'x'"):
        build_page(records, rule="x")


def test_only_measures_that_the_study_asked_for_are_shown(make):
    records = make(learners=SMALL, worlds=TWO_WORLDS, repeats=2, measures=("auc", "f1"))
    records.studies["adult-bags"]["measures"] = ["f1"]
    tables = blocks(chapter_of(records), Switch)[0].tables
    assert {labels[0] for labels, _ in tables} == {"F1 of the positive class"}


@pytest.mark.thorough
def test_every_learner_and_measure_carries_its_own_warning(make):
    chapter = chapter_of(make(learners=SMALL, worlds=TWO_WORLDS, repeats=2))
    parts = section(chapter, "words").blocks[:2]
    terms = [term for part in parts for term in part.terms]
    assert [one.title for one in terms] == ["AUC", "a", "b", "c"]
    assert all(str(prose(one.warnings)) for one in terms)


@pytest.mark.thorough
def test_two_studies_are_two_chapters_and_never_compared(make):
    first = make(learners=SMALL, worlds=TWO_WORLDS, repeats=2)
    second = make(learners={"z": 0.6}, worlds=({},), study="other", repeats=2)
    page = build_page([first, second])
    assert [one.name for one in page.chapters] == ["s1", "s2"]
    assert str(prose(page.title)).startswith("Two studies")
    assert len(build_page([first, second], study="other").chapters) == 1
    with pytest.raises(UnknownName, match="no study is called 'othr'"):
        build_page([first, second], study="othr")


@pytest.mark.thorough
def test_records_of_several_studies_are_cut_by_study(make):
    first = make(learners=SMALL, worlds=TWO_WORLDS, repeats=2)
    second = make(learners={"z": 0.6}, worlds=({},), study="other", repeats=2)
    both = dataclasses.replace(
        first,
        trials=pd.concat([first.trials, second.trials], ignore_index=True),
        rows=pd.concat([first.rows, second.rows], ignore_index=True),
        glossary=first.glossary | second.glossary,
        studies=first.studies | second.studies,
    )
    assert len(build_page(both).chapters) == 2


@pytest.mark.thorough
def test_a_reference_stands_apart_from_the_field(make):
    records = make(learners=SMALL | {"full": 0.95}, worlds=TWO_WORLDS, repeats=2)
    records.glossary["learner", "full"]["reference"] = True
    chapter = chapter_of(records)
    board = blocks(chapter, Switch)[0].tables[0][1]
    assert [row.place for row in board.rows] == ["top", *[""] * 3, *["bottom"] * 2]


@pytest.mark.thorough
def test_too_many_worlds_for_a_matrix_are_a_notice(make):
    worlds = tuple({"a-long-parameter": f"value-{number}"} for number in range(70))
    records = make(learners={"a": 0.8, "b": 0.7}, worlds=worlds, repeats=1)
    chapter = chapter_of(records)
    notice = next(one for one in blocks(chapter, Notice) if one.files)
    assert "do not fit" in str(prose(notice.words))
    assert notice.files[0].name == "tables/ranks.csv"


@pytest.mark.thorough
def test_times_that_were_not_recorded_are_said_to_be_missing(make):
    records = make(learners=SMALL, worlds=TWO_WORLDS, repeats=2)
    records.trials["seconds"] = float("nan")
    chapter = chapter_of(records)
    assert heading(chapter, "cost") == "No times were recorded"
    assert {one.name for one in blocks(chapter, Figure)} == {
        "critical-difference",
        "regret",
    }


@pytest.mark.thorough
def test_every_board_that_people_expect_is_there_with_its_files(make):
    records = make(learners=SMALL, worlds=({},), datasets=MANY, repeats=2)
    chapter = chapter_of(records)
    names = {table.name for table in blocks(chapter, Table)}
    assert {"wins", "elo", "improvability", "effects", "ranks"} <= names
    elo = next(one for one in blocks(chapter, Table) if one.name == "elo")
    assert all(" to " in str(prose(row.cells[2].text)) for row in elo.rows)
    assert [file.name for file in elo.downloads] == ["tables/elo.csv", "tables/elo.tex"]
    wins = next(one for one in blocks(chapter, Table) if one.name == "wins")
    assert str(prose(wins.rows[0].cells[3].text)) == "12/0/0 (76 to 100)"


@pytest.mark.thorough
def test_every_table_of_scores_has_its_floors(make):
    records = make(learners=SMALL, worlds=TWO_WORLDS, repeats=2, measures=("auc", "f1"))
    for _, table in blocks(chapter_of(records), Switch)[0].tables:
        floors = [
            str(prose(r.cells[0].text)) for r in table.rows if r.place == "bottom"
        ]
        assert floors == ["Clusters (EAPP)", "Constant answer"]


@pytest.mark.thorough
def test_a_leader_is_never_told_beside_ranks_that_tell_nobody_apart(make):
    records = make(
        learners={"a": 0.9, "b": 0.9, "dummy": 0.5},
        worlds=({},),
        datasets=("one", "two"),
        repeats=5,
        shift=lambda learner, data, world: 0.02 * ((learner == "a") == (data == "one")),
    )
    chapter = chapter_of(records)
    assert "lead" not in chapter.title
    assert "each is compared by itself" in str(chapter.lede)


@pytest.mark.thorough
def test_whoever_fails_in_a_world_is_compared_with_nobody(make):
    records = make(learners=SMALL, worlds=TWO_WORLDS, repeats=5, fail=fail_hard)
    told = caveats(chapter_of(records))
    assert any(words.startswith("c is compared with nobody") for words in told)


def test_ties_are_settled_by_time(make):
    records = make(learners={"x": 0.8, "y": 0.8}, worlds=({},), noise=0.02)
    assert "x takes the least time" in str(chapter_of(records).action)


WITHOUT_A_RULE = """\
study: plain
topic: supervised
datasets: [iris]
learners: [{name: k-nn, n_neighbors: [5, 15]}]
measures: [accuracy]
resampling: {folds: 2}
repeats: 2
"""


@pytest.mark.long
@pytest.mark.thorough
def test_a_study_that_names_no_rule_is_chosen_from_by_its_topics_own(tmp_path):
    file = tmp_path / "plain.yaml"
    file.write_text(WITHOUT_A_RULE)
    run(file, tmp_path / "plain.ledger", engine="serial")
    with Ledger(tmp_path / "plain.ledger") as book:
        chapter = chapter_of(book.records())
    views = blocks(chapter, Switch)[0].tables
    assert [names for names, _ in views] == [
        ("accuracy", "cross-validation"),
        ("accuracy", "oracle"),
    ]
    floors = {str(prose(r.cells[0].text)): r.cells[1].value for r in views[0][1].rows}
    assert 0.2 < floors["Constant answer"] < 0.4


@pytest.mark.thorough
def test_a_report_of_the_demos_size_is_read_in_minutes(make_records):
    learners = {f"learner-{n}": 0.9 - 0.01 * n for n in range(6)}
    three = {"datasets": ("one", "two", "three"), "worlds": ({},), "repeats": 4}
    page = pages.render(build_page(make_records(learners=learners, **three)))
    body = page[page.index("<h1") : page.index('class="terms"')]
    # What opens on a click is not in the way.
    hidden = r"<(svg|style|script|details)\b.*?</\1>"
    shown = re.sub(hidden, " ", body, flags=re.DOTALL)
    words = re.findall(r"[A-Za-z][\w'-]*", re.sub("<[^>]+>", " ", shown))
    assert 100 < len(words) <= 700
