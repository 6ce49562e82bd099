"""What a page on many labels says: only what the table below it shows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from caveat.measures import LABEL_MEASURES as MEASURES
from caveat.multilabel import page
from caveat.multilabel._compare import absent_labels, judge
from caveat.multilabel.result import Model, Result
from caveat.pages import About
from caveat.pages.claims import Tie, heading

ABOUT = About("songs.csv", "4 labels", "multilabel", 600, 6, "1.4 labels per row", "")
FREE = dict.fromkeys(MEASURES, 0.5)


def model(name, values, *, seed, floor=False, held_out=np.nan, decided=True):
    """A model with these values on the test rows, and resamples close to them."""
    rng = np.random.default_rng(seed)
    measures = [
        m for m in MEASURES if decided or ("f1" not in m and "hamming" not in m)
    ]
    usual = {m: 0.8 if MEASURES[m].larger_is_better else 0.2 for m in measures}
    rows = np.array([{**usual, **values}[m] for m in measures])
    draws = np.vstack([rows, rows + 0.005 * rng.normal(size=(60, len(rows)))])
    labels = pd.DataFrame(
        {"positives": [3], "auc": [0.7]}, index=pd.Index(["a"], name="label")
    )
    ways = pd.DataFrame(
        {"macro_f1": [0.5, 0.6]},
        index=pd.Index(["one for all", "tuned on the test rows"], name="threshold"),
    )
    return Model(
        name,
        pd.DataFrame(draws, columns=measures),
        floor=floor,
        held_out=held_out,
        verdict="both",
        labels=labels,
        thresholds=ways if np.isfinite(held_out) else pd.DataFrame(),
    )


def result(*given, trained=True, decided=True):
    """Models by their values; the first is chosen."""
    held = (0.9, 0.8, 0.7) if trained else (np.nan,) * 3
    models = [
        model(name, values, seed=n, held_out=held[n], decided=decided)
        for n, (name, values) in enumerate(given)
    ]
    floors = [
        model(name, FREE, seed=9, floor=True, decided=decided)
        for name in ("popularity", "every label", "no label")
    ]
    rows = 420 if trained else 0
    return Result(tuple(models), tuple(floors), rows, 180, 4, conditions="made up.")


def seen(*given, **more):
    return page.look(result(*given, **more), ABOUT)


def test_only_what_was_looked_at_is_said_to_be():
    trained = seen(("svm", {}))
    assert "absent labels and thresholds were looked at" in str(trained.checks)
    scored = seen(("mine", {}), trained=False, decided=False)
    assert str(scored.checks) == "Popularity and ties were looked at."
    assert "not estimated" in str(heading(scored.sections[2].heading))


def test_a_tie_says_by_which_measure():
    look = seen(("svm", {}), ("limo", {"macro_auc": 0.7}))
    (tie,) = [claim for claim in look.claims if isinstance(claim, Tie)]
    assert "cannot be told apart by average precision; paired" in str(tie.words)


def test_whoever_is_chosen_and_behind_elsewhere_is_told_so():
    look = seen(("svm", {"instance_f1": 0.6}), ("limo", {"instance_f1": 0.7}))
    (told,) = [one["text"] for one in look.caveats if one["kind"] == "measures"]
    assert told == (
        f"On 1 of {len(MEASURES)} measures svm falls behind another model: "
        "instance-F1 (limo first)."
    )
    assert "Nothing to do" not in str(look.action)
    assert "held-out training rows" in str(look.action)
    equal = seen(("svm", {}), ("limo", {}))
    assert "Nothing to do" in str(equal.action)


def test_where_everybody_falls_behind_that_is_told_with_it():
    look = seen(("svm", {"instance_f1": 0.6}), ("limo", {"macro_auc": 0.6}))
    (told,) = [one["text"] for one in look.caveats if one["kind"] == "measures"]
    assert told.endswith("Every model falls behind on some measure.")


def test_the_first_of_several_scores_is_called_so():
    given = ("steady", {}), ("moody", {"average_precision": 0.9})
    look = seen(*given, trained=False)
    assert look.title.startswith("steady, the first of two given, reaches")
    alone = seen(("steady", {}), trained=False)
    assert alone.title.startswith("steady reaches")


def test_a_title_has_no_interval_and_the_line_below_has_both():
    look = seen(("svm", {}))
    assert "(" not in look.title
    assert str(look.lede).count(" to ") == 2


@pytest.mark.parametrize(("models", "told"), [(2, ""), (3, "for 2 comparisons")])
def test_one_comparison_is_not_corrected(models, told):
    look = seen(*[(f"m{n}", {}) for n in range(models)])
    words = str(look.sections[0].lead)
    assert ("Holm's correction" in words) == bool(told)
    assert told in words
    assert "1 comparisons" not in words


@pytest.mark.parametrize(
    ("better", "all_", "words"),
    [
        (2, 2, "Both models order"),
        (3, 3, "All three models order"),
        (1, 2, "One of two models orders"),
        (0, 2, "None of two models orders"),
    ],
)
def test_some_none_and_all_are_said_as_people_do(better, all_, words):
    poor = {"instance_auc": 0.5, "macro_auc": 0.5}
    given = [(f"m{n}", {} if n < better else poor) for n in range(all_)]
    assert str(heading(seen(*given).sections[1].heading)).startswith(words)


def test_bold_is_explained_by_the_test_and_means_nothing_for_one():
    table = seen(("svm", {}), ("limo", {})).sections[0].blocks[0]
    assert "doubt" not in str(table.caption)
    assert "Bold: not behind the first by a paired bootstrap" in str(table.conditions)
    alone = seen(("svm", {})).sections[0].blocks[0]
    assert "Bold" not in str(alone.conditions)
    assert {cell.tone for row in alone.rows for cell in row.cells} == {""}


def test_one_absent_label_is_one():
    Y = pd.DataFrame({"a": [1, 0], "b": [1, 1]})
    told = absent_labels(Y, np.array([0]), np.array([1]))
    assert told == ["1 label has no positive in the test part: 'a'"]


def test_labels_of_one_value_are_named_since_no_score_parts_their_rows():
    rng = np.random.default_rng(0)
    Y = pd.DataFrame(rng.integers(0, 2, (60, 2)), columns=["a", "b"])
    scores = rng.normal(size=(60, 4))
    found = judge(Y.assign(never=0, always=1), scores, n_resamples=20)
    told = [str(claim.words) for claim in page.look(found, ABOUT).ordered]
    assert (
        "2 labels have one value in all rows, and no part in macro-AUC: 'never', "
        "'always'." in told
    )
    assert judge(Y, scores[:, :2], n_resamples=20).notes == ()


def test_what_tuned_thresholds_add_has_the_interval_of_every_resampled_value():
    draws = [0.08, *np.linspace(0.02, 0.2, 40)]
    tuned = {"honest": 0.7, "tuned": 0.78, "draws": draws}
    found = page.look(replace(result(("svm", {})), tuned=tuned), ABOUT)
    (claim,) = [one for one in found.claims if one.kind == "thresholds"]
    ends = np.quantile(draws[1:], [0.025, 0.975])
    assert [claim.estimate.low, claim.estimate.high] == pytest.approx(ends)
