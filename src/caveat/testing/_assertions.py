"""How a check is put: one sentence, or nothing."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

Check = Callable[[Any], None]


def require(estimator: Any, holds: bool, sentence: str) -> None:
    """Raise the sentence, with the learner's name in front, unless it holds."""
    if not holds:
        raise AssertionError(f"{type(estimator).__name__}: {sentence}")


@contextmanager
def must_raise(
    estimator: Any, kinds: tuple[type[Exception], ...], what: str
) -> Iterator[None]:
    """Demand that something is refused, and in the right way."""
    name = type(estimator).__name__
    try:
        yield
    except kinds:
        return
    except Exception as error:
        raise AssertionError(
            f"{name}: {what} ends in {type(error).__name__} ({error}), not in "
            f"{kinds[0].__name__}"
        ) from error
    raise AssertionError(f"{name}: {what}: accepted in silence")


def fresh(estimator: Any) -> Any:
    """Clone a learner, with a seed where it takes one and has none."""
    copied = clone(estimator)
    if copied.get_params().get("random_state", 0) is None:
        copied.set_params(random_state=0)
    return copied


def quietly(work: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """Do something without its warnings: that training was short is no fault here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return work(*given, **named)


def answers(model: Any, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the finest answers that a learner has: probabilities, scores or labels."""
    names = ("predict_proba", "decision_function", "predict")
    finest = next(name for name in names if hasattr(model, name))
    return np.asarray(getattr(model, finest)(X), dtype=np.float64)
