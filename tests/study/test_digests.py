"""Records that prove themselves: what is damaged is named, left out and run again."""

import importlib.util
import re
import sqlite3
from pathlib import Path

import pytest

from caveat.exceptions import DamagedLedger, LedgerError
from caveat.study import Finished, Ledger, export, plan, run, run_trial
from caveat.study.ledger._digests import digest_of, study_digest
from caveat.study.ledger._verify import furthest, rerun

FLIPS = Path(__file__).parents[2] / "benchmarks" / "bench_ledger_flips.py"


@pytest.fixture
def study(fake_study):
    return fake_study(learners=["fake", "raises"], scenario={}, repeats=3)


@pytest.fixture
def path(tmp_path, study):
    path = tmp_path / "small.ledger"
    run(study, path, "inline")
    return path


def exported(path):
    with Ledger(path) as book:
        return export(book.records(), path.with_suffix(".csv")).read_bytes()


def change(path, *statements):
    raw = sqlite3.connect(path)
    with raw:
        for statement in statements:
            raw.execute(statement)
    raw.close()


def damage(path):
    with Ledger(path) as book:
        return book.damage()


@pytest.mark.thorough
def test_every_changed_digit_of_a_score_is_told_and_none_is_exported(path):
    raw = sqlite3.connect(path)
    key, text = raw.execute(
        "SELECT key, record FROM result WHERE state='done'"
    ).fetchone()
    raw.close()
    start = text.index('"test.score":[') + len('"test.score":[')
    digits = [at for at in range(start, start + 20) if text[at].isdigit()]
    for at in digits[::3]:
        other = text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :]
        change(path, f"UPDATE result SET record='{other}' WHERE key='{key}'")
        with Ledger(path) as book:
            records = book.records()
        assert [item.key for item in records.damaged] == [key]
        assert key not in set(records.rows["key"])
        assert records.trials.set_index("key").loc[key, "state"] == "damaged"
        assert [item.key for item in damage(path)] == [key]


def test_results_that_changed_places_are_seen(path):
    raw = sqlite3.connect(path)
    query = "SELECT key, record, digest FROM result WHERE state='done'"
    (one, *first), (other, *second) = raw.execute(query).fetchmany(2)
    with raw:
        update = "UPDATE result SET record=?, digest=? WHERE key=?"
        raw.executemany(update, [(*first, other), (*second, one)])
    raw.close()
    assert {item.key for item in damage(path)} == {one, other}


def test_a_removed_record_is_named_and_shows_in_the_digest(path):
    with Ledger(path) as book:
        before = book.digest("small")
    change(
        path,
        "DELETE FROM result WHERE key = (SELECT min(key) FROM result "
        "WHERE state='done')",
    )
    assert [item.reason for item in damage(path)] == [
        "its result is gone, but an attempt that gave one is noted"
    ]
    with Ledger(path) as book:
        assert book.digest("small") != before


ROWS = {
    "result": "UPDATE result SET reason='luck'",
    "trial": """UPDATE trial SET spec=replace(spec, '"repeat":0', '"repeat":7')""",
    "search": "UPDATE trial SET search='x'",
    "attempt": "UPDATE attempt SET seconds=0.001",
    "glossary": "UPDATE glossary SET facts='{}'",
    "study": """UPDATE study SET spec='{"study":"other"}'""",
    "plan": "UPDATE plan SET place=place+1 WHERE place=5",
    "order": "UPDATE plan SET place=5-place",
    "gone": "DELETE FROM result",
    "cost": "DELETE FROM attempt",
    "garbled": "UPDATE result SET record=CAST(x'ff7b' AS TEXT) WHERE state='done'",
    "number": "UPDATE result SET record=17 WHERE state='done'",
}


@pytest.mark.thorough
@pytest.mark.parametrize("what", ROWS)
def test_whatever_is_damaged_is_named_and_mended_by_running_again(
    path, study, what, tmp_path
):
    before = exported(path)
    with Ledger(path) as book:
        words = book.records().glossary
    change(path, ROWS[what])
    named = damage(path)
    assert bool(named) == (what != "plan")
    assert all(item.rerun for item in named)
    run(study, path, "inline")
    assert damage(path) == []
    assert exported(path) == before
    with Ledger(path) as book:
        assert book.records().glossary == words


def test_a_study_whose_row_is_damaged_is_refused_with_one_sentence(path):
    change(path, ROWS["study"])
    with Ledger(path) as book, pytest.raises(DamagedLedger, match=r"'small'.*mends"):
        book.records()


def test_declarations_that_changed_are_refused(path):
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA writable_schema=ON")
    raw.execute("UPDATE sqlite_master SET sql=replace(sql, 'reason', 'raeson')")
    raw.commit()
    raw.close()
    with pytest.raises(DamagedLedger, match="not declared as they were"):
        Ledger(path)


def test_a_row_that_an_index_does_not_find_is_told(path):
    raw = sqlite3.connect(path)
    (page,) = raw.execute(
        "SELECT rootpage FROM sqlite_master WHERE name='sqlite_autoindex_result_1'"
    ).fetchone()
    size = raw.execute("PRAGMA page_size").fetchone()[0]
    raw.close()
    data = bytearray(path.read_bytes())
    inside = data[(page - 1) * size : page * size]
    at = (page - 1) * size + re.search(rb"[0-9a-f]{64}", inside).start()
    data[at] ^= 1
    path.write_bytes(data)
    with Ledger(path) as book, pytest.raises(DamagedLedger, match="index"):
        book.records()
    assert [item.rerun for item in damage(path)][:1] == [False]


@pytest.mark.fault
def test_random_bit_flips_are_harmless_or_told():
    spec = importlib.util.spec_from_file_location("flips", FLIPS)
    flips = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(flips)
    flips.main(40, 2)


def test_a_study_has_one_digest_however_it_ran(study, path, tmp_path):
    other = tmp_path / "other.ledger"
    trials = plan(study)
    with Ledger(other, write=True) as book:
        book.add_study("small", {"study": "small"}, trials)
        for trial in reversed(trials):
            if trial.spec["learner"]["name"] == "fake":
                ended = Finished(trial.key, "done", record=run_trial(trial.spec))
            else:
                ended = Finished(trial.key, "failed", reason="RuntimeError")
            book.finish("fake", ended)
        there = book.digest("small")
    with Ledger(path) as book:
        records = book.records()
        assert book.digest() == book.digest("small") == there
    column = export(records, tmp_path / "x.csv").read_text().splitlines()
    digests = {line.rsplit(",", 1)[1] for line in column[1:]}
    assert study_digest(digests) == there


def test_values_of_a_digest_cannot_run_into_each_other():
    assert digest_of("1") != digest_of(1) != digest_of(1.0)
    assert digest_of(None) != digest_of("None")
    assert digest_of("a", "") != digest_of("", "a")


def test_trials_that_are_run_again_give_the_same_bits(path):
    with Ledger(path) as book:
        found = rerun(book, 10, engine="inline")
        assert (found.drawn, found.equal, found.differing) == (3, 3, [])


def test_a_record_that_its_trial_does_not_give_is_named(tmp_path, study):
    trial = plan(study)[0]
    record = run_trial(trial.spec)
    record["table"]["test.score"][0] += 0.125
    with Ledger(tmp_path / "a.ledger", write=True) as book:
        book.add_study("small", {}, [trial])
        book.finish("fake", Finished(trial.key, "done", record=record))
        assert book.damage() == []
        (found,) = rerun(book, 1, engine="inline").differing
        assert (found.key, found.reason.split()[-1]) == (
            trial.key,
            "table.test.score[0]",
        )
        assert rerun(book, 1, engine="inline", tolerance=0.2).close == 1


def test_the_furthest_difference_is_found_wherever_it_is():
    assert furthest([1, {"a": "x"}], [1, {"a": "x"}]) == ("", 0.0)
    assert furthest({"a": [1.0, None]}, {"a": [1.0, 2.0]}) == ("a[1]", float("inf"))
    assert furthest([1.0], [1.0, 2.0])[1] == float("inf")


def test_several_results_share_a_commit_or_none_is_there(tmp_path, fake_study):
    trials = plan(fake_study(learners=["fake"], scenario={}, repeats=4))
    ended = [
        ("fake", Finished(t.key, "done", record=run_trial(t.spec))) for t in trials
    ]
    with Ledger(tmp_path / "a.ledger", write=True) as book:
        book.add_study("small", {}, trials)
        book.claim([trial.key for trial in trials])
        broken = Finished(trials[3].key, "done", record={"table": float("nan")})
        with pytest.raises(ValueError, match="JSON"):
            book.finish_all([*ended[:3], ("fake", broken)])
        assert book.counts() == {"running": 4}
        assert book.finish_all(ended[:3]) == {trial.key for trial in trials[:3]}
        assert book.finish_all(ended) == {trial.key for trial in trials}
        assert book.counts() == {"done": 4}
        assert book.records().glossary["learner", "fake"]
    raw = sqlite3.connect(tmp_path / "a.ledger")
    assert raw.execute("SELECT count(*) FROM attempt").fetchone() == (4,)
    raw.close()


def test_a_claim_that_is_damaged_does_not_hold_a_trial_for_ever(tmp_path, fake_study):
    path = tmp_path / "a.ledger"
    (trial,) = plan(fake_study(learners=["fake"], scenario={}, repeats=1))
    with Ledger(path, write=True) as book:
        book.add_study("small", {}, [trial])
        change(path, "UPDATE trial SET owner='nobody', expires=1e300")
        assert book.claim([trial.key]) == [trial.key]


def test_an_old_ledger_is_not_written(old_ledger):
    before = old_ledger.read_bytes()
    with pytest.raises(LedgerError, match=r"schema 1.*read and reported.*new file"):
        Ledger(old_ledger, write=True)
    assert old_ledger.read_bytes() == before


def test_an_old_ledger_is_read_in_todays_words(old_ledger, tmp_path):
    with Ledger(old_ledger) as book:
        assert not book.proven
        assert book.damage() == []
        records = book.records()
    trials = records.trials.set_index("learner")
    assert trials["topic"].to_dict() == {"eapp": "eapp", "mm": "bags"}
    assert trials["baseline"].to_dict() == {"eapp": True, "mm": False}
    assert trials.loc["mm", ["state", "message"]].tolist() == ["failed", "no bags"]
    assert trials.loc["eapp", "seconds"] == 1.5
    assert records.rows["test.auc"].tolist() == [0.75]
    assert records.glossary["learner", "eapp"]["topic"] == "eapp"
    assert records.studies["old"]["topic"] == "bags"
    assert len(export(records, tmp_path / "old.csv").read_text().splitlines()) == 3
