"""What a person asks of an audit."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

_ODD = re.compile(r"[^A-Za-z0-9._ -]+")


@dataclass(frozen=True)
class Settings:
    """What a person asks of an audit.

    Attributes
    ----------
    file : str
        CSV or Parquet.
    target : str or None
        Column to predict; the last if None, unless `targets` or `candidates` are given.
    targets : tuple of str
        Several yes-or-no columns to predict together.
    bags : str or None
        Column of groups whose shares of the classes are all that a learner may know.
    candidates : str or None
        Column with a set of candidate labels per row; the target, if named, is then
        the truth.
    groups, time, weights : str or None
        Columns with a role: rows of a group stay together, later rows are judged by
        what was learnt earlier, rows count by their weight.
    positive : str or None
        Class 1; all other classes count as negative.
    test, predictions : str or None
        A file of rows to be judged on; a file of scores to be judged, a column each.
    embeddings : str or None
        For a folder of pictures: a file of numbers that clusters are made of.
    models : tuple of str
        Names of models; a usual set if empty.
    imported : tuple of str
        Models of the user's own: ``module:object``, fitted fold by fold, or files of
        fitted models, judged as they are.
    trust : bool
        Whether modules may be imported and pickles opened, which run code.
    drop, keep : tuple of str
        Columns to leave out; columns not to be set aside.
    kinds : dict of str to str
        Kinds of columns, where detection errs.
    task : str or None
        Binary, multiclass or regression, where detection errs.
    minutes : float
    folds, seed : int
    shuffles : int
        How often labels are shuffled for the null band.
    hide_names : bool
    """

    file: str
    target: str | None = None
    targets: tuple[str, ...] = ()
    bags: str | None = None
    candidates: str | None = None
    groups: str | None = None
    time: str | None = None
    weights: str | None = None
    positive: str | None = None
    test: str | None = None
    predictions: str | None = None
    embeddings: str | None = None
    models: tuple[str, ...] = ()
    imported: tuple[str, ...] = ()
    trust: bool = False
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    kinds: dict[str, str] = field(default_factory=dict)
    task: str | None = None
    minutes: float = 5.0
    folds: int = 5
    seed: int = 0
    shuffles: int = 200
    hide_names: bool = False

    @property
    def addresses(self) -> tuple[str, ...]:
        """Models of the user's own that are imported and fitted here."""
        return tuple(name for name in self.imported if not Path(name).is_file())

    @property
    def model_files(self) -> tuple[str, ...]:
        """Files of fitted models."""
        return tuple(name for name in self.imported if Path(name).is_file())

    @property
    def study_name(self) -> str:
        """Name of the study that the audit runs."""
        stem = _ODD.sub("-", Path(self.file).name.partition(".")[0]).strip("- ._")
        return f"audit-{stem or 'file'}"[:120]
