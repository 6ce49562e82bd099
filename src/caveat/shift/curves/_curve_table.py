"""What `shift_curve` returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from caveat.exceptions import UnknownName
from caveat.shift.curves._gaps import Z95, degradation_area, retained

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class ShiftCurve:
    """How a model decays while columns vanish.

    Attributes
    ----------
    table : DataFrame
        One row per number of missing columns and measure; the first is the closed
        environment. Columns: `k`, `degree` (share of columns), `measure`, `value`,
        `sd` (over subsets), `se` (of their mean), `n_subsets`, `n_possible`, `gap`
        (relative change), and `column` or `stage` where rows are about one.
    scenario, imputer : str
        `imputer` is "told which columns are gone" for a model with `predict_masked`.
    columns : list of str
        The columns that may vanish.
    importance : Series or None
        What ordered the columns, if they were ordered.
    larger_is_better : dict of str to bool
        Per measure.
    masks : list of str
        Per step: which columns are gone, one bit each, where it is one mask; else ''.
    seed : int
        Seed of subsets and draws; pass it as `random_state` to get them again.
    fast : bool
        Whether trees were walked through directly.
    rows_masked, rows_asked : int
        Masked test rows, and how many of them the model had to be asked.
    notes : list of str
        What was left out, imputed or found odd, in sentences.
    """

    table: pd.DataFrame
    scenario: str
    imputer: str
    columns: Sequence[str]
    importance: pd.Series | None
    larger_is_better: Mapping[str, bool]
    masks: Sequence[str]
    seed: int
    fast: bool
    rows_masked: int
    rows_asked: int
    notes: Sequence[str] = field(default_factory=list)

    @property
    def measures(self) -> list[str]:
        """Names of the measures, the first is the main one."""
        return list(self.larger_is_better)

    def of(self, measure: str | None = None) -> pd.DataFrame:
        """Return the rows of one measure, with a 95 % interval: `low`, `high`.

        The interval is about which subsets were drawn; its width is 0 where all were.
        """
        name = self._measure(measure)
        rows = self.table[self.table["measure"] == name].reset_index(drop=True)
        half = Z95 * rows["se"]
        return rows.assign(low=rows["value"] - half, high=rows["value"] + half)

    def area(self, measure: str | None = None, *, relative: bool = False) -> float:
        """Return the area under the curve: the mean measure over degrees.

        Parameters
        ----------
        measure : str, optional
            The main one if not given.
        relative : bool, default=False
            Divide by the value of the closed environment.
        """
        rows = self.of(measure)
        # Of several rows of one degree (single, stages) the mean counts.
        means = rows.groupby("degree")["value"].mean()
        summary = retained if relative else degradation_area
        return summary(means.index.to_numpy(), means.to_numpy())

    def tidy(self, **labels: Any) -> pd.DataFrame:
        """Return the table with what it is about in front: scenario, imputer, mask.

        Where columns were ordered, `importance` is the sum over what is gone, without
        signs.

        Parameters
        ----------
        **labels
            Further columns, such as ``dataset="heart", model="lightgbm", split=42``.
        """
        front = {**labels, "scenario": self.scenario, "imputation": self.imputer}
        table = self.table.copy()
        for place, (name, value) in enumerate(front.items()):
            table.insert(place, name, value)
        table["mask"] = [mask for mask in self.masks for _ in self.measures]
        if self.importance is not None:
            # Columns of an array are numbers there, and names here.
            by_name = self.importance.abs().rename(index=str)
            sizes = by_name[list(self.columns)].to_numpy()
            gone = [
                sum(size for bit, size in zip(mask, sizes, strict=False) if bit == "1")
                for mask in self.masks
            ]
            table["importance"] = [float(one) for one in gone for _ in self.measures]
        return table

    def plot(self, measure: str | None = None) -> Axes:
        """Draw the curve, or a dot for each column or stage, as pages do.

        Parameters
        ----------
        measure : str, optional
            The main one if not given.

        Returns
        -------
        matplotlib Axes
            Its ``figure`` can be saved.
        """
        from caveat.shift.curves._plot import draw

        return draw(self, self._measure(measure))

    def _measure(self, measure: str | None) -> str:
        if measure is None:
            return self.measures[0]
        if measure not in self.measures:
            raise UnknownName.among("measure of this curve", measure, self.measures)
        return measure
