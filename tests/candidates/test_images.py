"""What every algorithm owes on images."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from torch import nn

from caveat.candidates import (
    Algorithm,
    PartialLabelClassifier,
    algorithms,
    flip_candidates,
    load_model,
    noisy_candidates,
    save_model,
)
from caveat.candidates._classifier import make_algorithm
from caveat.candidates.registry import LEARNERS
from caveat.datasets import Dataset, load
from caveat.exceptions import DataError, InvalidInput

pytestmark = pytest.mark.thorough

NAMES = [name for name in algorithms() if name != "valen"]
VIEWED = [name for name in NAMES if LEARNERS[name].facts["needs_views"]]
CASES = [
    (name, variant)
    for name in NAMES
    for variant in ("paper", "plench")
    if variant == "paper" or make_algorithm(name).deviation
]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(n_class=4, return_X_y=True)
    images = X.reshape(-1, 8, 8).astype(np.uint8)[:160]
    sets = flip_candidates(y[:160], 4, rate=0.3, random_state=0)
    return images, y[:160], noisy_candidates(sets, y[:160], rate=0.1, random_state=0)


def tiny(shape, n_classes):
    return nn.Sequential(
        nn.Conv2d(shape[2], 6, 3, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(6),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(6 * shape[0] * shape[1] // 4, n_classes),
    )


def model_of(case, **more):
    name, variant = case
    quick = dict(LEARNERS[name].quick)
    quick.pop("allow_identical_views", None)
    settings = {
        "params": quick,
        "network": tiny,
        "learning_rate": 0.01,
        "batch_size": 40,
        "max_steps": 10,
        "flips": False,
        "random_state": 0,
        **more,
    }
    return PartialLabelClassifier(name, variant=variant, **settings)


@pytest.mark.filterwarnings("ignore:candidates")
@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_the_same_seed_gives_the_same_numbers_and_a_stop_changes_none(
    case, digits, tmp_path
):
    images, _, sets = digits
    whole = model_of(case).fit(images, sets)

    def stop_at(steps, total):
        if steps >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model_of(case).fit(images, sets, save_to=tmp_path / "run", progress=stop_at)
    resumed = model_of(case).fit(images, sets, save_to=tmp_path / "run")
    again = model_of(case).fit(images, sets)
    assert whole.losses_ == resumed.losses_ == again.losses_
    for other in (resumed, again):
        np.testing.assert_array_equal(
            whole.predict_proba(images), other.predict_proba(images)
        )


@pytest.mark.filterwarnings("ignore:candidates")
@pytest.mark.parametrize("name", VIEWED)
def test_what_needs_views_learns_digits(name, digits):
    images, y, sets = digits
    model = model_of((name, "paper"), network=None, max_steps=40).fit(images, sets)
    # Four classes of equal size: a quarter by chance.
    assert model.score(images, y) > 0.6


@pytest.mark.filterwarnings("ignore:candidates")
@pytest.mark.parametrize("name", NAMES)
def test_the_truth_of_a_data_set_with_candidates_is_never_read(name, digits):
    images, y, sets = digits
    blind, lured = (
        model_of((name, "paper"), max_steps=6).fit(
            Dataset(
                name="pictures",
                X=pd.DataFrame(images.reshape(len(images), -1)),
                y=pd.Series(truth),
                candidates=sets,
                task="candidates",
                image_shape=(8, 8),
                classes=tuple(range(4)),
            )
        )
        for truth in (y, y[::-1])
    )
    assert blind.losses_ == lured.losses_
    np.testing.assert_array_equal(
        blind.predict_proba(images), lured.predict_proba(images)
    )


@pytest.mark.parametrize("name", VIEWED)
def test_what_needs_views_refuses_a_table_with_a_sentence(name):
    X, sets = np.zeros((8, 3)), np.eye(2, dtype=bool)[[0, 1] * 4]
    with pytest.raises(InvalidInput, match="a row of a table has only one"):
        PartialLabelClassifier(name, max_steps=1).fit(X, sets)


def test_valen_refuses_images_with_a_sentence(digits):
    images, _, sets = digits
    with pytest.raises(InvalidInput, match="valen rebuilds the columns of a table"):
        PartialLabelClassifier("valen", max_steps=1).fit(images, sets)


def test_valen_takes_any_network_for_tables():
    X = np.random.default_rng(0).normal(size=(30, 3))

    class Deep(nn.Module):
        def __init__(self, shape, q):
            super().__init__()
            self.inner = nn.Sequential(nn.Linear(shape[0], 5), nn.Tanh())
            self.last = nn.Linear(5, q)

        def forward(self, x):
            return self.last(self.inner(x))

    model = PartialLabelClassifier(
        "valen", Deep, params={"warm_up": 2}, max_steps=4, batch_size=10
    )
    assert model.fit(X, np.arange(30) % 3).predict(X).shape == (30,)


def test_a_data_set_with_images_is_taken_as_it_is():
    digits = load("digits")
    model = PartialLabelClassifier("proden", max_steps=2, random_state=0)
    model.fit(digits)
    assert model.encoder_.shape_ == (8, 8, 1)
    assert model.classes_.tolist() == list(range(10))
    again = PartialLabelClassifier("proden", max_steps=2, random_state=0)
    again.fit(np.asarray(digits.images), np.asarray(digits.y))
    np.testing.assert_array_equal(
        model.predict_proba(digits), again.predict_proba(digits.images)
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: x / 16, "no whole numbers from 0 to 255"),
        (lambda x: x[:, :, :, None, None], "channels last"),
        (lambda x: x.astype(str), "pass whole numbers"),
        (lambda x: x[:0], "0 images"),
    ],
)
def test_what_is_no_image_is_refused(change, message, digits):
    images, _, sets = digits
    with pytest.raises(InvalidInput, match=message):
        model_of(("cc", "paper")).fit(change(images), sets)


def test_images_of_another_shape_are_refused(digits):
    images, _, sets = digits
    model = model_of(("cc", "paper"), max_steps=1).fit(images, sets)
    with pytest.raises(InvalidInput, match="those in training had"):
        model.predict(images[:, :6])


class Own(Algorithm):
    """Cross-entropy, averaged over the candidates."""

    def risk(self, z, S, rows):
        return -(z.log_softmax(1) * S).sum(1).div(S.sum(1)).mean()


def test_models_with_code_of_ones_own_are_saved_without_it(digits, tmp_path):
    images, _, sets = digits
    model = PartialLabelClassifier(Own, tiny, max_steps=2, random_state=0)
    model.fit(images, sets)
    save_model(model, tmp_path / "m")
    with pytest.raises(InvalidInput, match=r"algorithm .*:Own, and a file holds no"):
        load_model(tmp_path / "m")
    again = load_model(tmp_path / "m", algorithm=Own, network=tiny)
    np.testing.assert_array_equal(
        again.predict_proba(images), model.predict_proba(images)
    )
    with pytest.raises(DataError, match="do not fit one another"):
        load_model(tmp_path / "m", algorithm=Own, network="small-cnn")


def test_networks_by_name_come_back_from_a_file(digits, tmp_path):
    images, _, sets = digits
    model = PartialLabelClassifier("cc", "resnet-32", max_steps=1, random_state=0)
    save_model(model.fit(images[:40], sets[:40]), tmp_path / "m")
    np.testing.assert_array_equal(
        load_model(tmp_path / "m").predict_proba(images), model.predict_proba(images)
    )


def test_a_device_that_is_not_there_is_one_sentence(digits):
    images, _, sets = digits
    with pytest.raises(InvalidInput, match="cannot be used here") as caught:
        PartialLabelClassifier("cc", device="cuda:77").fit(images, sets)
    assert "\n" not in str(caught.value)


def test_items_without_weight_are_never_learnt_from(digits):
    images, y, sets = digits
    weight = (y > 0).astype(float)
    model = model_of(("proden", "paper"), max_steps=30)
    model.fit(images, sets, sample_weight=weight)
    rows = np.flatnonzero(y == 0)
    # Confidences of what was never seen are those of the start.
    shares = sets[rows] / sets[rows].sum(1, keepdims=True)
    np.testing.assert_allclose(model.algorithm_.W.numpy()[rows], shares, rtol=1e-6)
    with pytest.raises(InvalidInput, match="sample_weight"):
        model.fit(images, sets, sample_weight=-weight)
    with pytest.raises(InvalidInput, match="one weight for each"):
        model.fit(images, sets, sample_weight=weight[1:])
