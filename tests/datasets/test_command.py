"""The command `caveat data`, as people type it."""

import pytest
from click.testing import CliRunner

from caveat.cli._data import data
from caveat.exceptions import CaveatError

TEXT = "age;income;default\n40;1,5;no\n31;2,5;yes\n22;3,5;no\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "loans.csv"
    path.write_text(TEXT)
    return path


@pytest.fixture
def run(tmp_path):
    def call(*words):
        home = ["--data-home", str(tmp_path / "home")]
        return CliRunner().invoke(data, [*words, *home], catch_exceptions=True)

    return call


@pytest.mark.parametrize("words", [[], ["fetch"], ["import"], ["verify"]])
def test_help_has_an_example(words):
    shown = CliRunner().invoke(data, [*words, "--help"])
    assert shown.exit_code == 0
    assert "Example:  caveat data" in shown.output


def test_a_file_is_imported_verified_and_found_changed(run, file, tmp_path):
    imported = run("import", "loans", str(file), "--target", "default")
    assert imported.exit_code == 0
    assert "loans: binary, 3 rows x 2 columns" in imported.output
    good = run("verify")
    assert (good.exit_code, "good" in good.output) == (0, True)
    (tmp_path / "home" / "loans" / "loans.csv").write_text(TEXT + "1;2,5;no\n")
    changed = run("verify", "loans")
    assert (changed.exit_code, "CHANGED" in changed.output) == (1, True)


def test_any_option_of_reading_can_be_passed(run, file):
    done = run(
        "import", "loans", str(file), "--option", 'kinds={"age": "categorical"}',
        "--option", "target=default", "--drop", "income",
    )  # fmt: skip
    assert done.exit_code == 0
    assert "3 rows x 1 columns" in done.output


@pytest.mark.parametrize(
    "words",
    [
        ["fetch", "irsi"],
        ["fetch", "../x"],
        ["fetch", "lost"],
        ["import", "loans", "nowhere.csv"],
        ["import", "iris", "FILE"],
        ["import", "loans", "FILE", "--option", "nonsense"],
        ["import", "loans", "FILE", "--option", "no-such=1"],
        ["verify", "no-such"],
    ],
)
def test_mistakes_are_errors_of_ours(run, file, words):
    done = run(*[str(file) if word == "FILE" else word for word in words])
    assert isinstance(done.exception, CaveatError)


def test_fetching_what_is_embedded_says_so(run):
    assert "iris: multiclass" in run("fetch", "iris").output


def test_an_empty_folder_has_nothing_to_verify(run):
    done = run("verify")
    assert (done.exit_code, "no data sets in" in done.output) == (0, True)


def test_a_data_set_that_is_missing_fails_verification(run):
    assert run("verify", "lost").exit_code == 1


def test_a_study_file_names_what_to_fetch(run, file, tmp_path):
    study = tmp_path / "small.yaml"
    data = "[iris, wine, iris, {file: loans.csv, target: default}]"
    text = f"study: small\ntopic: supervised\ndatasets: {data}\nlearners: [dummy]\n"
    study.write_text(text)
    done = run("fetch", str(study))
    assert done.exit_code == 0
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["iris", "wine"]
    assert "loans.csv: a file of yours, nothing to fetch" in done.stderr
