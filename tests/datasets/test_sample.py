"""A sample of a large file is the same rows, whichever way the file is read."""

import gzip

import numpy as np
import pandas as pd
import pytest

from caveat.datasets import _sample, read
from caveat.exceptions import InvalidInput


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "number": range(1000),
            "text": [f'line\n{i}, "quoted"' for i in range(1000)],
            "label": rng.choice(["no", "yes"], 1000),
        }
    )


@pytest.fixture
def in_blocks(monkeypatch):
    monkeypatch.setattr(_sample, "LARGE_BYTES", 1)
    monkeypatch.setattr(_sample, "_BLOCK", 777)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_a_sample_in_blocks_is_the_sample_of_the_whole(
    tmp_path, table, monkeypatch, ending
):
    path = tmp_path / f"table.{ending}"
    write = {
        "csv": lambda: table.to_csv(path, index=False, lineterminator="\r\n"),
        "csv.gz": lambda: path.write_bytes(
            gzip.compress(table.to_csv(index=False).encode())
        ),
        "parquet": lambda: table.to_parquet(path),
    }
    write[ending]()
    whole = read(path, target="label", sample=50, sample_seed=3)
    monkeypatch.setattr(_sample, "LARGE_BYTES", 1)
    monkeypatch.setattr(_sample, "_BLOCK", 777)
    blocks = read(path, target="label", sample=50, sample_seed=3)
    pd.testing.assert_frame_equal(whole.X, blocks.X, check_dtype=False)
    assert blocks.y.tolist() == whole.y.tolist()
    assert "50 of 1,000 rows were read, at random" in blocks.notes
    # Rows stay whole: the text of a row still names its number.
    names = blocks.X["text"].str.extract(r"(\d+)")[0].astype(int)
    assert names.tolist() == blocks.X["number"].tolist()


def test_fewer_rows_than_asked_for_are_all_read(tmp_path, table, in_blocks):
    table.to_csv(tmp_path / "t.csv", index=False)
    found = read(tmp_path / "t.csv", target="label", sample=5000)
    assert len(found) == 1000
    assert not any("at random" in note for note in found.notes)


def test_a_file_without_a_last_line_break_keeps_its_last_row(tmp_path, in_blocks):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "\n".join(f"{i},{i % 2}" for i in range(9)))
    rows = [read(path, target="y", sample=8, sample_seed=s).X["a"] for s in range(9)]
    assert any(8 in set(found) for found in rows)


@pytest.mark.parametrize("rows", [0, 1.5, True, "ten"])
def test_a_sample_that_cannot_be_meant_is_refused(tmp_path, table, rows):
    table.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(InvalidInput, match="sample is"):
        read(tmp_path / "t.csv", target="label", sample=rows)
