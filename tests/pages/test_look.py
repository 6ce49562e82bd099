"""A Look: which claim leads, what follows, and how rules end."""

import html
import json

import pandas as pd
import pytest

from caveat import pages
from caveat.datasets import given
from caveat.exceptions import InvalidInput
from caveat.pages import claims
from caveat.pages.claims import Estimate


def score(value=0.9, low=0.88, high=0.92):
    return Estimate(value, "AUC", low, high, "10 folds, corrected", 10)


def against(severity=None, **more):
    return claims.AgainstFloor(
        "LightGBM", score(), Estimate(0.5, "AUC"), "chance", severity=severity, **more
    )


def leak(**more):
    change = Estimate(-0.2, "AUC", -0.3, -0.1, "10 folds", 10)
    parts = ("without `id`", score(), score(0.7, 0.65, 0.75), change)
    options = {"severity": "serious", "kind": "leak", "section": "data", **more}
    return claims.Remedy(*parts, fix="Leave `id` out.", **options)


def look(*found, **more):
    sections = [pages.Section("data", "The data", "What there is")]
    facts = {"file": "t.csv", "target": "y", "score": 0.9, "rows": 10, "columns": 2}
    return pages.Look("audit", "Audit of t.csv", found, sections, facts=facts, **more)


def test_the_title_is_the_score_then_the_worst_finding():
    title = look(against(), leak()).title
    assert title.startswith("LightGBM reaches 0.90\u00a0AUC, above chance")
    assert "becomes 0.70" in title


def test_a_finding_that_its_interval_does_not_carry_stays_out_of_the_title():
    unsure = Estimate(-0.2, "AUC", -0.5, 0.1, "10 folds", 10)
    shaky = claims.Remedy(
        "without `id`", score(), score(0.7), unsure, severity="serious"
    )
    assert "without" not in look(against(), shaky).title


def test_a_score_without_an_interval_never_leads():
    bare = claims.Value("a model", Estimate(0.99, "AUC"))
    assert "0.99" not in look(bare, against()).title


def test_where_nothing_is_decided_the_title_says_what_is_missing():
    missing = claims.Unfinished("trials", 0, 45)
    found = look(missing, claims.Value("a model", Estimate(0.99, "AUC")))
    assert found.title == "45 of 45 trials are not done."
    assert not found.complete


def test_the_action_is_the_fix_of_the_worst_caveat():
    assert str(look(against(), leak()).action) == "Leave `id` out."
    assert str(look(against()).action) == "Nothing to do."


def test_every_caveat_stands_once():
    notes = [
        claims.Condition(sentence=f"Fact {n}.", severity="note", section="data")
        for n in range(4)
    ]
    text = pages.render(pages.Page([look(against(), leak(), *notes)]))
    for n in range(4):
        assert text.count(f"Fact {n}.") == 1


def test_the_json_has_the_shape_that_the_schema_fixes():
    jsonschema = pytest.importorskip("jsonschema")
    found = json.loads(look(against(), leak(), rules=["leak>0", "free<1"]).to_json())
    schema = json.loads(pages.schema_path().read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(found)
    assert found["schema"] == "caveat-audit/1"
    assert found["serious"] == 1
    assert [rule["outcome"] for rule in found["rules"]] == ["fired", "unknown"]


@pytest.mark.parametrize(
    ("rules", "claims_", "code"),
    [
        ([], [], 0),
        (["serious>0"], [], 0),
        (["serious>0"], [leak()], 1),
        (["leak>0"], [leak()], 1),
        (["score<0.95"], [], 1),
        (["score<0.5"], [], 0),
        (["free>0.9"], [], 3),
        (["serious>0"], [claims.Unfinished("trials", 1, 2)], 3),
        (["serious>0", "score<0.95"], [claims.Unfinished("trials", 1, 2)], 1),
    ],
)
def test_rules_end_as_the_contract_says(rules, claims_, code):
    assert pages.exit_code(look(against(), *claims_, rules=rules).outcomes) == code


@pytest.mark.parametrize("rule", ["", "score", "score<x", "scores<1", "__import__>0"])
def test_what_is_no_rule_is_refused(rule):
    with pytest.raises(InvalidInput, match="--fail-on"):
        pages.check_rules([rule])


def test_a_notebook_shows_the_page():
    found = look(against(), leak())
    page = pages.render(pages.Page([found]))
    assert html.escape(page, quote=True) in found._repr_html_()


def test_tables_are_written_beside_the_page(tmp_path):
    frame = pd.DataFrame({"a": [1, 2]})
    index = look(against(), tables={"rows": frame}).save(tmp_path / "page")
    assert index.name == "index.html"
    pd.testing.assert_frame_equal(pd.read_csv(index.parent / "rows.csv"), frame)


def test_tables_that_are_no_longer_made_go_and_other_files_stay(tmp_path):
    frame = pd.DataFrame({"a": [1, 2]})
    look(against(), tables={"rows": frame, "old": frame}).save(tmp_path)
    (tmp_path / "mine.csv").write_text("a")
    look(against(), tables={"rows": frame}).save(tmp_path)
    left = {path.name for path in tmp_path.iterdir() if path.is_file()}
    assert left == {"index.html", "rows.csv", "mine.csv"}


def test_tables_that_no_block_links_are_linked_at_the_end():
    frame = pd.DataFrame({"a": [1, 2]})
    linked = pages.Table(
        "t",
        "T",
        [pages.Column("a", "name")],
        [],
        downloads=[pages.Download.csv("shown.csv", frame)],
    )
    section = pages.Section("data", "The data", "What there is", blocks=[linked])
    tables = {"shown": frame, "more": frame}
    found = pages.Look("audit", "Audit", [against()], [section], tables=tables)
    text = pages.render(pages.Page([found]))
    assert text.count('download="more.csv"') == 1
    assert text.count('download="shown.csv"') == 1


def test_a_look_lends_its_sections_with_their_claims_to_a_larger_one():
    mark = pages.figures.Mark("LightGBM", score())
    figure = pages.figures.score_line([mark], label="x", name="line")
    sections = [
        pages.Section("data", "The data", "What there is", blocks=[figure]),
        pages.Section("again", "Do it again", "Again"),
    ]
    frame = pd.DataFrame({"a": [1]})
    one = pages.Look(
        "eapp", "EAPP", [against(), leak()], sections, tables={"rows": frame}
    )
    both = pages.combined([pages.part(one), pages.part(one, "twin")])
    assert [s.name for s in both.sections] == ["eapp-data", "twin-data"]
    assert [b.name for s in both.sections for b in s.blocks] == [
        "eapp-line",
        "twin-line",
    ]
    assert {claim.section for claim in both.claims} == {"eapp-data", "twin-data"}
    assert list(both.tables) == ["eapp-rows", "twin-rows"]
    whole = pages.Look("audit", "Audit", both.claims, both.sections)
    assert pages.render(pages.Page([whole])).count("<svg") == 4


def test_sarif_names_lines_of_the_file_and_what_is_unfinished():
    found = look(against(), leak(rows=(0, 7)), claims.Unfinished("trials", 1, 2))
    run = found.to_sarif()["runs"][0]
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == ("leak", "error")
    lines = [p["physicalLocation"]["region"]["startLine"] for p in result["locations"]]
    assert lines == [2, 9]
    assert run["invocations"][0]["executionSuccessful"] is False
    assert json.dumps(run)


def test_what_opens_on_a_click_is_on_the_page_with_its_files(tmp_path):
    mark = pages.figures.Mark("LightGBM", score())
    figure = pages.figures.score_line([mark], label="x", name="inner")
    folded = pages.Details("Every pair", [figure])
    section = pages.Section("data", "The data", "What there is", blocks=[folded])
    found = pages.Look("audit", "Audit", [against()], [section])
    index = found.save(tmp_path)
    assert "<summary>Every pair</summary>" in index.read_text("utf-8")
    assert (tmp_path / "figures" / "inner.svg").exists()


def test_the_last_section_says_how_the_file_was_read():
    rows = 30
    table = pd.DataFrame(
        {
            "row": range(rows),
            "day": pd.date_range("2024-01-01", periods=rows).astype(str),
            "a": [0.5, 1.5, 2.5] * 10,
            "y": ["bad", "good", "good"] * 10,
        }
    )
    about = pages.About.of(given(table, target="y"))
    last = pages.again_section(about, "")
    text = pages.render(pages.Page([pages.Look("eapp", "E", [against()], [last])]))
    assert about.classes == "33\u00a0% are bad"
    assert "<code>row</code> (identifier), <code>day</code> (date)" in text
    assert "Positive class" in text


def test_the_terminal_ends_with_the_conditions_and_tells_no_nameless_fact():
    facts = [
        pages.Section(name, name, "Facts", blocks=[pages.Facts([(name, value)])])
        for name, value in (("groups", "149 to 185"), ("again", "500 rows, seed 0"))
    ]
    told = pages.Look("bags", "Bags of t.csv", [leak()], facts, facts={})
    lines = [line.plain for line in pages.terminal_lines(told)]
    assert lines[-2:] == ["Now: Leave `id` out.", "500 rows, seed 0"]
    assert "149 to 185" not in " ".join(lines)


@pytest.mark.parametrize(("rows", "words"), [(13, "1 more row "), (14, "2 more rows ")])
def test_the_terminal_counts_the_rows_that_it_leaves_to_the_page(rows, words):
    column = [pages.Column("Name", "name")]
    each = [pages.Row([pages.Cell(str(number))]) for number in range(rows)]
    table = pages.Table("t", "T", column, each, brief=True)
    section = pages.Section("t", "T", "T", blocks=[table])
    told = pages.Look("bags", "Bags of t.csv", [leak()], [section], facts={})
    lines = [line.plain for line in pages.terminal_lines(told)]
    assert f"{words}on the page" in lines


def test_what_was_asked_says_what_to_do_before_any_caveat_does():
    class Asked(claims.Loss):
        asked = True

    some = Estimate(0.5, "AUC")
    first = Asked("m", "a", some, some, some, fix="Measure more rows.")
    note = claims.Condition(sentence="b is open.", severity="note", fix="Drop b.")
    told = pages.Look("shift", "Shift of t.csv", [first, note], facts={})
    assert str(told.action) == "Measure more rows."
