"""Tables into numbers: kinds of columns, encoding, missing cells. Fitted, then used."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_columns": ["as_table", "column_numbers"],
        "_constants": ["ConstantImputer", "column_constants", "replace_columns"],
        "_encoder": ["TableEncoder", "remember_columns"],
        "_plain": ["encoder_from", "plain_encoder"],
        "caveat.datasets": ["KINDS", "check_columns", "column_kind", "detect_kinds"],
    },
)
