"""The canonical export: the file that has to be byte-identical however a study ran.

Rows are sorted by key, columns are fixed, floats have their shortest text that
reads back the same, and nothing in it depends on when or where it was made. Trials
give the same bytes on the same kind of machine with the same versions; elsewhere
numbers may differ in their last digits (`caveat diff --tolerance`).
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from caveat._files import write_whole
from caveat.exceptions import InvalidInput
from caveat.study.ledger._records import Records

_OPEN = ["done", "pending", "running"]
_FIRST = ["study", "topic", "dataset", "world", "learner", "params", "repeat"]


def tidy(records: Records) -> pd.DataFrame:
    """One frame of all rows; a trial without a value has one row that says why.

    The column ``digest`` is that of the record; `Records.digest` is the SHA-256 of
    all of them, sorted, one per line.
    """
    trials = records.trials
    ended = trials[~trials["state"].isin(_OPEN)]
    rows = records.rows.assign(state="done", reason="")
    rows["digest"] = rows["key"].astype(object).map(_digests(trials))
    for name in rows.columns[rows.dtypes == "category"]:
        rows[name] = rows[name].astype(object)
    empty = ended[[*_FIRST, "key", "group", "state", "reason", "digest"]]
    frame = pd.concat([rows, empty], ignore_index=True) if len(empty) else rows
    values = sorted(name for name in frame.columns if "." in name)
    order = [
        "key",
        "group",
        *_FIRST,
        "state",
        "reason",
        "config",
        "checkpoint",
        *values,
        "digest",
    ]
    frame = frame[order].sort_values(
        ["key", "config", "checkpoint"], kind="stable", na_position="first"
    )
    return frame.reset_index(drop=True)


def _digests(trials: pd.DataFrame) -> dict[str, str]:
    return dict(zip(trials["key"], trials["digest"], strict=True))


def export(records: Records, path: str | Path, *, excel_safe: bool = False) -> Path:
    """Write the canonical table as CSV or Parquet, by the file's ending.

    Parameters
    ----------
    records : Records
    path : path
        Ends in ``.csv`` or ``.parquet``. Written whole or not at all.
    excel_safe : bool
        Put an apostrophe before cells that a spreadsheet would run as a formula.
    """
    target = Path(path)
    frame = tidy(records)
    if target.suffix == ".csv":
        write_whole(target, _csv(frame, excel_safe=excel_safe))
    elif target.suffix == ".parquet":
        import io

        buffer = io.BytesIO()
        frame.attrs["caveat_digest"] = records.digest
        frame.to_parquet(buffer, index=False)
        write_whole(target, buffer.getvalue())
    else:
        raise InvalidInput(
            f"cannot export to {target.name!r}; the name has to end in .csv or .parquet"
        )
    return target


def _csv(frame: pd.DataFrame, *, excel_safe: bool) -> str:
    if excel_safe:
        frame = frame.map(
            lambda cell: (
                f"'{cell}"
                if isinstance(cell, str)
                and cell[:1] in ("=", "+", "-", "@", "\t", "\r")
                else cell
            )
        )
    config = frame["config"].astype("Int64")
    return frame.assign(config=config).to_csv(index=False, lineterminator="\n")
