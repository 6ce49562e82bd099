"""The words of the page, explained where they are used and once more at its end."""

from __future__ import annotations

from caveat import pages as kit
from caveat.audit._reading import Reading
from caveat.measures import LABEL_MEASURES as MEASURES

_TERMS: dict[str, tuple[str, str, str]] = {
    "auc": (
        "AUC",
        "The share of pairs, one row of each class, that are in the right order; 0.5 "
        "is chance, 1 perfect. Of several classes: the mean of each against the rest.",
        "It says nothing of how well probabilities are calibrated, nor of any one "
        "threshold.",
    ),
    "rmse": (
        "RMSE",
        "Root of the mean squared error, in units of the target; smaller is better.",
        "A few large errors decide it.",
    ),
    "free": (
        "Free part (EAPP)",
        "The AUC that clusters of the features reach when labels only name them, read "
        "at 1/p₀, one over the share of the smaller class.",
        "High means an easy task or a coarse bias; it cannot tell which.",
    ),
    "null": (
        "Null band",
        "Where 95 % of the same curves land when the labels are shuffled.",
        "",
    ),
    "headroom": (
        "Headroom used",
        "The share of what the free part leaves open that a model earns: 0 is the free "
        "part, 1 is perfect, below 0 is worse than clusters.",
        "Where the free part is close to 1, small differences look large.",
    ),
    "interval": (
        "95 % interval",
        "Of the mean over folds, widened because folds share their training rows "
        "(Nadeau and Bengio, 2003).",
        "It speaks of this table, not of the next one.",
    ),
    "alone": (
        "Alone",
        "What one column tells of the target by itself, read off sixteen bins of it.",
        "Two columns that tell something only together stay unseen.",
    ),
    "driver": (
        "Driver",
        "The AUC that the free part loses when the values of one column change places.",
        "Columns that say the same hide each other.",
    ),
    "fold": (
        "Fold",
        "A part of the rows that a model has not seen while it learnt.",
        "",
    ),
    "shift": (
        "Vanished column",
        "A column that is gone on the day of use; the fitted model gets a filled-in "
        "value in its place.",
        "Filled-in rows stand for rows that were never measured.",
    ),
    "refitted": (
        "Refitted",
        "The same model, fitted again without the column: what could be had if the "
        "loss were known in time.",
        "",
    ),
    "accuracy": ("Accuracy", "The share of rows with the right label.", ""),
    "log-loss": (
        "Log-loss",
        "Mean surprise about the true label; smaller is better.",
        "One confident error can decide it.",
    ),
    "r2": (
        "R²",
        "The share of the target's variance that is explained; a constant has 0.",
        "",
    ),
    "mae": ("MAE", "Mean absolute error, in units of the target.", ""),
}


_ONE_TARGET = ("free", "null", "headroom", "alone", "driver", "shift", "refitted")

_TARGETS: dict[str, tuple[str, str, str]] = {
    "margin": (
        "Margin",
        "How far the right answer is ahead. Label-wise: of the labels of a row, those "
        "it has are above those it has not. Instance-wise: of the rows, those with a "
        "label are above those without.",
        "Served means better than chance, not good.",
    ),
    "popularity": (
        "Popularity",
        "A list of the labels by how common they are, the same for every row.",
        "",
    ),
}


_SHARES: dict[str, tuple[str, str, str]] = {
    "share": (
        "Share",
        "How often a class occurs in a group: all that is known of the labels there.",
        "",
    ),
    "variant": (
        "Variant",
        "How groups come about. Naive: by chance. Simple: by the label. Intermediate: "
        "by the row. Hard: by both.",
        "Tests decide, and decisions err.",
    ),
    "regret": (
        "Regret",
        "What a setting that was chosen without labels gives up against the best one.",
        "Nobody can see it without labels.",
    ),
}


_SETS: dict[str, tuple[str, str, str]] = {
    "covering-rate": (
        "Covering rate",
        "How often the most probable label of a held-out row is one of its candidates.",
        "Large sets cover any guess.",
    ),
    "approximated-accuracy": (
        "Approximated accuracy",
        "The probability of the candidates, shared out among them: an accuracy that "
        "needs no true label.",
        "It trusts the model's own probabilities.",
    ),
    "unsure": (
        "Suggestion",
        "The most probable of a row's candidates; unsure if the model gives it less "
        "than 70 % among them.",
        "Sure is not right.",
    ),
    "ambiguity": (
        "Ambiguity",
        "How often a wrong label comes with a true one, at most; at 1 nobody can tell "
        "the two apart.",
        "A class of few rows pushes it up by chance.",
    ),
}


def glossary(reading: Reading) -> kit.Terms:
    """Explain the words that occur on this page."""
    unused = {"accuracy", "log-loss"} if reading.regression else {"rmse", "r2", "mae"}
    if not reading.single:
        unused |= {*_ONE_TARGET, "accuracy", "log-loss"}
    terms = {name: term for name, term in _TERMS.items() if name not in unused}
    if "targets" in reading.asked:
        terms |= _TARGETS | _measure_terms()
    if "bags" in reading.asked:
        terms |= _SHARES
    if "candidates" in reading.asked:
        terms |= _SETS | {"accuracy": _TERMS["accuracy"]}
    return kit.Terms(
        "Words",
        [
            kit.Term(f"term-{name}", title, summary, warnings)
            for name, (title, summary, warnings) in terms.items()
        ],
    )


def _measure_terms() -> dict[str, tuple[str, str, str]]:
    """Explain the eleven measures as their catalogue does."""
    return {
        one.name.replace("_", "-"): (kit.capital(one.title), one.summary, "")
        for one in MEASURES.values()
    }
