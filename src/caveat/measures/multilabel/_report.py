"""The result of `evaluate`: a dict of values that remembers its conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from caveat.measures.registry import LABEL_MEASURES

if TYPE_CHECKING:
    import pandas as pd


class MultiLabelReport(dict[str, float]):
    """Values by measure name, with what one must know to read them.

    Attributes
    ----------
    ties, degenerate : str
        The conventions that were used.
    zero_division : float or 'skip'
        What 0/0 counted as in an F-measure.
    tie_share : float
        Largest of the shares of tied pairs in `tie_shares`; 0 without ties.
    tie_shares : dict
        Tied pairs of a relevant and an irrelevant entry, as a share of all such
        pairs: within ``rows``, within ``labels``, in the whole ``matrix``.
    alt : dict of dict
        The score measures under every tie rule: ``alt["half"]["macro_auc"]``.
    n_valid_rows, n_valid_labels : int
        Rows and labels that have both classes.
    n_valid : dict
        How many rows or labels entered each mean.
    n_zero_division : dict
        How many terms of an F-measure were 0/0.
    best : dict
        The best value that any prediction could reach on this truth.
    macro_f1_attainable : float
        Share of labels with a positive: the best macro-F1 if 0/0 counts as 0.
    few_values : bool
        Whether the scores take two values or one: decisions used as scores.

    Examples
    --------
    >>> from caveat.multilabel import evaluate
    >>> result = evaluate([[1, 0], [0, 1]], [[0.9, 0.2], [0.6, 0.4]])
    >>> result["ranking_loss"], result.n_valid_rows, result.tie_share
    (0.5, 2, 0.0)
    >>> result.to_frame().loc["coverage", ["value", "best", "excess"]].tolist()
    [0.5, 0.0, 0.5]
    """

    ties: str
    degenerate: str
    zero_division: float | str
    tie_share: float
    tie_shares: dict[str, float]
    alt: dict[str, dict[str, float]]
    n_valid_rows: int
    n_valid_labels: int
    n_valid: dict[str, int]
    n_zero_division: dict[str, int]
    best: dict[str, float]
    macro_f1_attainable: float
    few_values: bool

    def __init__(self, values: dict[str, float], **facts: Any) -> None:
        super().__init__(values)
        self.__dict__.update(facts)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per measure.

        Returns
        -------
        DataFrame indexed by measure, with the columns ``value``, ``direction``,
        ``best`` (attainable on this truth), ``excess`` (distance from it),
        ``half`` (the value with ties at one half), ``n_valid``, ``served_by``
        and ``threshold``.
        """
        import pandas as pd

        half = self.alt.get("half", {})
        return pd.DataFrame(
            [
                {
                    "measure": name,
                    "value": value,
                    "direction": LABEL_MEASURES[name].direction,
                    "best": self.best[name],
                    "excess": abs(value - self.best[name]),
                    "half": half.get(name, value),
                    "n_valid": self.n_valid[name],
                    "served_by": ", ".join(LABEL_MEASURES[name].served_by),
                    "threshold": LABEL_MEASURES[name].threshold,
                }
                for name, value in self.items()
            ]
        ).set_index("measure")
