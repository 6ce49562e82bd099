"""Targets that contradict what similar rows say: label errors, and nothing to tell."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from caveat.audit.scan._evidence import Evidence
from caveat.audit.scan._finding import Finding
from caveat.audit.scan._single_question import FOLDS, interval
from caveat.audit.scan._target import Target

_MOST_ROWS = 6_000
_MOST_LISTED = 200
_FEWEST_ROWS = 6
_LEAST_ERRORS = 0.015
_MOST_ERRORS, _SURE_ERRORS = 0.44, 0.4
_SHUFFLES = 12


@dataclass(frozen=True)
class _Rate:
    """How often labels are wrong: of all, of the worse class, and in which rows."""

    p_value: float
    share: float
    low: float
    high: float
    of_a_class: float
    rows: NDArray[np.intp]


def label_errors(evidence: Evidence, leaking: frozenset[str]) -> list[Finding]:
    """Find labels that stay wrong however sure the rest of the row is.

    Where labels are right, the share of surprises falls to nothing as a model grows
    sure. Wrong labels keep it at their own rate. Two curves are fitted to out-of-fold
    answers, with and without such a rate, and the second must fit beyond chance.

    Parameters
    ----------
    evidence : Evidence
    leaking : frozenset of str
        Columns to leave out, since they tell the wrong labels too.
    """
    target = evidence.target
    if target.regression or len(target) < 100:
        return []
    rarest = np.bincount(target.codes, minlength=target.classes).min()
    answers = _answers(evidence, leaking) if rarest >= _FEWEST_ROWS else None
    if answers is None:
        return []
    if target.classes == 2:
        found = _rate(answers[:, 1], target.codes == 1)
    else:
        # Of several classes: is the most likely one the label, and how sure is it?
        correct = answers.argmax(axis=1) == target.codes
        found = _rate(answers.max(axis=1), correct, one_sided=True)
    if found.p_value > 0.001 or found.low < _LEAST_ERRORS:
        return []
    # Of labels that are wrong nearly as often as right, perhaps nothing is known.
    is_sure = found.low > 0.03 and found.of_a_class <= _SURE_ERRORS
    return [
        Finding(
            kind="label-error",
            severity="serious" if is_sure else "careful",
            rows=tuple(int(i) for i in evidence.row_numbers[found.rows][:_MOST_LISTED]),
            number=found.share,
            low=found.low,
            high=found.high,
            measure="share",
            sentence=(
                f"About {100 * found.share:.0f} % of the labels look wrong "
                f"({100 * found.low:.0f} to {100 * found.high:.0f} %): they "
                "contradict rows of which a model is sure, however sure it is."
            ),
            fix="Look at the listed rows first, and correct what is wrong.",
            size=0.85 + found.share,
        )
    ]


def _answers(evidence: Evidence, leaking: frozenset[str]) -> NDArray[np.float64] | None:
    """Out-of-fold probabilities of a logistic regression on the additive design."""
    model, target, fold = evidence.model, evidence.target, evidence.fold
    keep = np.array(
        [one >= 0 and model.names[one] not in leaking for one in model.owner]
    )
    if not keep.any():
        return None  # nothing but names of rows
    X = model.design[:, keep]
    found = np.zeros((len(target), target.classes))
    rng = np.random.default_rng([evidence.seed, 6])
    for part in range(FOLDS):
        there = np.flatnonzero(fold != part)
        if len(there) > _MOST_ROWS:
            there = rng.choice(there, _MOST_ROWS, replace=False)
        fitted = LogisticRegression(C=0.3, max_iter=200).fit(
            X[there], target.codes[there]
        )
        found[np.ix_(fold == part, fitted.classes_)] = fitted.predict_proba(
            X[fold == part]
        )
    return found


def _rate(
    answer: NDArray[np.float64], is_true: NDArray[np.bool_], *, one_sided: bool = False
) -> _Rate:
    """Fit how often labels are wrong."""
    truth = is_true.astype(float)
    margin = logit(np.clip(answer, 1e-6, 1 - 1e-6))
    scale = float(np.std(margin)) or 1.0
    margin = margin / scale

    def loss(settings: NDArray[np.float64], errors: bool) -> float:
        slope, shift = np.exp(settings[0]), settings[1]
        up, down = expit(settings[2:4]) / 2 if errors else (0.0, 0.0)
        down = 0.0 if one_sided else down
        chance = down + (1 - up - down) * expit(slope * margin + shift)
        chance = np.clip(chance, 1e-9, 1 - 1e-9)
        return -float((truth * np.log(chance) + (1 - truth) * np.log1p(-chance)).sum())

    plain = optimize.minimize(
        loss, [math.log(scale), 0.0], args=(False,), method="Nelder-Mead"
    )
    start = [plain.x[0] + 0.5, plain.x[1], -2.0, -2.0]
    rated = optimize.minimize(
        loss,
        start,
        args=(True,),
        method="Nelder-Mead",
        options={"maxiter": 1500, "xatol": 1e-3, "fatol": 1e-3},
    )
    gain = 2 * (plain.fun - rated.fun)
    p = float(stats.chi2.sf(max(gain, 0.0), 2))
    up, down = expit(rated.x[2:4]) / 2
    down = 0.0 if one_sided else down
    if max(up, down) > _MOST_ERRORS:
        p = 1.0  # rows that nothing tells apart, such as one value of a flag
    clean = expit(np.exp(rated.x[0]) * margin + rated.x[1])
    errors = float(up * clean.mean() + down * (1 - clean).mean())
    sure = np.maximum(clean, 1 - clean) > 0.9
    n = max(int(sure.sum()), 1)
    half = 1.96 * math.sqrt(errors * (1 - errors) / n)
    surprise = np.where(truth == 1, 1 - clean, clean)
    order = np.argsort(-surprise, kind="stable")
    wrong = order[: max(1, round(errors * len(truth)))]
    low, high = max(errors - half, 0.0), min(errors + half, 1.0)
    return _Rate(p, errors, low, high, float(max(up, down)), wrong)


def nothing_told(evidence: Evidence) -> list[Finding]:
    """Say so if neither any column nor all together tell the target."""
    target: Target = evidence.target
    if len(target) < 100 or evidence.tells:
        return []
    if evidence.is_wide:
        return []  # the columns of the model were chosen by the target itself
    together = evidence.without()
    low, high = interval(max(together, target.nothing), target)
    limit = 0.65 if not target.regression else 0.1
    if low > target.nothing + 0.02 or high > limit:
        return []
    rng = np.random.default_rng([evidence.seed, 12])
    null = [
        evidence.model.shuffled(rng.permutation(len(target))).score()
        for _ in range(_SHUFFLES)
    ]
    if together > np.mean(null) + 2 * np.std(null, ddof=1):
        return []  # little, and more than chance
    return [
        Finding(
            kind="chance",
            severity="careful",
            number=together,
            low=low,
            high=high,
            measure=target.measure,
            sentence=(
                "No column tells the target, and all together do not: "
                f"{target.words(together)}, where chance has {target.nothing}."
            ),
            fix="Check that the targets belong to these rows: were they mixed up?",
            size=0.3,
        )
    ]
