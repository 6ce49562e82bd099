"""A fair fight: beside models that stop early, boosting stops early, too.

A network holds rows out and keeps the weights that are best there; boosting by default
grows a fixed number of trees. Side by side, one of them would have been tuned.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from caveat.models._base import TabularModel
from caveat.models.registry import MODELS


def holds_out(model: Any) -> bool:
    """Whether a model, or one of this name, holds rows out without being asked.

    Examples
    --------
    >>> holds_out("mlp"), holds_out("lightgbm")
    (True, False)
    """
    if isinstance(model, str):
        return model in MODELS and MODELS[model].facts.get("family") == "network"
    return (
        isinstance(model, TabularModel)
        and model.stops_early
        and model.validation is not None
    )


def early_settings(name: str, beside: Iterable[Any]) -> dict[str, Any]:
    """Give the settings with which a model stops as those beside it do.

    Parameters
    ----------
    name : str
        A model of the comparison.
    beside : names or models
        All models of the comparison.

    Returns
    -------
    dict
        Empty if no other model holds rows out, or if this one cannot stop early or does
        so by itself.

    Examples
    --------
    >>> early_settings("lightgbm", ["lightgbm", "mlp"])
    {'validation': 0.2, 'n_estimators': 2000}
    >>> early_settings("lightgbm", ["lightgbm", "k-nn"])
    {}
    """
    if name not in MODELS or not any(map(holds_out, beside)):
        return {}
    return dict(MODELS[name].facts.get("early", {}))


def most_rounds(settings: dict[str, Any]) -> int:
    """Read the most rounds of boosting out of such settings.

    Examples
    --------
    >>> most_rounds({"validation": 0.2, "max_iter": 300})
    300
    """
    (rounds,) = (value for key, value in settings.items() if key != "validation")
    return int(rounds)
