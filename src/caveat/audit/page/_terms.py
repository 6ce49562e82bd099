"""The words of the page, explained once, at its end."""

from __future__ import annotations

from caveat import pages
from caveat.audit.result import Result

_TERMS: dict[str, tuple[str, str, str]] = {
    "auc": (
        "AUC",
        "The share of pairs, one row of each class, that are in the right order; 0.5 "
        "is chance, 1 perfect. Of several classes: the mean of each against the "
        "others.",
        "It says nothing of how well probabilities are calibrated, nor of any one "
        "threshold.",
    ),
    "rmse": (
        "RMSE",
        "Root of the mean squared error, in units of the target; smaller is better.",
        "A few large errors decide it.",
    ),
    "floor": (
        "Floor",
        "What needs no learning: the constant answer, one column, clusters that labels "
        "only had to name (EAPP), or the nearest row, whichever gets furthest.",
        "A high floor means an easy task or a give-away; it cannot tell which.",
    ),
    "alone": (
        "Alone",
        "What one column tells of the target by itself, on rows it was not fitted on.",
        "Columns that tell something only together stay unseen; pairs are looked at.",
    ),
    "interval": (
        "95 % interval",
        "Of the mean over folds, widened because folds share training rows (Nadeau and "
        "Bengio, 2003), made inside the range of the measure.",
        "It speaks of this table, not of the next one.",
    ),
    "fold": (
        "Fold",
        "A part of the rows that a model has not seen while it learnt.",
        "",
    ),
    "shift": (
        "Vanished column",
        "A column that is gone on the day of use; the fitted model gets a filled-in "
        "value in its place. Refitted: a model that never had it.",
        "Filled-in rows stand for rows that were never measured.",
    ),
}


def terms(found: Result) -> pages.Terms:
    """Explain the words that occur on this page."""
    unused = {"rmse"} if found.sign > 0 else {"auc"}
    return pages.Terms(
        "Words",
        [
            pages.Term(f"term-{name}", title, summary, warnings)
            for name, (title, summary, warnings) in _TERMS.items()
            if name not in unused
        ],
    )
