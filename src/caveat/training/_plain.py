"""Trees of plain values as JSON, with nothing lost: tuples, keys, infinities."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from caveat.exceptions import InvalidInput


def _refused(node: Any) -> Any:
    raise InvalidInput(
        f"a {type(node).__name__} cannot be stored; use numbers, text, lists, tuples "
        "and dicts"
    )


def to_json(node: Any, leaf: Callable[[Any], Any] = _refused) -> Any:
    """Turn a tree into what JSON can hold.

    Parameters
    ----------
    node : nested dicts, lists and tuples of numbers, text, bools and None
    leaf : callable
        Says what becomes of anything else: ``{"$": kind, "of": ...}``. Without it,
        anything else is refused.

    Examples
    --------
    >>> to_json({1: (2.0, None)})
    {'$': 'dict', 'of': [[1, {'$': 'tuple', 'of': [2.0, None]}]]}
    """
    if node is None or isinstance(node, bool | int | str):
        return node
    if isinstance(node, float):
        return node if math.isfinite(node) else {"$": "float", "of": repr(node)}
    if isinstance(node, list):
        return [to_json(item, leaf) for item in node]
    if isinstance(node, tuple):
        return {"$": "tuple", "of": [to_json(item, leaf) for item in node]}
    if isinstance(node, dict):
        # As pairs: JSON would turn the keys 0, 1, ... of an optimiser into text.
        pairs = [[to_json(k, leaf), to_json(v, leaf)] for k, v in node.items()]
        return {"$": "dict", "of": pairs}
    return leaf(node)


def from_json(
    node: Any, leaves: Mapping[str, Callable[[Any], Any]] | None = None
) -> Any:
    """Build the tree again that `to_json` wrote.

    Parameters
    ----------
    node : what JSON gave
    leaves : mapping of kind to callable, optional
        What becomes of the leaves that `to_json` was told about.

    Examples
    --------
    >>> from_json(to_json({1: (2.0, None)}))
    {1: (2.0, None)}
    """
    if isinstance(node, list):
        return [from_json(item, leaves) for item in node]
    if not isinstance(node, dict):
        return node
    kind, of = node["$"], node["of"]
    if kind == "float":
        return float(of)
    if kind == "tuple":
        return tuple(from_json(item, leaves) for item in of)
    if kind == "dict":
        return {from_json(k, leaves): from_json(v, leaves) for k, v in of}
    if leaves and kind in leaves:
        return leaves[kind](of)
    raise ValueError(f"unknown part {kind!r}")
