"""What study files write, and the digest that stands for it in a trial key."""

import subprocess
import sys

import pytest

from caveat.datasets import (
    READ_OPTIONS,
    check_reference,
    describe,
    fingerprint,
    read,
    resolve,
)
from caveat.exceptions import DataError, InvalidInput, UnknownName

TEXT = "a,b,t\n1,2,x\n3,4,y\n5,6,x\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text(TEXT)
    return path


def test_a_file_is_read_by_its_options(file):
    dataset = resolve({"file": str(file), "target": "t", "drop": ["b"]})
    assert list(dataset.X.columns) == ["a"]


def test_options_of_references_are_those_of_read():
    import inspect

    parameters = list(inspect.signature(read).parameters)
    assert sorted(READ_OPTIONS) == sorted(parameters[1:])


def test_a_file_is_described_by_reading_it(file):
    facts = describe({"file": str(file), "target": "t"})
    assert (facts["task"], facts["rows"], facts["columns"]) == ("binary", 3, 2)


def test_the_fingerprint_ignores_where_a_file_lies_and_what_it_is_called(
    file, tmp_path
):
    other = tmp_path / "elsewhere.csv"
    other.write_text(TEXT)
    assert fingerprint({"file": str(file), "target": "t"}) == fingerprint(
        {"file": str(other), "target": "t", "name": "other"}
    )


def test_the_fingerprint_changes_with_bytes_and_with_options(file):
    digests = {fingerprint({"file": str(file), "target": "t"})}
    digests.add(fingerprint({"file": str(file), "target": "a"}))
    digests.add(fingerprint({"file": str(file), "target": "t", "drop": ["a"]}))
    file.write_text(TEXT.replace("5", "7"))
    digests.add(fingerprint({"file": str(file), "target": "t"}))
    assert len(digests) == 4


def test_the_companion_of_a_file_counts(tmp_path):
    (tmp_path / "m.arff").write_text(
        "@relation m\n@attribute x real\n@attribute l {0,1}\n@data\n1,0\n2,1\n"
    )
    before = fingerprint({"file": str(tmp_path / "m.arff")})
    (tmp_path / "m.xml").write_text('<labels><label name="l"/></labels>')
    assert fingerprint({"file": str(tmp_path / "m.arff")}) != before


def test_a_folder_counts_with_names_and_bytes(tmp_path):
    (tmp_path / "p" / "cat").mkdir(parents=True)
    (tmp_path / "p" / "cat" / "1.png").write_bytes(b"1")
    before = fingerprint({"file": str(tmp_path / "p")})
    (tmp_path / "p" / "cat" / "1.png").rename(tmp_path / "p" / "cat" / "2.png")
    assert fingerprint({"file": str(tmp_path / "p")}) != before


@pytest.mark.thorough
def test_fingerprints_are_the_same_in_another_process():
    code = (
        "from caveat.datasets import fingerprint as f; print(f('lending'), f('heart'))"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
        ).stdout
        for seed in ("1", "2")
    }
    assert runs == {f"{fingerprint('lending')} {fingerprint('heart')}\n"}


@pytest.mark.parametrize(
    ("reference", "error", "words"),
    [
        ("irsi", UnknownName, "iris"),
        (17, InvalidInput, "17"),
        ({}, InvalidInput, "file"),
        ({"file": 3}, InvalidInput, "file"),
        ({"file": "nowhere.csv", "traget": "t"}, UnknownName, "did you mean 'target'"),
        ({"file": "nowhere.csv"}, DataError, "nowhere.csv"),
    ],
)
def test_references_that_cannot_be_meant_are_refused(reference, error, words):
    with pytest.raises(error, match=words):
        check_reference(reference)


def test_an_ending_that_says_nothing_asks_for_the_format(tmp_path):
    (tmp_path / "table.xyz").write_text(TEXT)
    with pytest.raises(InvalidInput, match="format="):
        check_reference({"file": str(tmp_path / "table.xyz")})


def test_options_that_json_cannot_hold_are_refused(file):
    with pytest.raises(InvalidInput, match="plain text"):
        fingerprint({"file": str(file), "target": object()})
