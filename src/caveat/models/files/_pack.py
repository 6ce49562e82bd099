"""What of a fitted model goes into its file, and how it comes back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier, DummyRegressor


@dataclass(frozen=True)
class Pack:
    """The learnt part of a model: plain values, arrays, and files of its library.

    Attributes
    ----------
    facts : dict of plain values
    arrays : dict of str to array
    files : dict of str to bytes
        In the library's own format, which holds no code.
    """

    facts: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)


def pack_dummy(estimator: Any) -> Pack:
    """Write down the shares of the classes, or the mean."""
    if isinstance(estimator, DummyClassifier):
        return Pack({"dummy": "shares"}, {"shares": estimator.class_prior_})
    return Pack({"dummy": "mean"}, {"mean": np.ravel(estimator.constant_)})


def unpack_dummy(pack: Pack) -> Any:
    """Make a dummy again."""
    if pack.facts["dummy"] == "shares":
        shares = pack.arrays["shares"]
        rows = np.arange(len(shares))
        model = DummyClassifier(strategy="prior")
        return model.fit(rows[:, None], rows, sample_weight=shares)
    mean = float(pack.arrays["mean"][0])
    return DummyRegressor(strategy="constant", constant=mean).fit([[0.0]], [mean])


def pack_linear(estimator: Any) -> Pack:
    """Write down coefficients and intercept."""
    arrays = {"coef": estimator.coef_, "intercept": np.asarray(estimator.intercept_)}
    return Pack({}, arrays)


def unpack_linear(pack: Pack, estimator: Any, n_classes: int | None) -> Any:
    """Give an unfitted linear model its coefficients."""
    estimator.coef_ = pack.arrays["coef"]
    estimator.intercept_ = pack.arrays["intercept"]
    estimator.n_features_in_ = pack.arrays["coef"].shape[-1]
    if n_classes is not None:
        estimator.classes_ = np.arange(n_classes)
    return estimator
