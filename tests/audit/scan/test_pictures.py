"""Folders of pictures: how they were taken, and which stand there twice."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from caveat.audit.scan import scan_pictures
from caveat.exceptions import DataError
from caveat.testing import zoo
from caveat.testing.planted._pictures import CLASSES, write_pictures


@pytest.mark.long
@pytest.mark.thorough
def test_planted_capture_bias_is_named_and_its_twin_is_let_be():
    for case in zoo(["capture"]):
        found = scan_pictures(case.table).findings
        named = {column for one in found for column in one.columns}
        assert case.strength < 1 or set(case.columns) <= named, case.name
        twin = scan_pictures(case.twin).findings
        assert all(one.severity == "note" for one in twin), case.name


@pytest.mark.thorough
def test_copied_pictures_and_a_picture_of_two_classes_are_found(tmp_path):
    folder = tmp_path / "pictures"
    write_pictures(folder, np.random.default_rng(0), 60, "", 0.0)
    first = sorted((folder / CLASSES[0]).iterdir())
    shutil.copy(first[0], folder / CLASSES[0] / "again.jpg")
    shutil.copy(first[1], folder / CLASSES[1] / "torn.jpg")
    kinds = {one.kind for one in scan_pictures(folder).findings}
    assert {"duplicate", "conflict"} <= kinds


def test_a_file_is_no_folder(tmp_path):
    file = tmp_path / "one.txt"
    file.write_text("x")
    with pytest.raises(DataError, match="not a folder"):
        scan_pictures(file)
