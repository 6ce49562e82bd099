"""One text for one value: the canonical JSON behind keys, records and exports."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical(value: Any) -> str:
    """Write a JSON value in its one canonical form.

    Keys are sorted, there are no blanks, floats have their shortest text that
    reads back the same, and NaN or infinity are refused.

    Examples
    --------
    >>> canonical({"b": 0.1, "a": [1, None]})
    '{"a":[1,null],"b":0.1}'
    """
    return json.dumps(
        value,
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
        allow_nan=False,
    )


def digest(value: Any) -> str:
    """SHA-256 of the canonical form, as 64 hexadecimal digits.

    Examples
    --------
    >>> digest({"a": 1})[:12]
    '015abd7f5cc5'
    """
    # A name may hold a lone surrogate; it still needs one fixed byte form.
    text = canonical(value).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()


def plain(value: Any) -> Any:
    """Turn numpy scalars, tuples and mappings into plain JSON values.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"a": np.float64(0.5), "b": (1, np.int8(2))})
    {'a': 0.5, 'b': [1, 2]}
    """
    if isinstance(value, bool) or value is None or type(value) in (str, int, float):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if hasattr(value, "items"):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    raise TypeError(f"{type(value).__name__} has no place in a record")
