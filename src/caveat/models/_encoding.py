"""Encoding of raw tables for the models, fitted on training rows only."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler


class TableEncoder(TransformerMixin, BaseEstimator):
    """Numbers imputed and scaled, categories as codes, indicators or text."""

    def __init__(
        self,
        kinds: Any = None,
        categories: str = "onehot",
        scale: str | None = "standard",
        impute: str | None = "mean",
    ) -> None:
        self.kinds = kinds
        self.categories = categories
        self.scale = scale
        self.impute = impute

    def fit(self, X: pd.DataFrame, y: Any = None) -> Self:
        """Learn means, scales and categories."""
        self.numbers_ = X.select_dtypes(["number", "bool"]).columns.tolist()
        self.texts_ = [name for name in X.columns if name not in self.numbers_]
        numbers = X[self.numbers_].to_numpy(dtype=float)
        self.imputer_ = SimpleImputer(
            strategy=self.impute or "mean", keep_empty_features=True
        )
        self.scaler_ = StandardScaler()
        if self.numbers_:
            self.scaler_.fit(self.imputer_.fit_transform(numbers))
        one_hot = self.categories == "onehot"
        self.codes_ = (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False)
            if one_hot
            else OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        )
        if self.texts_:
            self.codes_.fit(X[self.texts_])
        return self

    def transform(self, X: pd.DataFrame) -> Any:
        """Encode rows."""
        numbers = X[self.numbers_].to_numpy(dtype=float)
        if self.impute and self.numbers_:
            numbers = self.imputer_.transform(numbers)
        if self.scale and self.numbers_:
            numbers = self.scaler_.transform(numbers)
        if self.categories == "keep":
            frame = pd.DataFrame(numbers, columns=self.numbers_)
            for name in self.texts_:
                text = X[name].astype(object)
                frame[name] = text.where(text.notna(), "missing").astype(str).to_numpy()
            return frame
        codes = self.codes_.transform(X[self.texts_]) if self.texts_ else None
        return numbers if codes is None else np.hstack([numbers, codes])
