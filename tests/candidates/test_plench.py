"""The PLENCH protocol against numbers that its own code gave."""

from pathlib import Path

import numpy as np
import pytest

from caveat.candidates._plench import (
    PlenchScaler,
    plench_checkpoints,
    plench_draw,
    plench_hash,
    plench_split,
)
from caveat.candidates.registry import LEARNERS

DATA = Path(__file__).parents[2].parent / "shared/data/partial-labels"
needs_data = pytest.mark.skipif(
    not DATA.exists(), reason="the partial-label data sets are not beside the checkout"
)


def test_trial_seeds_are_those_of_the_benchmark():
    wanted = [1003224347, 1051079061, 366063960, 1101170146, 2045426687]
    assert [plench_hash(trial) for trial in range(5)] == wanted
    assert plench_hash("Lost", "PRODEN", 0, 0) == 973119192


def test_the_first_split_of_lost_is_that_of_the_benchmark():
    split = plench_split(1122, 0)
    assert (len(split.train), len(split.validation), len(split.test)) == (909, 100, 113)
    assert split.test[:5].tolist() == [80, 261, 1105, 1027, 1084]
    assert split.validation[:5].tolist() == [159, 735, 115, 1068, 903]
    assert split.train[:5].tolist() == [135, 572, 447, 365, 15]


def test_the_parts_of_a_split_are_all_rows_once():
    split = plench_split(21878, 3)
    sizes = (len(split.train), len(split.validation), len(split.test))
    assert sizes == (17721, 1969, 2188)
    together = np.concatenate([split.train, split.validation, split.test])
    np.testing.assert_array_equal(np.sort(together), np.arange(21878))


@pytest.mark.parametrize(
    ("index", "rate", "decay", "batch"),
    [(1, 1.190616e-4, 9.743108e-5, 128), (2, 3.207929e-4, 6.035203e-4, 64)],
)
def test_random_search_draws_what_the_benchmark_draws(index, rate, decay, batch):
    drawn = plench_draw(LEARNERS["proden"], index, 0)
    assert drawn["learning_rate"] == pytest.approx(rate, rel=1e-6)
    assert drawn["weight_decay"] == pytest.approx(decay, rel=1e-6)
    assert drawn["batch_size"] == batch


@pytest.mark.parametrize("name", LEARNERS)
def test_every_draw_is_plain_and_can_be_built(name):
    entry = LEARNERS[name]
    kind = entry.load()
    for index in range(5):
        drawn = plench_draw(entry, index, 1)
        assert all(type(value) in (int, float) for value in drawn.values())
        assert set(drawn) <= set(kind.parameter_types())
        kind(**{key: drawn[key] for key in kind.settings() if key in drawn})


def test_the_first_configuration_are_the_defaults():
    assert plench_draw(LEARNERS["pop"], 0, 4) == {}


def test_checkpoints_follow_the_benchmarks_counting_from_zero():
    found = plench_checkpoints(10_000, 1000)
    assert found == [*range(1001, 10_000, 1000), 10_000]


def test_the_scaler_uses_the_population_deviation():
    X = np.array([[1.0, 5.0], [3.0, 5.0]])
    found = PlenchScaler().fit(X).transform(X)
    np.testing.assert_allclose(found, [[-1, 0], [1, 0]], atol=2e-6)


@needs_data
def test_lost_is_as_measured():
    from caveat.candidates import candidate_statistics
    from caveat.datasets import read

    lost = read(DATA / "lost.mat")
    found = candidate_statistics(lost.candidates, lost.y)
    assert found.mean_size == pytest.approx(2.2317, abs=5e-5)
    assert (min(found.histogram), max(found.histogram)) == (1, 3)
    assert found.singletons == pytest.approx(0.06, abs=5e-4)
    assert found.noise_rate == 0
    assert len(found.never_true) == 2


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "steps", "splits", "least"),
    [
        ("proden", 2000, 3, 0.65),
        ("scl-nl", 2000, 3, 0.65),
        ("forward", 2000, 3, 0.65),
        ("nn", 1000, 2, 0.35),
    ],
)
def test_lost_is_learnt_as_well_as_it_should(name, steps, splits, least):
    from caveat.candidates import PartialLabelClassifier
    from caveat.datasets import read

    lost = read(DATA / "lost.mat")
    X, y = lost.X.to_numpy(), lost.y.to_numpy()
    scores = []
    for trial in range(splits):
        split = plench_split(len(X), trial)
        model = PartialLabelClassifier(name, max_steps=steps, random_state=trial)
        model.fit(X[split.train], lost.candidates[split.train])
        scores.append(model.score(X[split.test], y[split.test]))
    assert np.mean(scores) >= least


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name, entry in LEARNERS.items() if not entry.known_weak]
)
def test_every_algorithm_learns_lost(name):
    from caveat.candidates import PartialLabelClassifier
    from caveat.datasets import read

    lost = read(DATA / "lost.mat")
    X, y = lost.X.to_numpy(), lost.y.to_numpy()
    scores = []
    for trial in range(3):
        split = plench_split(len(X), trial)
        model = PartialLabelClassifier(name, max_steps=2000, random_state=trial)
        model.fit(X[split.train], lost.candidates[split.train])
        scores.append(model.score(X[split.test], y[split.test]))
    share = np.bincount(y).max() / len(y)
    assert np.mean(scores) >= 3 * share
