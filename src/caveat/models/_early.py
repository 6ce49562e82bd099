"""A fair fight: beside models that stop early, boosting stops early, too.

A network holds rows out and keeps the weights that are best there; boosting by default
grows a fixed number of trees. Side by side, one of them would have been tuned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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


def early_sentence(settings: Mapping[str, Mapping[str, Any]]) -> str:
    """Say which models stop early only because networks do, "" if none.

    Parameters
    ----------
    settings : mapping of name to settings
        As `early_settings` gives them.

    Examples
    --------
    >>> early_sentence({"k-nn": {}, "xgboost": {"validation": 0.2, "n_estimators": 9}})
    'Beside networks, which stop early, xgboost (at most 9 rounds) does so, too, by a
    fifth of the training rows, which it does not learn from.'
    """
    each = []
    for name, given in settings.items():
        # What is no share to hold out is the number of rounds.
        rounds = {**given, "validation": None}.values()
        each += [f"{name} (at most {most:,} rounds)" for most in rounds if most]
    if not each:
        return ""
    *first, last = each
    who = f"{', '.join(first)} and {last}" if first else last
    do, it = ("do", "they do") if len(each) > 1 else ("does", "it does")
    return (
        f"Beside networks, which stop early, {who} {do} so, too, by a fifth of "
        f"the training rows, which {it} not learn from."
    )
