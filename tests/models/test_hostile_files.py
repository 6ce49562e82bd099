"""Files that would end the process, or run code, end in a sentence instead."""

import json
import re
import zipfile
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from caveat.exceptions import DataError, InvalidInput
from caveat.models import load
from caveat.models.files import _load


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    return X, (X["a"] > 0).astype(int)


@pytest.fixture(scope="module")
def light(rows):
    lightgbm = pytest.importorskip("lightgbm")
    X, y = rows
    X = X.assign(c=pd.Categorical(np.where(X["c"] > 0, "x", "y")))
    model = lightgbm.LGBMClassifier(n_estimators=3, verbose=-1, min_child_samples=2)
    return model.fit(X, y).booster_.model_to_string()


def everywhere(text, name, value):
    """Put a number into every place of a field, and keep the sizes right."""

    def swap(found):
        return f"{name}=" + " ".join([value] * len(found.group(1).split()))

    head, _, body = text.partition("Tree=0")
    body = re.sub(rf"{name}=(.*)", swap, "Tree=0" + body)
    trees = re.split(r"(?=Tree=\d+\n)", body.partition("end of trees")[0])[1:]
    sizes = " ".join(str(len(tree)) for tree in trees)
    return re.sub("tree_sizes=.*", f"tree_sizes={sizes}", head) + body


LIGHT = {
    "cut off": lambda text: text[: text.index("Tree=2")],
    "wrong sizes": lambda text: text.replace("tree_sizes=", "tree_sizes=9"),
    "no column": lambda text: everywhere(text, "split_feature", "9999"),
    "no child": lambda text: everywhere(text, "left_child", "7777"),
    "in circles": lambda text: everywhere(text, "left_child", "0"),
    "no leaf": lambda text: everywhere(text, "right_child", "-99"),
    "no number": lambda text: everywhere(text, "num_leaves", "many"),
    "no category": lambda text: everywhere(text, "decision_type", "1"),
}


@pytest.mark.parametrize("kind", LIGHT)
def test_a_hostile_lightgbm_file_is_told(light, tmp_path, kind):
    path = tmp_path / "model.txt"
    path.write_bytes(LIGHT[kind](light).encode())
    with pytest.raises(DataError, match="is damaged") as told:
        load(path)
    assert len(str(told.value).splitlines()) == 1


def test_a_sound_lightgbm_file_is_read(light, rows, tmp_path):
    (tmp_path / "model.txt").write_bytes(light.encode())
    table = rows[0].assign(c=pd.Categorical(["x"] * 60, categories=["x", "y"]))
    assert load(tmp_path / "model.txt").predict(table).shape == (60,)


def with_tree(told, **changes):
    tree = told["learner"]["gradient_booster"]["model"]["trees"][0]
    for name, value in changes.items():
        tree[name] = [value] * len(tree[name])


BOOSTED = {
    "no child": lambda told: with_tree(told, left_children=9999),
    "in circles": lambda told: with_tree(told, left_children=0),
    "no column": lambda told: with_tree(told, split_indices=9999),
    "no list": lambda told: told.update(learner=1),
    "no class": lambda told: told["learner"]["gradient_booster"]["model"].update(
        tree_info=[7, 7]
    ),
}


@pytest.mark.parametrize("kind", BOOSTED)
def test_a_hostile_xgboost_file_is_told(rows, tmp_path, kind):
    xgboost = pytest.importorskip("xgboost")
    path = tmp_path / "model.json"
    xgboost.XGBClassifier(n_estimators=2, n_jobs=1).fit(*rows).save_model(path)
    assert load(path).predict(rows[0]).shape == (60,)
    told = json.loads(path.read_text())
    BOOSTED[kind](told)
    path.write_text(json.dumps(told))
    with pytest.raises(DataError, match="is damaged"):
        load(path)


def test_a_hostile_skops_file_is_told(tmp_path):
    pytest.importorskip("skops", reason="needs the extra formats")
    (tmp_path / "text.skops").write_text("hello")
    with zipfile.ZipFile(tmp_path / "empty.skops", "w") as archive:
        archive.writestr("x", "y")
    with zipfile.ZipFile(tmp_path / "half.skops", "w") as archive:
        archive.writestr("schema.json", "{")
    for path in tmp_path.iterdir():
        with pytest.raises(DataError, match="is damaged"):
            load(path)


def test_types_that_skops_does_not_know_ask_for_trust_in_both_ways(
    tmp_path, monkeypatch
):
    reader = SimpleNamespace(get_untrusted_types=lambda file: ["os.system"])
    monkeypatch.setattr(_load, "library", lambda name, path: reader)
    (path := tmp_path / "model.skops").write_bytes(b"")
    with pytest.raises(InvalidInput, match=r"os\.system.*trust=True \(--trust"):
        load(path)
