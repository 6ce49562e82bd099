"""What a look is about: the file, its target and its size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caveat.pages._numbers import count, percent
from caveat.pages._prose import Prose, code, say

if TYPE_CHECKING:
    from caveat.datasets import Dataset


@dataclass(frozen=True)
class About:
    """Where the numbers of a look come from.

    Attributes
    ----------
    file : str
        Name of the file, or of the data set.
    target : str
        The column that is predicted, or how many labels there are.
    task : str
    rows, columns : int
    classes : str
        How the target is shared out: "22 % yes", "4 classes".
    command : str
        The command that makes the look again; '' if it was made in Python.
    """

    file: str
    target: str
    task: str
    rows: int
    columns: int
    classes: str = ""
    command: str = ""

    @classmethod
    def of(cls, dataset: Dataset, *, file: str = "", command: str = "") -> About:
        """Read it off a data set."""
        target = "" if dataset.y is None else str(dataset.y.name)
        if dataset.Y is not None:
            target = f"{dataset.Y.shape[1]} labels"
        rows, columns = dataset.X.shape
        named, classes = file or dataset.name, _classes(dataset)
        return cls(named, target, dataset.task, rows, columns, classes, command)

    def eyebrow(self, what: str) -> Prose:
        """Say what was looked at: "EAPP of `loans.csv`, target `default`"."""
        words = say("{what} of {file}", what=what, file=code(self.file))
        if self.target:
            words += say(", target {target}", target=code(self.target))
        size = [f"{count(self.rows)} rows", f"{count(self.columns)} columns"]
        return words + ": " + ", ".join([*size, *filter(None, [self.classes])])

    def facts(self) -> dict[str, Any]:
        """Give the keys that every look's JSON begins with."""
        return {
            "file": self.file,
            "target": self.target or None,
            "task": self.task,
            "rows": self.rows,
            "columns": self.columns,
        }


def _classes(dataset: Dataset) -> str:
    """Say how the target is shared out, the rarer of two classes by its share."""
    if dataset.y is None or dataset.task not in ("binary", "multiclass"):
        return ""
    shares = dataset.y.value_counts(normalize=True)
    if len(shares) > 2:
        return f"{len(shares)} classes"
    return f"{percent(float(shares.iloc[-1]))} {shares.index[-1]}"
