"""Resampling instances: every resample equals evaluating the drawn rows."""

import numpy as np
import pytest

from caveat.exceptions import InvalidInput
from caveat.measures.multilabel import Conventions, Resampler
from caveat.measures.multilabel import _checks as checks
from caveat.multilabel import bootstrap_intervals, evaluate

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(0)
    Y = (rng.random((30, 5)) < 0.25).astype(int)
    S = np.round(Y + rng.normal(size=Y.shape), 1)
    return Y, S, (S > 0.5).astype(int)


@pytest.mark.parametrize("ties", ["half", "paper", "sklearn"])
@pytest.mark.parametrize("degenerate", ["skip", "sklearn", "authors"])
@pytest.mark.parametrize("zero_division", [0.0, "skip"])
def test_a_resample_is_the_evaluation_of_its_rows(
    case, ties, degenerate, zero_division
):
    Y, S, H = case
    options = {"ties": ties, "degenerate": degenerate, "zero_division": zero_division}
    names = tuple(evaluate(Y, S, H, **options))
    rules = Conventions.of(ties, zero_division, degenerate)
    sample = Resampler(Y, S, H, names=names, conventions=rules)
    rng = np.random.default_rng(1)
    for _ in range(5):
        rows = rng.integers(30, size=30)
        found = sample.values(np.bincount(rows, minlength=30).astype(float))
        expected = evaluate(Y[rows], S[rows], H[rows], **options)
        for name in names:
            assert found[name] == pytest.approx(expected[name], abs=1e-12, nan_ok=True)


def test_the_interval_is_made_of_percentiles_and_repeats_with_its_seed(case):
    Y, S, H = case
    table = bootstrap_intervals(Y, S, H, n_resamples=200, random_state=3)
    again = bootstrap_intervals(Y, S, H, n_resamples=200, random_state=3)
    assert table.equals(again)
    assert (table["low"] <= table["high"]).all()
    assert (table["n_defined"] == 200).all()
    wide = bootstrap_intervals(
        Y, S, H, n_resamples=200, confidence=0.99, random_state=3
    )
    assert (wide["low"] <= table["low"]).all()


def test_the_interval_of_a_mean_agrees_with_its_standard_error():
    rng = np.random.default_rng(0)
    Y = np.zeros((400, 2), dtype=int)
    Y[:, 0] = 1
    S = rng.normal(size=Y.shape)
    table = bootstrap_intervals(
        Y, S, measures=["one_error"], n_resamples=600, random_state=0
    )
    assert table.loc["one_error", "se"] == pytest.approx(np.sqrt(0.25 / 400), rel=0.1)


@pytest.mark.parametrize(
    "options",
    [{"n_resamples": 1}, {"n_resamples": 2.5}, {"n_resamples": True},
     {"confidence": 0}, {"confidence": 95}],
)  # fmt: skip
def test_bad_settings_are_refused(case, options):
    Y, S, _ = case
    with pytest.raises(InvalidInput):
        bootstrap_intervals(Y, S, **options)


def test_what_does_not_fit_into_memory_is_refused_in_advance(case, monkeypatch):
    class Little:
        available = 10

    monkeypatch.setattr(checks.psutil, "virtual_memory", Little)
    Y, S, _ = case
    with pytest.raises(InvalidInput, match=r"30 x 5 scores would take .* GB"):
        bootstrap_intervals(Y, S, n_resamples=2)
