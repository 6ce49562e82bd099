"""RealMLP by its package: silent, finite, trained for loss, and saved as tensors."""

from __future__ import annotations

import zipfile

import numpy as np
import pandas as pd
import pytest

from caveat.exceptions import DataError, InvalidInput
from caveat.models import load, make_model, save

pytest.importorskip("pytabkit", reason="needs the extra realmlp")
torch = pytest.importorskip("torch")


def table(n=60):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "few": rng.choice(list("uv"), n),
            "many": rng.choice([f"l{i}" for i in range(15)], n),
        }
    )
    X.loc[::7, "a"] = np.nan
    return X, np.where(X["a"].fillna(0) + (X["few"] == "u") > 0.5, "yes", "no")


def fitted(X, y, task="binary", **more):
    settings = {"n_epochs": 3, "random_state": 0, **more}
    return make_model("realmlp", task, **settings).fit(X, y)


def test_it_is_silent_and_leaves_generators_and_threads_alone(capfd, recwarn):
    before, threads = torch.get_rng_state(), torch.get_num_threads()
    X, y = table()
    fitted(X, y).predict(X)
    assert capfd.readouterr() == ("", "")
    assert not [one for one in recwarn if "pytabkit" in one.filename]
    assert (torch.get_rng_state() == before).all()
    assert torch.get_num_threads() == threads


TABLES = {
    "one constant column": [1.0] * 24,
    "huge numbers": np.linspace(-1, 1, 24) * 1e300,
    "one huge number": [1e300, *range(23)],
    "less than single precision can tell": [0.0] * 23 + [1e-200],
    "far from zero": 1e12 + np.arange(24) / 1e3,
    "one category": list("uvw") * 8,
}


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_any_column_is_answered_with_finite_numbers(task, tmp_path):
    for case, column in TABLES.items():
        X = pd.DataFrame({"a": column})
        y = np.tile([0.0, 1e200], 12) if task == "regression" else [0, 1] * 12
        model = fitted(X, y, task)
        ask = model.predict if task == "regression" else model.predict_proba
        found = ask(X)
        assert np.isfinite(found).all(), case
        save(model, tmp_path / "model")
        np.testing.assert_array_equal(
            load(tmp_path / "model").predict(X), model.predict(X)
        )


def test_trained_for_loss_it_is_told_what_is_gone(tmp_path):
    X, y = table()
    model = fitted(X, y, mask_rate=0.4)
    told = model.predict_masked(X, ["a", "few"])
    other = X.assign(a=99.0, few="w")
    np.testing.assert_array_equal(told, model.predict_masked(other, ["a", "few"]))
    np.testing.assert_array_equal(model.predict_masked(X, []), model.predict_proba(X))
    assert np.ptp(model.predict_masked(X, list(X.columns))[:, 0]) < 1e-6
    assert not hasattr(make_model("realmlp"), "predict_masked")
    save(model, tmp_path / "model")
    again = load(tmp_path / "model").predict_masked(X, ["a", "few"])
    np.testing.assert_array_equal(again, told)


def test_a_file_holds_tensors_and_text_and_damage_is_told(tmp_path):
    X, y = table()
    save(fitted(X, y), tmp_path / "model")
    with zipfile.ZipFile(tmp_path / "model") as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    assert {name.rpartition(".")[2] for name in parts} == {"json", "npy"}
    parts.pop(next(name for name in parts if "network." in name))
    with zipfile.ZipFile(tmp_path / "less", "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    with pytest.raises(DataError, match="tensors do not fit"):
        load(tmp_path / "less")


def test_what_is_no_tensor_is_not_saved_in_silence(tmp_path):
    X, y = table()
    model = fitted(X, y, options={"tfms": ["quantile"]})
    with pytest.raises(InvalidInput, match="cannot be saved"):
        save(model, tmp_path / "model")
    members = fitted(X, y, options={"n_ens": 2})
    save(members, tmp_path / "model")
    same = load(tmp_path / "model").predict_proba(X)
    np.testing.assert_array_equal(same, members.predict_proba(X))
