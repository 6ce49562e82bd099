"""A classifier that asks a language model: rows in, probabilities out."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from caveat.exceptions import DataError, InvalidInput
from caveat.models import gone_matrix
from caveat.shift.language._endpoint import Reply
from caveat.shift.language._prompts import ListTemplate


class PromptedClassifier(ClassifierMixin, BaseEstimator):
    """Ask a language model for the class of every row, with a few examples.

    Nothing is trained. A column that is gone is in no prompt: neither in the row, nor
    in the examples, nor among the explanations. With every column gone all prompts are
    the same, and so are all answers.

    Parameters
    ----------
    endpoint : Endpoint
        Or anything with ``ask(prompts) -> list of Reply``.
    template : ListTemplate, optional
    shots : int, default=4
        Training rows that are shown as examples, classes in turn.
    unreadable : {"error", "shares"}, default="error"
        What an answer without a class becomes: an error, or the training shares.
    random_state : int, default=0
        Chooses the examples.

    Attributes
    ----------
    classes_ : array
    tokens_ : dict
        Tokens asked and answered so far, over all replies used.
    answers_, unread_ : int
        How many rows were answered so far, and how many answers named no class.

    Warnings
    --------
    A model that was trained on the open web may have seen the table, its test rows
    too; then its score is memory. Without log-probabilities its answers are hard
    labels, and AUC knows one threshold only.
    """

    def __init__(
        self,
        endpoint: Any,
        template: ListTemplate | None = None,
        shots: int = 4,
        unreadable: str = "error",
        random_state: int = 0,
    ) -> None:
        self.endpoint = endpoint
        self.template = template
        self.shots = shots
        self.unreadable = unreadable
        self.random_state = random_state

    def fit(self, X: pd.DataFrame, y: Any) -> Self:
        """Choose the examples."""
        if self.unreadable not in ("error", "shares"):
            raise InvalidInput(
                f"unreadable is {self.unreadable!r}; use 'error' or 'shares'"
            )
        labels = np.asarray(y)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self.feature_names_in_ = np.array([str(name) for name in X.columns], object)
        self.shares_ = np.bincount(codes) / len(codes)
        rng = np.random.default_rng(self.random_state)
        order = rng.permutation(len(codes))
        by_class = [order[codes[order] == code] for code in range(len(self.classes_))]
        turns = [rows[turn] for turn in range(self.shots) for rows in by_class
                 if turn < len(rows)]  # fmt: skip
        rows = X.iloc[turns[: self.shots]].to_dict("records")
        self.shots_ = list(zip(rows, labels[turns[: self.shots]], strict=True))
        self.tokens_ = {"asked": 0, "answered": 0}
        self.answers_ = self.unread_ = 0
        return self

    def predict_proba(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Give probabilities with all columns."""
        return self.predict_masked(X, np.zeros(X.shape, dtype=bool))

    def predict_masked(self, X: pd.DataFrame, gone: Any) -> NDArray[np.float64]:
        """Give probabilities where columns are gone: they are not in the prompt."""
        prompts = self.prompts(X, gone)
        replies = self.endpoint.ask(prompts)
        used = dict(zip(prompts, replies, strict=True))
        self.tokens_["asked"] += sum(one.tokens_in for one in used.values())
        self.tokens_["answered"] += sum(one.tokens_out for one in used.values())
        self.answers_ += len(replies)
        return np.stack([self._shares(reply) for reply in replies])

    def predict(self, X: pd.DataFrame) -> NDArray[Any]:
        """Give the most probable class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def prompts(self, X: pd.DataFrame, gone: Any) -> list[str]:
        """Write the prompt of every row without what is gone."""
        names = list(self.feature_names_in_)
        absent = gone_matrix(gone, names, len(X), order=list(map(str, X.columns)))
        template = self.template or ListTemplate()
        rows = X[list(X.columns)].to_dict("records")
        made = []
        for row, missing in zip(rows, absent, strict=True):
            known = {
                name: row[name]
                for name, away in zip(names, missing, strict=True)
                if not away
            }
            made.append(template.prompt(known, self.classes_.tolist(), self.shots_))
        return made

    def _shares(self, reply: Reply) -> NDArray[np.float64]:
        """Score the classes by first tokens, or read the class from the text."""
        labels = [str(label) for label in self.classes_]
        scores = np.array([_score(label, labels, reply.likely) for label in labels])
        if np.isfinite(scores).any():
            weights = np.exp(scores - scores[np.isfinite(scores)].max())
            return weights / weights.sum()
        hit = _named(reply.text, labels)
        if hit is not None:
            return np.eye(len(labels))[hit]
        if self.unreadable == "shares":
            self.unread_ += 1
            return self.shares_
        raise DataError(
            f"the model answered {reply.text[:60]!r}, which names no class of "
            f"{', '.join(labels)}; unreadable='shares' takes the training shares then"
        )


def _score(label: str, labels: list[str], likely: dict[str, float]) -> float:
    """Add up first tokens that begin this label and no other one."""
    total = 0.0
    for token, value in likely.items():
        text = token.strip().lower()
        begun = [one for one in labels if text and one.lower().startswith(text)]
        if begun == [label]:
            total += math.exp(value)
    return math.log(total) if total > 0 else -math.inf


def _named(text: str, labels: list[str]) -> int | None:
    """Find the one class that an answer names, the longest if one holds another."""
    said = text.strip().strip(".\"'[]").lower()
    exact = [n for n, one in enumerate(labels) if one.lower() == said]
    if len(exact) == 1:
        return exact[0]
    words = said.replace(".", " ").replace(",", " ").split()
    hits = [n for n, one in enumerate(labels) if one.lower() in words]
    return hits[0] if len(hits) == 1 else None
