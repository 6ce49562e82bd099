"""A Look's caveats as SARIF 2.1.0, the form in which code hosts take findings.

Reference: OASIS, Static Analysis Results Interchange Format 2.1.0 (2020).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from caveat import __version__
from caveat.pages._json import plain

if TYPE_CHECKING:
    from caveat.pages._look import Look

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"serious": "error", "careful": "warning", "note": "note"}
_MOST_ROWS = 100


def to_sarif(look: Look) -> dict[str, Any]:
    """Write every caveat as a result; rows become lines of the file, after its header.

    Unfinished work is a notification, so that a clean list is not taken for a clean
    bill.
    """
    kinds = sorted({claim.kind or look.topic for claim in look.ordered})
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "caveat",
                        "version": __version__,
                        "rules": [{"id": kind} for kind in kinds],
                    }
                },
                "invocations": [
                    {
                        "executionSuccessful": look.complete,
                        "toolExecutionNotifications": [
                            {"level": "warning", "message": {"text": words}}
                            for words in look.unfinished
                        ],
                    }
                ],
                "results": [_result(look, one) for one in look.caveats],
            }
        ],
    }


def _result(look: Look, caveat: dict[str, Any]) -> dict[str, Any]:
    file = {"artifactLocation": {"uri": str(look.facts.get("file") or look.topic)}}
    places = [
        {"physicalLocation": {**file, "region": {"startLine": row + 2}}}
        for row in caveat["rows"][:_MOST_ROWS]
    ]
    kept = ("columns", "number", "low", "high", "before", "after", "section")
    text = " ".join(filter(None, [caveat["text"], caveat["fix"]]))
    return {
        "ruleId": caveat["kind"] or look.topic,
        "level": _LEVELS[caveat["severity"]],
        "message": {"text": text},
        "locations": places or [{"physicalLocation": file}],
        "properties": plain({name: caveat[name] for name in kept}),
    }
