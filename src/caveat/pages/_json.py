"""A Look as JSON: one object of one shape, whatever the topic (`look.schema.json`)."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from caveat import __version__
from caveat.pages.claims import count_claims

if TYPE_CHECKING:
    from caveat.pages._look import Look

_ABOUT = ("file", "target", "task", "rows", "columns")
_SCORE = (
    *("measure", "score", "low", "high", "floor", "free", "best_column"),
    *("p_value", "worst_loss"),
)


def to_json(look: Look, page: str | None = None) -> str:
    """Write a look as one JSON object; what is not known is null."""
    counts = count_claims(look.claims)
    found = {
        "schema": f"caveat-{look.topic}/1",
        "caveat": __version__,
        **{name: look.facts.get(name) for name in _ABOUT},
        "title": look.title,
        "page": page,
        "complete": look.complete,
        "unfinished": look.unfinished,
        **{name: look.facts.get(name) for name in _SCORE},
        **{name: counts[name] for name in ("serious", "careful", "notes")},
        "caveats": look.caveats,
        "rules": [asdict(outcome) for outcome in look.outcomes],
        **look.extra,
    }
    return json.dumps(plain(found), indent=2, allow_nan=False, ensure_ascii=False)


def schema_path() -> Path:
    """Return the file that fixes the shape, a JSON Schema."""
    return Path(__file__).parent / "look.schema.json"


def plain(value: Any) -> Any:
    """Turn whatever a topic found into JSON values; NaN and infinity become null."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)
