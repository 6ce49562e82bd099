"""What gradient boosting is told, whichever library grows the trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from caveat.models._base import CODES, TabularModel
from caveat.models._targets import TargetScale

_LOSSES = {"app", "application", "base_score", "loss", "loss_function", "objective"}


@dataclass(eq=False, repr=False)
class Boosted(TabularModel):
    """Base of the boosting libraries; a subclass adds its own settings.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    class_weight : "balanced", mapping of label to weight, or None
        How much the rows of each class count.
    validation : float or None
        Share of rows held out to stop early where `fit` is not told; None grows all
        trees.
    patience : int
        Stop after so many rounds that are no better on the validation rows.
    mask_rate : float
        Share of further training rows that lose columns: training for loss.
    options : mapping or None
        Further keywords for the library's estimator. A regression learns numbers in
        standard deviations from their mean, unless the loss is one of yours.
    kinds : mapping of column to kind, or None
    random_state : int, RandomState instance or None
    """

    task: str = "classification"
    _: KW_ONLY
    class_weight: str | Mapping[Any, float] | None = None
    validation: float | None = None
    patience: int = 50
    mask_rate: float = 0.0
    options: Mapping[str, Any] | None = None
    kinds: Mapping[str, str] | None = None
    random_state: Any = None

    encoding: ClassVar[Mapping[str, Any]] = CODES
    stops_early: ClassVar[bool] = True
    scales_target: ClassVar[bool] = True

    def _scale(self, target: NDArray[Any]) -> TargetScale:
        # A loss of the user's own, such as Poisson's, means numbers in their own unit.
        if _LOSSES.intersection(self.options or {}):
            return TargetScale()
        return super()._scale(target)
