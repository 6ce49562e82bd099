"""`caveat audit FOLDER`: what tells the class of pictures beside what they show."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from caveat.audit import look
from caveat.audit._embeddings import embedded
from caveat.cli._audit import audit
from caveat.exceptions import InvalidInput
from caveat.testing import zoo


@pytest.fixture(scope="module")
def case():
    cases = zoo(["capture"])  # its folders are there as long as it is
    yield next(one for one in cases if one.strength == 1.0)
    cases.close()


@pytest.mark.thorough
def test_pictures_that_were_taken_otherwise_are_found_first(case):
    found = look(case.table)
    first = found.caveats[0]
    assert first["kind"] == "capture"
    assert first["columns"] == list(case.columns)
    assert first["low"] > 0.5
    assert found.facts["best_column"] == case.columns[0]
    assert found.complete


@pytest.mark.thorough
def test_pictures_of_several_sizes_are_audited_and_their_size_is_found():
    cases = zoo(["capture"])
    found = look(next(one.table for one in cases if "width" in one.name))
    cases.close()
    assert found.caveats[0]["columns"] == ["width"]
    assert "cut and resized to 32 x 32" in str(found.sections[-1])


@pytest.mark.thorough
def test_a_folder_goes_through_the_command(case, tmp_path):
    words = [str(case.table), "--json", "--out", str(tmp_path / "page")]
    done = CliRunner().invoke(audit, [*words, "--fail-on", "capture>0"])
    assert done.exit_code == 1, done.output
    told = json.loads(done.stdout)
    assert told["schema"] == "caveat-audit/1"
    assert told["rules"][0]["outcome"] == "fired"
    assert "How the pictures were taken" in (tmp_path / "page/index.html").read_text()


@pytest.fixture
def named(case):
    return [f"{at.parent.name}/{at.name}" for at in sorted(case.table.glob("*/*"))]


@pytest.mark.thorough
def test_clusters_are_made_of_given_embeddings_whatever_their_order(
    case, named, tmp_path
):
    rng = np.random.default_rng(0)
    is_first = np.array([name.startswith(named[0].split("/")[0]) for name in named])
    made = pd.DataFrame(rng.normal(size=(len(named), 4)) + 6 * is_first[:, None])
    made.columns = [f"u{j}" for j in made]
    order = rng.permutation(len(named))
    made.assign(picture=named).iloc[order].to_csv(tmp_path / "e.csv", index=False)
    np.save(tmp_path / "e.npy", made.to_numpy())
    told = [look(case.table, embeddings=tmp_path / name) for name in ("e.csv", "e.npy")]
    # Two clouds six deviations apart: clusters name the classes without a mistake.
    assert [one.facts["free"] for one in told] == [pytest.approx(1.0)] * 2


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda made: made.iloc[1:], "does not have one row for"),
        (lambda made: made.assign(more="x"), "one column names the pictures"),
        (lambda made: made.assign(u=np.inf), "no finite numbers"),
        (lambda made: made.drop(columns="picture").iloc[1:], "pictures"),
    ],
)
def test_embeddings_that_do_not_fit_are_refused(
    case, named, tmp_path, change, expected
):
    made = pd.DataFrame({"picture": named, "u": 1.0})
    change(made).to_csv(tmp_path / "e.csv", index=False)
    with pytest.raises(InvalidInput, match=expected):
        embedded(case.table, tmp_path / "e.csv")


@pytest.mark.thorough
def test_pictures_of_one_kind_raise_nothing_serious(case):
    found = look(case.twin)
    assert [one for one in found.caveats if one["severity"] == "serious"] == []
