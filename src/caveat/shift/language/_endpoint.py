"""Any endpoint that speaks OpenAI's protocol: retries, budget, replies kept."""

from __future__ import annotations

import http.client
import json
import math
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any

from caveat.exceptions import DataError, InvalidInput
from caveat.shift.language._replies import ReplyStore

_AGAIN = frozenset([408, 409, 425, 429, 500, 502, 503, 504])
_CHARACTERS_PER_TOKEN = 4
_LONGEST_PAUSE = 60.0
_LARGEST_REPLY = 4_000_000
# What JSON of another shape ends in: lists for objects, endless brackets or numbers.
_UNREADABLE = (
    *(ValueError, LookupError, TypeError, AttributeError),
    *(ArithmeticError, RecursionError),
)


@dataclass(frozen=True)
class Reply:
    """What the model said to one prompt.

    Attributes
    ----------
    text : str
    likely : dict of str to float
        Log-probabilities of first tokens, where the endpoint gives them.
    tokens_in, tokens_out : int
    """

    text: str
    likely: dict[str, float]
    tokens_in: int
    tokens_out: int


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follow nobody to another address: the key would go there, too."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Endpoint:
    """Ask an OpenAI-compatible endpoint, and pay for every prompt once.

    The key is read from an environment variable for each call and is in no object, log,
    file or command line. Every reply is kept before the next prompt is asked, so that
    a run that was cut off asks again at most for those in flight.

    Parameters
    ----------
    url : str
        Up to and without ``/chat/completions``.
    model : str
    store : ReplyStore, optional
        In the data folder if not given.
    key_variable : str, default="OPENAI_API_KEY"
        Name of the environment variable with the key; may be unset.
    at_a_time : int, default=4
        Prompts in flight.
    retries : int, default=5
        After a refusal, a fault of the server, silence or an unreadable reply.
    pause : float, default=0.5
        Seconds before the first retry; doubled for every further one.
    timeout : float, default=60
        Seconds of silence that count as a fault.
    max_tokens : int, default=8
        Of a reply.
    budget_tokens : int, optional
        More tokens than these are not asked for, over all calls of `ask`: refused
        before the call that would pass them.
    price : (float, float), optional
        Per million tokens, asked and answered.
    sleep : callable
        For tests.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        store: ReplyStore | None = None,
        key_variable: str = "OPENAI_API_KEY",
        at_a_time: int = 4,
        retries: int = 5,
        pause: float = 0.5,
        timeout: float = 60.0,
        max_tokens: int = 8,
        budget_tokens: int | None = None,
        price: tuple[float, float] = (0.0, 0.0),
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise InvalidInput(f"the endpoint {url!r} is no http address; give its URL")
        if {"@", "?"} & set(url):
            # Not shown: it may hold a key, and this sentence may be logged.
            raise InvalidInput(
                "the endpoint's address has a user or a query in it, which may be "
                f"secret; put the key into the environment variable {key_variable}"
            )
        self.url, self.model = url.rstrip("/"), model
        self.store = ReplyStore() if store is None else store
        self.key_variable = key_variable
        self.at_a_time, self.retries, self.pause = at_a_time, retries, pause
        self.timeout, self.max_tokens = timeout, max_tokens
        self.budget_tokens, self.price = budget_tokens, price
        self.sleep = sleep
        self.calls = 0
        self.promised = 0.0
        self._count = threading.Lock()
        self._opener = urllib.request.build_opener(_NoRedirect)

    def __deepcopy__(self, memo: Any) -> Endpoint:
        """Share the endpoint, its replies and its budget between copies of a model."""
        return self

    def estimate(self, prompts: Sequence[str]) -> dict[str, float]:
        """Say what prompts would cost, before anything is asked.

        Returns
        -------
        dict : `prompts` (distinct ones without a reply), `tokens`, `cost`.
        """
        new = [one for one in dict.fromkeys(prompts) if self._kept(one) is None]
        asked = sum(math.ceil(len(one) / _CHARACTERS_PER_TOKEN) for one in new)
        answered = self.max_tokens * len(new)
        cost = (asked * self.price[0] + answered * self.price[1]) / 1e6
        return {"prompts": len(new), "tokens": asked + answered, "cost": cost}

    def ask(self, prompts: Sequence[str]) -> list[Reply]:
        """Reply to every prompt; equal prompts and kept replies cost nothing.

        Raises
        ------
        InvalidInput
            If the budget would be passed; nothing is asked then.
        DataError
            If the endpoint refuses, or still fails after all retries; what was
            answered until then is kept.
        """
        expected = self.estimate(prompts)
        promised = self.promised + expected["tokens"]
        if self.budget_tokens is not None and promised > self.budget_tokens:
            raise InvalidInput(
                f"{expected['prompts']:,.0f} prompts need about "
                f"{expected['tokens']:,.0f} tokens (cost {expected['cost']:.2f}), the "
                f"budget is {self.budget_tokens:,}; raise it or ask for fewer rows"
            )
        self.promised = promised
        new = [one for one in dict.fromkeys(prompts) if self._kept(one) is None]
        if new and os.environ.get("CAVEAT_OFFLINE", "") not in ("", "0"):
            raise DataError(
                f"{len(new):,} prompts have no kept reply and CAVEAT_OFFLINE is set; "
                "unset it to ask the endpoint"
            )
        self._ask_all(new)
        found = {one: self._kept(one) for one in dict.fromkeys(prompts)}
        return [found[one] for one in prompts]  # type: ignore[misc]

    def _ask_all(self, prompts: Sequence[str]) -> None:
        """Keep so many in flight; the first failure ends all that wait."""
        waiting = iter(prompts)
        with ThreadPoolExecutor(max_workers=self.at_a_time) as pool:
            first = islice(waiting, self.at_a_time)
            running = {pool.submit(self._one, one) for one in first}
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                for one in waiting:
                    running.add(pool.submit(self._one, one))
                    if len(running) >= self.at_a_time:
                        break

    def _one(self, prompt: str) -> None:
        """Ask until there is a readable reply, and keep it."""
        reason = ""
        for attempt in range(self.retries + 1):
            if attempt:
                self.sleep(min(_LONGEST_PAUSE, self.pause * 2 ** (attempt - 1)))
            try:
                body = self._call(prompt)
                self.store.put(self._key(prompt), _read(body))
            except urllib.error.HTTPError as error:
                reason = f"status {error.code}"
                if error.code not in _AGAIN:
                    break
                after = error.headers.get("Retry-After", "")
                if after.isdigit():
                    self.sleep(min(_LONGEST_PAUSE, float(after)))
            except (OSError, http.client.HTTPException) as error:
                reason = type(error).__name__
            except _UNREADABLE:
                reason = "a reply that is not of the protocol"
            else:
                return
        raise DataError(
            f"the endpoint {self.url} gave {reason} {attempt + 1} times; answered "
            "prompts are kept: run it again to go on"
        )

    def _call(self, prompt: str) -> bytes:
        with self._count:
            self.calls += 1
        headers = {"Content-Type": "application/json"}
        secret = os.environ.get(self.key_variable, "")
        if secret:
            headers["Authorization"] = f"Bearer {secret}"
        request = urllib.request.Request(
            f"{self.url}/chat/completions",
            data=json.dumps(self._asked(prompt)).encode(),
            headers=headers,
        )
        latest = time.monotonic() + 2 * self.timeout
        parts, size = [], 0
        with self._opener.open(request, timeout=self.timeout) as reply:
            # A server that drips byte by byte is never silent, so the whole counts too.
            while part := reply.read1(65_536):
                parts.append(part)
                size += len(part)
                if size > _LARGEST_REPLY or time.monotonic() > latest:
                    raise TimeoutError("the reply does not end")
            if reply.length:
                raise http.client.IncompleteRead(b"".join(parts), reply.length)
        return b"".join(parts)

    def _asked(self, prompt: str) -> dict[str, Any]:
        return {
            "model": self.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0,
            "max_tokens": self.max_tokens,
            "logprobs": True,
            "top_logprobs": 20,
        }

    def _key(self, prompt: str) -> str:
        return ReplyStore.key({"url": self.url, **self._asked(prompt)})

    def _kept(self, prompt: str) -> Reply | None:
        found = self.store.get(self._key(prompt))
        return None if found is None else Reply(**found)


def _read(body: bytes) -> dict[str, Any]:
    """Read a reply of the protocol; anything else is a fault."""
    told = json.loads(body)
    choice = told["choices"][0]
    text = choice["message"]["content"]
    if not isinstance(text, str):
        raise TypeError("no text")
    usage = told.get("usage") or {}
    first = ((choice.get("logprobs") or {}).get("content") or [{}])[0]
    likely = {
        str(one["token"]): float(one["logprob"])
        for one in first.get("top_logprobs") or []
    }
    if any(not math.isfinite(value) or value > 1e-6 for value in likely.values()):
        raise ValueError("log-probabilities above 0")
    return {
        "text": text,
        "likely": likely,
        "tokens_in": int(usage.get("prompt_tokens", 0)),
        "tokens_out": int(usage.get("completion_tokens", 0)),
    }
