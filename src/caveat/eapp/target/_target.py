"""Labels as EAPP sees them: codes, the tasks they make, and where each is read off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


@dataclass(frozen=True)
class Task:
    """One class against the rest.

    Attributes
    ----------
    label : object
        The positive class.
    code : int
        Its number.
    n, n_positive : int
        Number of rows, and of positive ones.
    n_rarest : int or None
        Size of the rarest class, where clusters get the names of all classes at once:
        then all classes are read off at the same place.
    """

    label: Any
    code: int
    n: int
    n_positive: int
    n_rarest: int | None = None

    @property
    def n_min(self) -> int:
        """Size of the smaller class."""
        if self.n_rarest is not None:
            return self.n_rarest
        return min(self.n_positive, self.n - self.n_positive)

    @property
    def k_floor(self) -> int:
        """⌊1/p₀⌋, by whole numbers: p₀ as a float would err at 1/0.1."""
        return self.n // self.n_min

    @property
    def fraction(self) -> float:
        """What 1/p₀ has behind the point."""
        return (self.n % self.n_min) / self.n_min

    @property
    def k_star(self) -> float:
        """1/p₀: as many clusters of the smaller class's size as the rows can fill."""
        return self.n / self.n_min

    @property
    def k_ceil(self) -> int:
        """⌈1/p₀⌉."""
        return self.k_floor + (self.fraction > 0)

    def at_k_star(self, values: NDArray[np.float64], ks: list[int]) -> NDArray:
        """Interpolate values, one for each of `ks` along the last axis, at 1/p₀.

        Examples
        --------
        >>> task = Task(label="yes", code=1, n=5, n_positive=2)
        >>> task.k_star, float(task.at_k_star(np.array([0.6, 0.7]), [2, 3]))
        (2.5, 0.65)
        """
        below = values[..., ks.index(self.k_floor)]
        if self.fraction == 0:
            return below
        above = values[..., ks.index(self.k_ceil)]
        return (1 - self.fraction) * below + self.fraction * above


class NumberTask(Task):
    """A target of numbers: it has no p₀, and is read off at two clusters."""

    @property
    def n_min(self) -> int:
        """All rows: no number is rarer than another."""
        return self.n

    @property
    def k_floor(self) -> int:
        """Two, as for two classes of one size."""
        return 2

    @property
    def fraction(self) -> float:
        """Nothing."""
        return 0.0

    @property
    def k_star(self) -> float:
        """Two."""
        return 2.0


@dataclass(frozen=True)
class Target:
    """All labels of a data set.

    Attributes
    ----------
    classes : ndarray
        Distinct labels, sorted; names of the labels if a row may have many.
    codes : ndarray of uint16 or uint32, shape (n,)
        Index of each row's label in `classes`, or of its set of labels in `members`.
    tasks : list of Task
        One for two classes, else one per class or label.
    members : ndarray of bool, shape (sets, labels), or None
        Which labels are in each set, if a row may have many.
    numbers : ndarray of float, shape (n,), or None
        The target itself, if it is measured.
    joint : bool
        Whether clusters get the names of all classes at once.
    left_out : dict of str to Task
        By reason: labels that cannot be judged, found while reading.
    """

    classes: NDArray
    codes: NDArray[Any]
    tasks: list[Task]
    members: NDArray[np.bool_] | None = None
    numbers: NDArray[np.float64] | None = None
    joint: bool = False
    left_out: Mapping[str, Task] = field(default_factory=dict)

    @property
    def binary(self) -> bool:
        """Whether there is one task only."""
        return len(self.tasks) == 1

    def hits(self, codes: NDArray[Any]) -> NDArray[np.bool_]:
        """Turn codes into one truth value per task, along a new last axis."""
        columns = np.array([task.code for task in self.tasks], np.int64)
        if self.members is None:
            return codes[..., None] == columns
        return self.members[:, columns][codes]

    def positive(self, task: Task, rows: Any = slice(None)) -> NDArray[np.bool_]:
        """Tell which rows are positive in a task."""
        codes = self.codes[rows]
        if self.members is None:
            return codes == task.code
        return self.members[codes, task.code]

    def labels(self) -> Any:
        """Give the labels back in the form in which they can be passed."""
        if self.numbers is not None:
            return self.numbers
        if self.members is None:
            return self.classes[self.codes]
        return pd.DataFrame(self.members[self.codes], columns=self.classes).astype(int)

    def without(self, tasks: list[Task]) -> Target:
        """Leave some tasks out; their rows stay, as part of the rest."""
        kept = [task for task in self.tasks if task not in tasks]
        if self.joint and kept:
            rarest = min(task.n_positive for task in kept)
            kept = [replace(task, n_rarest=rarest) for task in kept]
        return replace(self, tasks=kept)
