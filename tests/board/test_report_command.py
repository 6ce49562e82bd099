"""`caveat report` on real ledgers: empty, whole, still running, of several studies."""

from collections import defaultdict
from pathlib import Path

import pytest

from caveat._registry import Entry
from caveat.cli import main
from caveat.pages import _write
from caveat.pages._drawn import Drawn
from caveat.study import Ledger, load_study, plan
from caveat.study.registry import ENGINES, TOPICS

PLUGIN = str(Path(__file__).parents[1] / "study" / "plugin")

STUDY = """\
study: {name}
topic: fake
datasets: [iris]
learners: [fake, {{name: other, factor: [0.5, 0.25]}}, raises]
repeats: 2
baseline: none
engine: inline
"""


@pytest.fixture
def call(capsys, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(PLUGIN)
    monkeypatch.setattr(TOPICS, "_plugged", None)
    inline = Entry(name="inline", target="caveat_fake:InlineEngine")
    monkeypatch.setitem(ENGINES._entries, "inline", inline)
    monkeypatch.chdir(tmp_path)

    def run(*args):
        with pytest.raises(SystemExit) as stop:
            main(list(args))
        out, err = capsys.readouterr()
        return stop.value.code, out, err

    return run


@pytest.fixture
def undrawn(monkeypatch):
    """Leave the figures out, where a test is not about them."""
    empty = defaultdict(lambda: Drawn("", ()))
    monkeypatch.setattr(_write, "draw_figures", lambda page, png: empty)


def page(folder="report"):
    return (Path(folder) / "index.html").read_text("utf-8")


def run_study(call, name="small"):
    Path(f"{name}.yaml").write_text(STUDY.format(name=name))
    call("run", f"{name}.yaml", "--ledger", "all.ledger")


def test_an_empty_ledger_has_a_page_and_is_no_error(call):
    Ledger("empty.ledger", write=True).close()
    code, out, _ = call("report")
    assert code == 0
    assert "Nothing has been run yet." in out
    assert "Nothing has been run yet." in page()


@pytest.mark.thorough
def test_a_whole_ledger_is_reported_and_left_as_it_is(call):
    run_study(call)
    before = Path("all.ledger").read_bytes()
    code, out, err = call("report", "--out", "here", "--excel-safe")
    assert (code, err) == (0, "")
    assert "2 failed" in out
    assert "here/index.html" in out
    assert "caveat report all.ledger --out here --excel-safe" in page("here")
    assert "2 trials failed, for one reason; none was filled in" in page("here")
    assert Path("here/figures/cost.png").exists()
    assert Path("here/tables/leaderboard.tex").exists()
    assert Path("all.ledger").read_bytes() == before


def test_planned_trials_are_a_study_so_far(call):
    study = load_study({**_spec(), "study": "waiting"})
    with Ledger("all.ledger", write=True) as book:
        book.add_study(
            "waiting", study.model_dump(mode="json", by_alias=True), plan(study)
        )
    code, _, _ = call("report")
    assert code == 0
    assert "0 of 4 trials so far." in page()


def _spec():
    return {
        "topic": "fake",
        "datasets": ["iris"],
        "learners": ["fake", "other"],
        "repeats": 2,
        "baseline": "none",
    }


@pytest.mark.thorough
def test_two_studies_share_a_page_or_have_one_each(call, undrawn):
    run_study(call, "one")
    run_study(call, "two")
    assert call("report")[0] == 0
    assert "Two studies, each with its own finding." in page()
    assert call("report", "--study", "two")[0] == 0
    assert "Two studies" not in page()


def test_wrong_names_are_one_clear_sentence_each(call):
    run_study(call)
    code, _, err = call("report", "--study", "smal")
    assert (code, err) == (
        2,
        "caveat: no study is called 'smal'; did you mean 'small'?\n",
    )
    code, _, err = call("report", "--measure", "nothing-like-it")
    assert code == 2
    assert err.startswith("caveat: no measure is called 'nothing-like-it'; there are")
    code, _, err = call("report", "missing.ledger")
    assert code == 2
    assert "there is no ledger 'missing.ledger'" in err


def test_a_folder_that_cannot_be_made_is_one_clear_sentence(call, undrawn):
    run_study(call)
    Path("taken").write_text("x")
    code, _, err = call("report", "--out", "taken/here")
    assert code == 2
    assert "--out: " in err
    assert "taken' is a file; choose another folder" in err
