"""Which columns drive it, how coarse a bias must be, and the picture."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

from caveat.eapp import EAPP, bias_probe
from caveat.eapp._drivers import blocks_of
from caveat.eapp._plot import PALETTE
from caveat.exceptions import CaveatError

QUICK = {"folds": 2, "k_max": 3, "shuffles": 0, "random_state": 0}


@pytest.fixture(scope="module")
def table():
    """A wide signal in `wide`, a level that tells a little, and noise."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    frame = pd.DataFrame(rng.normal(size=(120, 3)), columns=["a", "b", "wide"])
    frame["wide"] += 4 * y
    frame["level"] = np.where(rng.random(120) < 0.2 + 0.6 * y, "x", "z")
    frame.loc[::7, "b"] = np.nan
    return frame, y


@pytest.fixture(scope="module")
def fitted(table):
    return EAPP(**QUICK).fit(*table)


@pytest.mark.parametrize(
    ("method", "number"),
    [("permute", "drop"), ("single", "value"), ("loading", "share")],
)
def test_every_method_finds_the_column_that_carries_it(method, number, fitted):
    found = fitted.drivers(method, random_state=0)
    assert list(found.columns) == ["column", number]
    assert sorted(found["column"]) == ["a", "b", "level", "wide"]
    assert "wide" in found["column"][:2].tolist()
    assert found[number].is_monotonic_decreasing


def test_permuting_everything_that_matters_costs_what_was_above_chance(fitted):
    found = fitted.drivers("permute", random_state=0).set_index("column")["drop"]
    assert found["wide"] > 0.15
    assert abs(found["a"]) < 0.1


def test_loadings_are_shares_of_the_step_between_the_two_names():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 2)) + np.outer(y, [3, 1])
    rows = rng.permutation(80)
    model = EAPP(**{**QUICK, "folds": [(rows[:50], rows[50:])], "k_max": 2}).fit(X, y)
    share = model.drivers("loading").set_index("column")["share"]
    # With as many components as columns, the step is that of the standardised columns.
    train = X[rows[:50]]
    scaled = (train - train.mean(axis=0)) / train.std(axis=0)
    latent = model._folds[0].representations[2].transform(scaled)
    near = np.linalg.norm(latent[:, None] - model.clusters_[0][2], axis=2).argmin(
        axis=1
    )
    step = scaled[near == 0].mean(axis=0) - scaled[near == 1].mean(axis=0)
    expected = step**2 / (step**2).sum()
    assert [share["x0"], share["x1"]] == pytest.approx(expected, abs=1e-3)


def test_encoded_columns_belong_to_one_column_each(fitted):
    fold = fitted._folds[0]
    blocks = dict(blocks_of(fold.encoder, fitted._data))
    places = np.concatenate(list(blocks.values()))
    width = len(fold.encoder.encoder.get_feature_names_out())
    assert sorted(places) == list(range(width))
    assert len(blocks["b"]) == 2
    assert len(blocks["level"]) == 2


@pytest.mark.thorough
def test_a_narrow_bias_is_seen_by_the_single_columns_only():
    rng = np.random.default_rng(1)
    y = rng.permutation(np.repeat([0, 1], 100))
    X = rng.normal(size=(200, 8)) @ np.diag([3, 3, 3, 3, 3, 3, 3, 1.0])
    X[:, :7] += 2 * rng.normal(size=(200, 1))
    X[:, 7] += 3 * y
    found = EAPP(**QUICK).fit(X, y)
    assert found.value_ < 0.65
    single = found.drivers("single", random_state=0)
    assert (single["column"][0], round(single["value"][0], 1)) == ("x7", 1.0)


def test_images_are_asked_patch_by_patch():
    digits = load_digits()
    kept = np.flatnonzero(np.isin(digits.target, [0, 1]))[:100]
    model = EAPP(**QUICK).fit(digits.images[kept], digits.target[kept])
    found = model.drivers("permute", repeats=1, random_state=0)
    assert len(found) == 64
    assert found["column"].str.startswith("patch ").all()
    shares = model.drivers("loading")
    assert shares["share"].sum() == pytest.approx(1)


def test_several_classes_share_their_drivers():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    X = rng.normal(size=(120, 3))
    X[:, 1] += 5 * y
    found = EAPP(**QUICK).fit(X, y)
    assert found.drivers("permute", random_state=0)["column"][0] == "x1"
    assert found.drivers("loading")["column"][0] == "x1"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "permut"}, "did you mean 'permute'"),
        ({"repeats": 0}, "repeats: found 0"),
        ({"method": "loading"}, "reads principal components"),
    ],
)
def test_bad_questions_are_refused(options, words, table):
    model = EAPP(**QUICK, representation="none").fit(*table)
    with pytest.raises(CaveatError, match=words):
        model.drivers(**options)


def test_what_has_no_value_has_no_drivers():
    coarse = np.arange(60)[:, None] % 2
    with pytest.warns(UserWarning, match="k = 3 has no value"):
        model = EAPP(**QUICK).fit(coarse, np.repeat([0, 1], [36, 24]))
    with pytest.raises(CaveatError, match="no value at 1/p0 for 'permute'"):
        model.drivers()
    # A column of two values is two clusters, and these tell nothing.
    assert model.drivers("single")["value"].between(0.3, 0.6).all()


@pytest.mark.thorough
def test_the_probe_finds_a_shift_once_it_is_large_enough():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(160, 5)), columns=list("abcde"))
    frame["text"] = "t"
    settings = {"folds": 2, "k_max": 2, "shuffles": 39, "random_state": 0}
    labels = np.repeat(["no", "yes"], 80)
    found = bias_probe(frame, labels, s=[0, 0.5, 2], **settings)
    assert list(found["s"]) == [0, 0.5, 2]
    assert found["eapp"].iloc[-1] > 0.97
    assert found.attrs["threshold"] in (0.5, 2.0)
    narrow = bias_probe(frame, labels, s=[1], columns=["a"], **settings)
    assert narrow["eapp"][0] < found["eapp"].iloc[-1]
    assert np.isnan(narrow.attrs["threshold"])


def test_the_probe_brightens_images_of_one_class():
    rng = np.random.default_rng(0)
    images = rng.integers(0, 200, (60, 6, 6)).astype(np.uint8)
    settings = {"folds": 2, "k_max": 2, "shuffles": 9, "random_state": 0}
    labels = np.repeat([0, 1], 30)
    pixel, mean = (
        bias_probe(images, labels, s=[2], unit=unit, randomize_labels=True, **settings)
        for unit in ("pixel", "image_mean")
    )
    assert pixel["eapp"][0] == 1.0
    assert mean["eapp"][0] < 1.0


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        (np.ones((9, 2)), {"unit": "pixel"}, "is for images"),
        (np.ones((9, 2, 2)), {"unit": "column"}, "is for tables"),
        (np.ones((9, 2, 2)), {"columns": ["a"]}, "images have none"),
        (np.ones((9, 2)), {"unit": "inch"}, "no unit is called"),
        (np.ones((9, 2)), {"s": []}, "pass a list of numbers"),
        (np.ones((9, 2)), {"columns": ["x7"]}, "no column is called 'x7'"),
        (pd.DataFrame({"t": ["a"] * 9}), {"columns": ["t"]}, "only numbers"),
        (pd.DataFrame({"t": ["a"] * 9}), {}, "no numerical column"),
        (np.ones((9, 2)), {}, "choose it by pos_label"),
    ],
)
def test_bad_probes_are_refused(rows, options, words):
    with pytest.raises(CaveatError, match=words):
        bias_probe(rows, np.arange(9) % 3, **options)


def test_the_picture_holds_what_the_curve_holds(table):
    model = EAPP(**{**QUICK, "shuffles": 5}).fit(*table)
    axes = model.plot()
    lines = {line.get_color(): line for line in axes.get_lines()}
    np.testing.assert_array_equal(
        lines[PALETTE["faint"]].get_ydata(), model.curve_["null_mean"]
    )
    words = {text.get_text() for text in axes.texts}
    assert {"honest", "as published: optimistic", "AUC, held-out rows"} <= words
    assert f"EAPP {model.value_:.3f}" in axes.get_title(loc="left")
    assert axes.get_ylim()[0] <= 0.5


def test_the_picture_fits_where_it_is_put(table):
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    model = EAPP(**QUICK, selection="train").fit(*table)
    drawn = model.plot(axes, palette={"earned": "#123456"}, title=False)
    assert drawn is axes
    assert "#123456" in {line.get_color() for line in axes.get_lines()}
    assert axes.get_title(loc="left") == ""
    published = EAPP(**{**QUICK, "selection": "test"}).fit(*table)
    assert len(published.plot().get_lines()) >= 2
