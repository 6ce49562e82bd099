"""Causal language models fine-tuned on a table's rows, written as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from caveat.exceptions import InvalidInput
from caveat.models import gone_matrix, make_model
from caveat.shift.language._prompts import as_text, legend
from caveat.shift.language._scorer import Scorer

_STEPS = [f"{step / 10:.1f}" for step in range(11)]


class TunedClassifier(ClassifierMixin, BaseEstimator):
    """Fine-tune a causal language model to say the class of a row.

    A row becomes ``age is 40; sex is F; .``; a column that is gone is not in it. With
    the style of TabLLM the model learns to go on with ``class 1``; with that of
    UniPredict it learns the probabilities of a calibrated teacher, ``class 0: 0.2``,
    whose answers to a training row come from other training rows. Nothing is sampled:
    every class is scored by the log-probability of its whole text. The loss counts the
    answer only.

    Parameters
    ----------
    model : str, optional
        Folder or name of a model that `transformers` loads, with its tokeniser. By
        default one of about a million parameters is built on the spot from random
        weights, with the words and digits of the training rows as tokens.
    style : {"tabllm", "unipredict"}, default="tabllm"
    rank : int, optional
        Of low-rank adapters (`peft`); by default all weights are trained.
    epochs : int, default=12
    learning_rate : float, default=1e-3
    batch_size : int, default=32
    mask_rate : float, default=0.2
        Share of the columns that are left out of a training row, drawn in every epoch
        anew: a model that only ever read whole rows does not know what a short one
        means.
    random_state : int, default=0

    Attributes
    ----------
    classes_ : array
    losses_ : list of float
        Mean loss of every epoch.
    parameters_ : int
        How many weights the model has.

    Warnings
    --------
    A model that was trained on the open web may have seen the table, test rows too.

    References
    ----------
    .. [1] S. Hegselmann et al. (2023). TabLLM: few-shot classification of tabular data
       with large language models. AISTATS.
    .. [2] R. Wang, Z. Wang and J. Sun (2023). UniPredict: large language models are
       universal tabular classifiers. arXiv:2310.03266.
    """

    def __init__(
        self,
        model: str | None = None,
        style: str = "tabllm",
        rank: int | None = None,
        epochs: int = 12,
        learning_rate: float = 1e-3,
        batch_size: int = 32,
        mask_rate: float = 0.2,
        random_state: int = 0,
    ) -> None:
        self.model = model
        self.style = style
        self.rank = rank
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.mask_rate = mask_rate
        self.random_state = random_state

    def fit(self, X: pd.DataFrame, y: Any) -> Self:
        """Train on rows and labels; no other row is read."""
        if self.style not in ("tabllm", "unipredict"):
            raise InvalidInput(f"style is {self.style!r}; use 'tabllm' or 'unipredict'")
        if not 0 <= self.mask_rate < 1:
            raise InvalidInput(f"mask_rate is {self.mask_rate!r}; use 0 to below 1")
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        if len(self.classes_) < 2:
            raise InvalidInput("the labels are all the same; a model needs two classes")
        self.feature_names_in_ = np.array([str(name) for name in X.columns], object)
        answers = self._answers(X, codes)
        rng = np.random.default_rng(self.random_state)
        rows = X.set_axis(self.feature_names_in_, axis=1).to_dict("records")
        whole = self._texts(rows, np.zeros(X.shape, dtype=bool))
        self.scorer_ = Scorer(
            self.model, [*whole, *answers], rank=self.rank, seed=self.random_state
        )
        self.parameters_ = self.scorer_.parameters
        epochs = (
            self._texts(rows, rng.random(X.shape) < self.mask_rate)
            for _ in range(self.epochs)
        )
        self.losses_ = self.scorer_.train(
            epochs,
            answers,
            learning_rate=self.learning_rate,
            batch_size=self.batch_size,
            steps=self.epochs * -(-len(rows) // self.batch_size),
            rng=rng,
        )
        return self

    def predict_proba(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Give probabilities with all columns."""
        return self.predict_masked(X, np.zeros(X.shape, dtype=bool))

    def predict(self, X: pd.DataFrame) -> NDArray[Any]:
        """Give the most probable class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_masked(self, X: pd.DataFrame, gone: Any) -> NDArray[np.float64]:
        """Give probabilities where columns are gone: they are not in the text."""
        names = list(self.feature_names_in_)
        absent = gone_matrix(gone, names, len(X), order=list(map(str, X.columns)))
        rows = X.set_axis(list(map(str, X.columns)), axis=1)[names].to_dict("records")
        texts = self._texts(rows, absent)
        # Equal texts have one answer, to the last bit.
        once = list(dict.fromkeys(texts))
        place = {text: number for number, text in enumerate(once)}
        read = self._classes if self.style == "tabllm" else self._shares
        return read(once)[[place[text] for text in texts]]

    def _answers(self, X: pd.DataFrame, codes: NDArray[np.intp]) -> list[str]:
        """Write what is to be said after every training row."""
        if self.style == "tabllm":
            return [f" class {code}" for code in codes]
        fewest = int(np.bincount(codes).min())
        if fewest < 2:
            raise InvalidInput(
                "a class has one training row; the style 'unipredict' needs two, one "
                "for its teacher"
            )
        folds = StratifiedKFold(min(5, fewest), shuffle=True, random_state=0)
        task = "binary" if len(self.classes_) == 2 else "multiclass"
        teacher = CalibratedClassifierCV(
            make_model("hist-gradient-boosting", task, random_state=self.random_state),
            method="isotonic",
            cv=min(3, max(2, fewest // 2)),
        )
        told = cross_val_predict(teacher, X, codes, cv=folds, method="predict_proba")
        return [_written(row) for row in told]

    def _texts(self, rows: Sequence[dict[str, Any]], gone: NDArray) -> list[str]:
        """Write rows without what is gone."""
        # Random weights know no words, so that a legend would only cost time.
        end = "" if self.model is None else legend(self.classes_.tolist())
        names = self.feature_names_in_
        return [
            as_text({name: row[name] for name in names[~away]}) + end
            for row, away in zip(rows, gone, strict=True)
        ]

    def _classes(self, texts: list[str]) -> NDArray[np.float64]:
        """Score every class by its whole text."""
        said = [f" class {code}" for code in range(len(self.classes_))]
        return _softmax(self.scorer_.scores(texts, said))

    def _shares(self, texts: list[str]) -> NDArray[np.float64]:
        """Read the expected probability of each class but the last, one by one."""
        values = np.array([float(step) for step in _STEPS])
        found = np.zeros((len(texts), len(self.classes_)))
        so_far = list(texts)
        for code in range(len(self.classes_) - 1):
            said = [f" class {code}: {step};" for step in _STEPS]
            chance = _softmax(self.scorer_.scores(so_far, said))
            found[:, code] = chance @ values
            best = chance.argmax(axis=1)
            so_far = [t + said[b] for t, b in zip(so_far, best, strict=True)]
        found[:, -1] = np.clip(1 - found.sum(axis=1), 1e-6, None)
        return found / found.sum(axis=1, keepdims=True)


def _written(shares: NDArray[np.float64]) -> str:
    """Write the probabilities of a teacher.

    Examples
    --------
    >>> _written(np.array([0.23, 0.77]))
    ' class 0: 0.2; class 1: 0.8;'
    """
    return "".join(f" class {code}: {one:.1f};" for code, one in enumerate(shares))


def _softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)
