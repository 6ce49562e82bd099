"""A fitted model in a file and back: the same answers, and nothing but numbers."""

import numpy as np
import pandas as pd
import pytest

from caveat.candidates import (
    PartialLabelClassifier,
    flip_candidates,
    load_model,
    save_model,
)
from caveat.exceptions import DataError, InvalidInput
from caveat.tables import TableEncoder
from caveat.tables._plain import encoder_from, plain_encoder
from caveat.training import load_tree, save_tree


def mixed(rows=40):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "a": np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows)),
            "b": rng.choice(["x", "y", None], rows),
            "c": rng.integers(0, 3, rows).astype(str),
            "d": rng.random(rows) < 0.5,
        }
    )


@pytest.fixture(scope="module")
def fitted():
    X = mixed()
    y = np.arange(len(X)) % 3
    sets = flip_candidates(y, rate=0.3, random_state=0)
    model = PartialLabelClassifier(
        "cc", hidden=(8, 4), max_steps=20, random_state=0, params=None
    )
    return X, model.fit(X, sets)


def test_a_model_comes_back_with_the_same_answers(fitted, tmp_path):
    X, model = fitted
    save_model(model, tmp_path / "model.caveat")
    again = load_model(tmp_path / "model.caveat")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.get_params() == model.get_params()
    assert again.feature_names_in_.tolist() == list(X.columns)
    # Columns are found by name, also after the journey.
    np.testing.assert_array_equal(again.predict(X[list("dcba")]), model.predict(X))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"categories": "ordinal", "scale_codes": True},
        {"indicator": 0.05, "rare": 0.4, "block_scale": True},
        {"scale": "minmax", "scale_range": (-1.0, 1.0), "impute": "median"},
        {"drop_constant": True, "kinds": {"c": "numerical"}, "max_levels": 1},
    ],
)
def test_every_setting_of_the_encoder_comes_back(settings):
    X = mixed().assign(e=1.0)
    encoder = TableEncoder(**settings).fit(X)
    again = encoder_from(plain_encoder(encoder))
    unseen = mixed(7).assign(b="z", e=np.nan)
    for rows in (X, unseen):
        np.testing.assert_array_equal(again.transform(rows), encoder.transform(rows))
    names = again.get_feature_names_out().tolist()
    assert names == encoder.get_feature_names_out().tolist()
    assert again.get_params() == encoder.get_params()


def test_labels_and_arrays_without_names_come_back(tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 2))
    sets = [{"low", "high"} if x[0] > 1 else {"low" if x[0] < 0 else "high"} for x in X]
    model = PartialLabelClassifier("proden", hidden=(), max_steps=10).fit(X, sets)
    save_model(model, tmp_path / "m")
    again = load_model(tmp_path / "m")
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert not hasattr(again, "feature_names_in_")


def test_what_cannot_be_saved_or_read_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(InvalidInput, match="not fitted"):
        save_model(PartialLabelClassifier(), tmp_path / "m")
    save_tree(tmp_path / "other", {"kind": "something"})
    with pytest.raises(DataError, match="holds no model of candidate labels"):
        load_model(tmp_path / "other")
    (tmp_path / "text").write_text("hello")
    with pytest.raises(DataError, match="no checkpoint of caveat"):
        load_model(tmp_path / "text")
    assert not (tmp_path / "m").exists()


FORGERIES = {
    "another parameter": lambda state: state["parameters"].update(no_such=1),
    "a network of any size": lambda state: state["parameters"].update(hidden=(10**9,)),
    "other inputs": lambda state: state.update(shape=[state["shape"][0] + 1]),
    "an image's shape": lambda state: state.update(shape=[8, 8, 1]),
    "fewer classes": lambda state: state["classes"].pop(),
    "no classes": lambda state: state.update(classes=None),
    "weights by another name": lambda state: state["weights"].update(x=0),
    "no weights": lambda state: state.update(weights={}),
    "no encoder": lambda state: state.update(encoder={}),
    "a column less": lambda state: state["encoder"]["learnt"]["columns_"].pop(),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_model_is_refused_although_its_digest_is_right(
    fitted, tmp_path, forge
):
    file = tmp_path / "model.caveat"
    save_model(fitted[1], file)
    state = load_tree(file)
    forge(state)
    save_tree(file, state)
    with pytest.raises(DataError, match="parts do not fit one another"):
        load_model(file)
