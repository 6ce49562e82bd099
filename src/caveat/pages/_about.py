"""What a look is about: the file, its target and its size; how to make it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from caveat import __version__
from caveat.datasets import positive_class
from caveat.pages._model import Facts, Section, Words
from caveat.pages._numbers import percent, plural
from caveat.pages._prose import Prose, code, prose, say

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
        How the target is shared out: "22 % are yes", "4 classes".
    command : str
        The command that makes the look again; '' if it was made in Python.
    left_out : mapping of column to reason
        Columns of the file that are no features.
    positive : str
        The class called positive, where there are two.
    """

    file: str
    target: str
    task: str
    rows: int
    columns: int
    classes: str = ""
    command: str = ""
    left_out: Mapping[str, str] = field(default_factory=dict)
    positive: str = ""

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        *,
        file: str = "",
        command: str = "",
        positive: str | None = None,
    ) -> About:
        """Read it off a data set; `positive` is the class that was asked for."""
        target = "" if dataset.y is None else str(dataset.y.name)
        if dataset.Y is not None:
            target = f"{dataset.Y.shape[1]} labels"
        rows, columns = dataset.X.shape
        one = ""
        asked = positive is not None and dataset.task == "multiclass"
        if dataset.y is not None and (dataset.task == "binary" or asked):
            one = str(positive_class(dataset.y, positive))
        return cls(
            file or dataset.name,
            target,
            dataset.task,
            rows,
            columns,
            _classes(dataset, one),
            command,
            dataset.left_out,
            one,
        )

    def reading(self) -> list[tuple[str, Words]]:
        """Say how the file was read: what was left out, which class is positive."""
        pairs: list[tuple[str, Words]] = []
        if self.positive:
            words = prose(code(self.positive)) + "; " + code("--positive")
            pairs.append(("Positive class", words + " changes it"))
        if self.left_out:
            listed: Prose = prose("")
            for number, (name, why) in enumerate(self.left_out.items()):
                listed = listed + (", " if number else "") + code(name) + f" ({why})"
            pairs.append(("Columns left out", listed))
        return pairs

    def eyebrow(self, what: str) -> Prose:
        """Say what was looked at: "EAPP of `loans.csv`, target `default`"."""
        words = say("{what} of {file}", what=what, file=code(self.file))
        if self.target:
            words += say(", target {target}", target=code(self.target))
        size = [plural(self.rows, "row"), plural(self.columns, "column")]
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


def _classes(dataset: Dataset, positive: str) -> str:
    """Say how the target is shared out: of two classes, the positive one's share."""
    if dataset.y is None or dataset.task not in ("binary", "multiclass"):
        return ""
    shares = dataset.y.value_counts(normalize=True)
    if not positive:
        return f"{len(shares)} classes"
    share = {str(label): part for label, part in shares.items()}[positive]
    return f"{percent(float(share))} are {positive}"


def again_section(
    about: About, conditions: Words, *, repeatable: bool = True
) -> Section:
    """Say how to make a look again.

    Parameters
    ----------
    about : About
    conditions : Prose, Span or str
        Settings and seed under which the numbers hold.
    repeatable : bool
        False where a clock decided how much was done: then other numbers may come.
    """
    heading = "The same file, command and seed give the same page on the same machine"
    if not repeatable:
        heading = "The clock decided how much was done; more time may change numbers"
    return Section(
        "again",
        "Do it again",
        heading,
        blocks=[
            Facts(
                [
                    ("Conditions", conditions),
                    *about.reading(),
                    ("caveat", __version__),
                ],
                command=about.command,
            )
        ],
    )
