"""Kinds of columns; they live with the data sets, which need them first."""

from caveat.datasets import KINDS, check_columns, column_kind, detect_kinds

__all__ = ["KINDS", "check_columns", "column_kind", "detect_kinds"]
