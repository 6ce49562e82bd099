import numpy as np
import pandas as pd
import pytest

from caveat.exceptions import DataError, InvalidInput
from caveat.shift import Mean, Stages, export_shifted
from caveat.shift.scenarios._subsets import unrank


def test_it_writes_training_rows_and_every_shifted_test_set(mixed, tmp_path):
    X, y, X_test, y_test = mixed()
    listed = export_shifted(
        tmp_path / "new" / "folder", X, y, X_test, y_test, target="y"
    )
    folder = tmp_path / "new" / "folder"
    assert sorted(path.name for path in folder.iterdir()) == sorted(listed["file"])
    train = pd.read_csv(folder / "train.csv")
    pd.testing.assert_frame_equal(train, X.assign(y=y), check_dtype=False)
    two = pd.read_csv(folder / "test_2.csv")
    assert len(two) == 6 * len(X_test)
    assert two.columns[:2].tolist() == ["__subset", "__row"]
    third = two[two["__subset"] == 3].drop(columns=["__subset", "__row"])
    mask = unrank([3], 4, 2)[0]
    expected = Mean().fit(X).impute(X_test, X.columns[mask]).assign(y=y_test)
    pd.testing.assert_frame_equal(
        third.reset_index(drop=True), expected.reset_index(drop=True), check_dtype=False
    )


@pytest.mark.parametrize(
    "scenario", ["single", "most", Stages({"a": ["size", "left"]})]
)
def test_other_scenarios_have_a_file_per_step(mixed, tmp_path, scenario):
    listed = export_shifted(tmp_path, *mixed(), scenario=scenario)
    steps = (
        {"single": 5, "most": 5}.get(scenario, 2) if isinstance(scenario, str) else 2
    )
    assert len(listed) == 1 + steps
    assert "__subset" not in pd.read_csv(tmp_path / "test_1.csv").columns


def test_a_file_bears_the_number_of_columns_that_are_gone(mixed, tmp_path):
    listed = export_shifted(tmp_path, *mixed(), scenario="most", degrees=[2])
    assert listed["file"].tolist() == ["train.csv", "test_0.csv", "test_2.csv"]


def test_a_target_whose_name_is_taken_gets_another(tmp_path):
    X = pd.DataFrame({"target": [1.0, 2.0], "b": [0, 1]})
    export_shifted(tmp_path, X, [0, 1], X, [0, 1])
    assert pd.read_csv(tmp_path / "train.csv").columns.tolist() == [
        "target",
        "b",
        "target_",
    ]


def test_a_folder_that_cannot_be_written_is_named(mixed, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(DataError, match="cannot be written"):
        export_shifted(blocked / "folder", *mixed())


def test_nothing_is_left_of_a_file_that_could_not_be_finished(mixed, tmp_path):
    with pytest.raises(InvalidInput):
        export_shifted(tmp_path, *mixed(), imputer="marginalise")
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".part")]


def test_the_same_seed_writes_the_same_bytes(mixed, tmp_path):
    for name in ("a", "b"):
        export_shifted(
            tmp_path / name, *mixed(), imputer="random", max_subsets=2, random_state=3
        )
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
    assert np.isfinite(pd.read_csv(tmp_path / "a" / "test_1.csv")["size"]).all()
