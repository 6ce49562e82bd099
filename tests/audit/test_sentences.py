"""Sentences of an audit say what was measured, beside their floor."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from caveat.audit import page
from caveat.audit._ladder import Step
from caveat.audit._scores import CONSTANT, Reader, Scores
from caveat.audit.result import Change, Model, Result, Rung
from caveat.audit.scan import scan
from caveat.datasets import from_frame
from caveat.pages import About, Table, prose
from caveat.pages._model import flat_blocks
from caveat.pages.claims import Estimate

ABOUT = About("made-up.csv", "y", "binary", 120, 5, "30 % yes", "caveat audit x.csv")


def known(value, half=0.05, n=10):
    return Estimate(value, "AUC", value - half, value + half, "10 folds", n)


def changed(model, before, after, half):
    gap = Estimate(after - before, "", after - before - half, after - before + half)
    return Change(model, known(before), known(after), gap)


@pytest.fixture
def result():
    """Three models below the constant answer; a leak that one of them uses."""
    gaps = {"one": (0.636, -0.044), "two": (0.644, -0.036), "three": (0.598, -0.082)}
    models = [
        Model(
            name,
            name,
            known(0.59),
            further={"accuracy": value},
            over_constant={"accuracy": Estimate(gap, "", gap - 0.05, gap + 0.05)},
        )
        for name, (value, gap) in gaps.items()
    ]
    leak = Rung(
        "leak",
        ("code",),
        known(0.97),
        changed("the chosen model", 0.99, 0.97, 0.03),
        changed("one", 0.99, 0.66, 0.04),
    )
    return Result(
        measure="AUC",
        sign=1,
        chance=0.5,
        task="binary",
        columns=pd.DataFrame(columns=["column", "kind", "alone", "low", "high"]).assign(
            measure=""
        ),
        classes=pd.DataFrame({"label": ["no", "yes"], "rows": [84, 36]}),
        rungs=(Rung("stands", (), known(0.99)), leak),
        models=tuple(models),
        constant={"accuracy": 0.68},
        folds=5,
        rows=120,
    )


def shown(found, name):
    """Return a table of the page, as texts."""
    parts = page.look(found, ABOUT).sections
    blocks = [one for part in parts for one in flat_blocks(part.blocks)]
    table = next(b for b in blocks if isinstance(b, Table) and b.name == name)
    return [[str(prose(cell.text)) for cell in row.cells] for row in table.rows]


def below(found):
    told = [str(claim.words) for claim in page.look(found, ABOUT).ordered]
    return [words for words in told if words.startswith("By accuracy")]


def test_every_further_measure_has_its_constant_answer(result):
    assert shown(result, "models")[3] == ["constant answer", "0.50", "", "", "0.680"]


def test_models_below_the_constant_answer_are_told_so(result):
    (words,) = below(result)
    assert "all models lie below the constant answer, 0.680, the nearest by" in words
    assert "−0.04 (−0.09 to 0.01)" in words
    assert "not told apart at this size" in words


def test_one_model_above_the_constant_answer_is_enough(result):
    first, *rest = result.models
    over = {"accuracy": Estimate(0.01, "", -0.1, 0.1)}
    assert not below(
        replace(result, models=(replace(first, over_constant=over), *rest))
    )


def test_further_measures_are_paired_with_the_constant_answer():
    upper = np.repeat([0, 1], 50)
    table = type("T", (), {"classes": ("a", "b"), "upper": upper, "held": upper < 0})
    folds = {(0, 0): 0.6, (0, 1): 0.7, (1, 0): 0.65}
    bar = {(0, 0): 0.68, (0, 1): 0.68}
    further = {"m": {"accuracy": folds}, CONSTANT: {"accuracy": bar}}
    last = Scores(Step(), {"m": folds, CONSTANT: bar}, further)
    (model,) = Reader(table, {}, {}).models(last, ())
    gap = model.over_constant["accuracy"]
    assert (gap.value, gap.n) == (pytest.approx(-0.03), 2)
    assert gap.low < gap.value < gap.high


def test_a_step_shows_where_its_change_begins_and_by_whom_a_caveat_tells_it(result):
    rows = shown(result, "ladder")
    assert rows[1][3] == "0.99"
    assert rows[2][0] == "without code, one"
    assert (rows[2][1], rows[2][3]) == ("0.66", "0.99")


def test_folds_of_several_rounds_are_counted(result):
    def conditions(found):
        last = page.look(found, ABOUT).sections[-1]
        return str(dict(last.blocks[0].pairs)["Conditions"])

    assert "2 rounds of 5 folds, seed" in conditions(result)
    assert "rounds of 4 folds, 10 in all" in conditions(replace(result, folds=4))
    assert "trials, 10 folds, seed" in conditions(replace(result, folds=10))


def test_what_to_report_stands_beside_its_floor(result):
    assert "beside the floor of 0.50" in str(page.look(result, ABOUT).action)


def grouped(values, share):
    """Rows of 60 values; so large a share of the values has one target."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(60), 8)
    own = rng.integers(0, 2, 60)[group]
    noisy = rng.random(480) < 0.5
    mixed = (group >= 60 * share) & noisy
    frame = pd.DataFrame(rng.normal(size=(480, 2)), columns=["a", "b"])
    frame["value"] = np.array(values(rng))[group]
    return frame.assign(y=np.where(mixed, 1 - own, own))


def told(frame, name):
    found = scan(from_frame(frame.rename(columns={"value": name}), "y"))
    return next(one.sentence for one in found.findings if one.kind == "group")


def test_a_number_names_nothing_and_shares_only_what_it_shares():
    sentence = told(grouped(lambda rng: rng.permutation(60), 0.5), "age")
    assert "names" not in sentence
    assert "from the name" not in sentence
    assert "has 60 values of about 8 rows" in sentence
    assert "rows of one value have like targets" in sentence
    assert "of 60 have one target" in sentence


def test_groups_that_all_have_one_target_are_called_so():
    names = [f"p{n:02d}" for n in range(60)]
    sentence = told(grouped(lambda rng: rng.permutation(names), 1), "patient")
    assert "names 60 groups of about 8 rows, and a group's rows share their" in sentence
