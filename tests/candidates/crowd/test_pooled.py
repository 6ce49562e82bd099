"""Pooling over what people may be like, and probabilities that are meant."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.special import gammaln
from scipy.stats import dirichlet

from caveat.candidates import MajorityVote, PooledCrowd, as_answers, look
from caveat.candidates._table import read_candidates
from caveat.candidates.crowd import HeldOut, decide, leave_out
from caveat.candidates.crowd._calibration import (
    label_accuracy,
    temperature_for,
    to_the_power,
    typical_skill,
)
from caveat.candidates.crowd._kinds import KindsOfPeople
from caveat.exceptions import InvalidInput
from tests.candidates.crowd.simulated import crowd


def right(model, truth):
    told = model.predict()
    return float((told == truth.reindex(told.index)).mean())


@pytest.mark.thorough
def test_it_begins_with_an_objective_that_never_falls_and_repeats_itself():
    answers, truth = crowd(150, 5, 3, vague=0.2, seed=0)
    model = PooledCrowd().fit(answers)
    assert (np.diff(model.objective_) > -1e-9).all()
    assert right(model, truth) > 0.85
    again = PooledCrowd().fit(answers)
    np.testing.assert_array_equal(again.posterior_, model.posterior_)
    rest = model.answers_.keep(np.arange(len(model.answers_)) % 7 > 0)
    assert (decide(model.posterior_of(rest)) == decide(model.posterior_)).mean() > 0.9


@pytest.mark.thorough
def test_draws_of_two_people_are_those_of_the_whole_posterior():
    rows = [("a", "ann", 0), ("a", "ben", 0), ("b", "ann", 1), ("b", "ben", 0)]
    rows += [("c", "ann", 1), ("c", "ben", 1), ("d", "ben", 0)]
    found = as_answers(pd.DataFrame(rows, columns=["item", "annotator", "label"]))
    model = KindsOfPeople().fit(found)
    kinds, exact, total = model._kinds, np.zeros((4, 2)), 0.0
    base = kinds.base / kinds.base.sum()
    # Two people's kinds, shares integrated: the second follows the first a little.
    both = np.outer(base, base) * kinds.base.sum() + np.diag(base)
    for truth in product(range(2), repeat=4):
        named = np.zeros((2, 2, 2))
        np.add.at(named, (found.annotator, found.label, np.array(truth)[found.item]), 1)
        one, other = np.exp(kinds.log_marginal(named))
        chance = float(one @ both @ other)
        chance *= np.exp(gammaln(np.bincount(truth, minlength=2) + 1.0).sum())
        exact[np.arange(4), truth] += chance
        total += chance
    rng, posterior, mean = np.random.default_rng(0), model.posterior_, 0.0
    for _ in range(1500):
        posterior = model.draw(found, posterior, rng)
        mean = mean + posterior / 1500
    np.testing.assert_allclose(mean, exact / total, atol=0.03)


def test_a_kinds_density_is_that_of_dirichlet_rows():
    answers, _ = crowd(20, 3, 3, seed=1)
    model = KindsOfPeople().fit(answers)
    kinds, table = model._kinds, model._weights
    for kind in (0, 7, len(kinds.base) - 1):
        alpha = kinds.pseudo_answers(np.tile(np.eye(len(kinds.base))[kind], (3, 1)))
        # In terms of logarithms, so that the exponent is that of the pseudo-answers.
        wanted = sum(
            dirichlet.logpdf(table[1, :, j], alpha[1, :, j])
            + np.log(table[1, :, j]).sum()
            for j in range(3)
        )
        assert kinds.log_density(table)[1, kind] == pytest.approx(wanted)


def test_three_who_agree_on_a_wrong_order_do_not_outweigh_five_who_know():
    answers, truth = crowd(200, 5, 4, skill=(0.55, 0.9), seed=3)
    turned = [(i, f"turned{n}", (truth[i] + 1) % 4) for i in range(200) for n in "abc"]
    answers = pd.concat([answers, pd.DataFrame(turned, columns=answers.columns)])
    assert right(PooledCrowd().fit(answers), truth) > 0.95


def test_people_who_always_say_the_same_do_not_carry_the_day():
    answers, truth = crowd(200, 4, 3, skill=(0.75, 0.85), seed=1)
    lazy = [(i, f"lazy{n}", n % 2) for i in range(200) for n in range(5)]
    answers = pd.concat([answers, pd.DataFrame(lazy, columns=answers.columns)])
    model = PooledCrowd().fit(answers)
    assert right(model, truth) > right(MajorityVote().fit(answers), truth) + 0.1
    assert right(model, truth) > 0.85


def test_without_a_second_answer_people_are_taken_to_be_as_usual():
    answers, _ = crowd(40, 6, 3, each=1, seed=0)
    model = PooledCrowd().fit(answers)
    assert (model.predict() == answers.set_index("item")["label"]).all()
    # About half way between guessing and certainty.
    assert model.posterior_.max(axis=1).mean() == pytest.approx(2 / 3, abs=0.08)


@pytest.mark.parametrize("skill", [0.5, 0.7, 0.9])
@pytest.mark.parametrize("people", [2, 5])
def test_agreement_tells_how_good_people_are(skill, people):
    answers, _ = crowd(2000, people, 4, skill=(skill, skill), seed=2)
    assert typical_skill(as_answers(answers)) == pytest.approx(skill, abs=0.03)


def test_labels_are_judged_by_answers_that_did_not_make_them():
    rng = np.random.default_rng(0)
    answers, truth = crowd(3000, 3, 4, skill=(0.7, 0.7), seed=3)
    found = as_answers(answers)
    wrong = rng.random(3000) < 0.2
    labels = np.where(wrong, (truth + rng.integers(1, 4, 3000)) % 4, truth)
    said = answers[answers["annotator"] == "p0"].set_index("item")["label"]
    agreement = (said == pd.Series(labels)).to_numpy(float)
    value, error = label_accuracy(found, agreement, 1 / 3)
    assert value == pytest.approx(0.8, abs=0.04)
    assert 0.005 < error < 0.03


def test_a_gap_within_its_error_moves_no_probability():
    proba = np.tile([0.9, 0.1], (50, 1))
    assert temperature_for(proba, 0.88, 0.03) == 1.0
    hot = temperature_for(proba, 0.6, 1e-6)
    assert to_the_power(proba, hot).max(axis=1).mean() == pytest.approx(0.6, abs=0.01)
    assert temperature_for(proba, 0.97, 1e-6) < 1


@pytest.mark.thorough
def test_probabilities_of_the_pooled_model_are_meant():
    gaps, sure = [], []
    for seed in range(6):
        answers, truth = crowd(150, 12, 4, skill=(0.45, 0.75), each=3, seed=seed)
        proba = PooledCrowd().fit(answers).predict_proba()
        codes = decide(proba.to_numpy())
        sure.append(proba.to_numpy().max(axis=1))
        told = proba.columns.to_numpy()[codes]
        gaps.append((told == truth.reindex(proba.index)) - sure[-1])
    tenth = np.minimum((np.concatenate(sure) * 10).astype(int), 9)
    error = np.abs(np.bincount(tenth, np.concatenate(gaps))).sum() / len(tenth)
    # Dawid-Skene alone is at 0.1 here; chance alone gives about 0.02.
    assert error < 0.06


def test_only_rivals_take_the_place_of_the_usual_method():
    gain = np.array([[0.0] * 40, [1.0, 1.2] * 20, [0.5, 0.6] * 20])
    rows = np.arange(40)
    held = HeldOut(("usual", "best", "other"), rows, rows, gain, gain, [])
    assert held.choose("usual") == "best"
    assert held.choose("usual", ["other"]) == "other"
    assert held.choose("usual", []) == "usual"


@pytest.mark.thorough
def test_the_regret_is_what_the_best_way_has_more():
    answers, truth = crowd(80, 4, 3, seed=4)
    table = truth.rename_axis("item").reset_index()
    found = look(answers=answers, truth=table)
    methods = found.tables["methods"].set_index("name")["accuracy"]
    own = methods[found.extra["chosen"]]
    others = methods.drop("most frequent label")
    assert found.extra["regret"] == pytest.approx(others.max() - own)
    assert "chooses pooled" in " ".join(str(claim.words) for claim in found.claims)
    assert np.isnan(look(answers=answers).extra["regret"])


def test_a_method_that_is_too_sure_is_tempered_by_what_people_say():
    answers, truth = crowd(600, 3, 3, skill=(0.6, 0.7), seed=5)
    found = as_answers(answers)

    def vote(rest):
        return np.eye(3)[decide(MajorityVote().fit(rest).posterior_)]

    held = leave_out(found, {"vote": vote})
    told = held.calibrated("vote", found, vote(found))
    sure, right = told.max(axis=1).mean(), (decide(told) == truth.to_numpy()).mean()
    assert sure == pytest.approx(right, abs=0.08)
    assert vote(found).max(axis=1).mean() == 1.0


def test_the_last_word_counts_and_truth_of_other_items_is_refused():
    answers, _ = crowd(40, 3, 3, seed=6)
    again = pd.concat([answers.assign(label=0).head(4), answers])
    found = read_candidates(answers=again)
    assert len(found.answers) == len(answers)
    assert "4 answers were given again" in found.notes[-1]
    other = pd.DataFrame({"item": ["elsewhere"], "truth": [0]})
    with pytest.raises(InvalidInput, match="'elsewhere', is among the 40"):
        read_candidates(answers=answers, truth=other)


def test_a_crowd_that_knows_one_label_has_a_page():
    table = pd.DataFrame({"size": np.arange(40) % 7, "ann": "cat", "ben": "cat"})
    found = look(table, annotators=["ann", "ben"])
    assert set(found.tables["suggestions"]["label"]) == {"cat"}
