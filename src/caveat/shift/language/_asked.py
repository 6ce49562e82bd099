"""A language model as it is typed: ``--model http://host/v1#name``, and its cost."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sklearn.base import clone

from caveat.exceptions import DataError, InvalidInput
from caveat.shift.language._endpoint import Endpoint, Reply
from caveat.shift.language._prompted import PromptedClassifier
from caveat.shift.language._prompts import ListTemplate

_ADDRESS = re.compile(r"https?://[^#]+(#.*)?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TOLD = ("description", "entity", "explanations", "question")


def is_endpoint(spec: Any) -> bool:
    """Whether a model is the address of an endpoint.

    Examples
    --------
    >>> is_endpoint("http://localhost:8000/v1#llama"), is_endpoint("model.onnx")
    (True, False)
    """
    return isinstance(spec, str) and _ADDRESS.fullmatch(spec) is not None


def prompted(spec: str, asking: Mapping[str, Any]) -> PromptedClassifier:
    """Make a classifier of an address.

    Parameters
    ----------
    spec : str
        ``http://host/v1#name of the model``.
    asking : mapping
        Where given: `budget` (tokens), `shots`, `describe` (file of the table's
        description), `price` (``IN,OUT`` per million tokens), `key_variable`.
    """
    url, _, name = spec.partition("#")
    if not name:
        raise InvalidInput(
            "--model has an address without a model; write http://host/v1#NAME"
        )
    variable = asking.get("key_variable") or "OPENAI_API_KEY"
    if not _VARIABLE.fullmatch(variable):
        raise InvalidInput(
            "--key-variable is no name of an environment variable; pass its name, "
            "never the key itself"
        )
    endpoint = Endpoint(
        url,
        name,
        key_variable=variable,
        budget_tokens=asking.get("budget"),
        price=_price(asking.get("price")),
    )
    template = described(asking.get("describe"))
    shots = asking.get("shots")
    return PromptedClassifier(
        endpoint, template, shots=4 if shots is None else shots, unreadable="shares"
    )


def _price(text: str | None) -> tuple[float, float]:
    """Read ``IN,OUT``.

    Examples
    --------
    >>> _price("0.5,1.5")
    (0.5, 1.5)
    """
    try:
        asked, answered = (float(part) for part in (text or "0,0").split(","))
    except ValueError:
        asked = answered = -1.0
    if not (asked >= 0 and answered >= 0):
        raise InvalidInput(
            f"--price is {text!r}; give two numbers, such as 0.5,1.5: what a million "
            "tokens cost, asked and answered"
        )
    return asked, answered


def described(path: str | Path | None) -> ListTemplate:
    """Read what a table is about: plain text, or JSON with explanations of columns."""
    if path is None:
        return ListTemplate()
    try:
        text = Path(path).read_text(encoding="utf-8")
        told = json.loads(text) if Path(path).suffix == ".json" else None
    except (OSError, ValueError) as error:
        raise DataError(
            f"--describe {str(path)!r} cannot be read ({type(error).__name__}); give a "
            "text, or JSON with description, entity, explanations and question"
        ) from error
    if told is None:
        return ListTemplate(text.strip())
    if not isinstance(told, dict) or set(told) - set(_TOLD):
        raise InvalidInput(
            f"--describe {str(path)!r} holds other things than {', '.join(_TOLD)}; "
            "leave them out"
        )
    return ListTemplate(**told)


def asked_notes(name: str, fitted: Sequence[Any]) -> list[str]:
    """Say what the answers took, and how many of them named no class."""
    asked, answered = (
        sum(one.tokens_[way] for one in fitted) for way in ("asked", "answered")
    )
    rows, unread = (
        sum(getattr(one, way) for one in fitted) for way in ("answers_", "unread_")
    )
    told = [
        f"the prompts for {name} had {asked:,} tokens and its answers {answered:,}, "
        "kept replies included"
    ]
    if unread:
        told.append(
            f"{unread:,} of {rows:,} answers of {name} named no class; they count as "
            "the shares of the training rows"
        )
    return told


class _Listener:
    """Takes prompts and asks nobody."""

    def __init__(self) -> None:
        self.heard: dict[str, None] = {}

    def __deepcopy__(self, memo: Any) -> _Listener:
        return self

    def ask(self, prompts: Sequence[str]) -> list[Reply]:
        self.heard.update(dict.fromkeys(prompts))
        return [Reply("", {}, 0, 0)] * len(prompts)


def rehearse(
    model: PromptedClassifier, run: Callable[[PromptedClassifier], Any]
) -> str:
    """Find out what a run would ask, and refuse it where the budget does not reach.

    Parameters
    ----------
    model : PromptedClassifier
    run : callable
        Does with a classifier that asks nobody what is to be done with the model.

    Returns
    -------
    str : what will be asked, in one sentence.
    """
    listener = _Listener()
    run(clone(model).set_params(endpoint=listener, unreadable="shares"))
    endpoint: Endpoint = model.endpoint
    prompts = list(listener.heard)
    new = endpoint.estimate(prompts)
    count, tokens = int(new["prompts"]), int(new["tokens"])
    cost = f", cost {new['cost']:.2f}" if new["cost"] else ""
    told = (
        f"{count:,} prompts need about {tokens:,} tokens{cost}; "
        f"{len(prompts) - count:,} have a kept reply"
    )
    budget = endpoint.budget_tokens
    if count and (budget is None or tokens > budget):
        lacks = "no --budget was given" if budget is None else f"--budget is {budget:,}"
        raise InvalidInput(
            f"{told}, and {lacks}: nothing was asked; pass --budget {tokens}, or ask "
            "for less with --missing, --max-rows or --repeats"
        )
    return told
