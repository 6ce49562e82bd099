"""What is found about a crowd once its items are labelled: people, items, methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.candidates._judged import (
    UNKNOWN,
    calibration_error,
    difference,
    how_right,
    regret,
    side_by_side,
)
from caveat.candidates._table import CrowdTable
from caveat.candidates.crowd import (
    Answers,
    DawidSkene,
    HeldOut,
    ambiguous_items,
    annotator_gain,
    ask_again,
    decide,
    krippendorff_alpha,
    pairwise_kappa,
)
from caveat.candidates.crowd._active_labelling import CURVE
from caveat.candidates.crowd._reliability import binomial_interval
from caveat.candidates.result import VOTE, Result
from caveat.pages import count

Floats = NDArray[np.float64]

UNSURE = 0.7


def findings(
    table: CrowdTable,
    posterior: Mapping[str, Floats],
    held: HeldOut | None,
    chosen: str,
    rule: str,
    notes: tuple[str, ...],
    seed: int,
) -> Result:
    given = table.answers
    several = table.people and len(given.annotators) > 1
    told = posterior[chosen]
    model = DawidSkene().fit(given)
    empty = given.per_item == 0
    # What nobody answered is no suggestion of most ways, so it judges none.
    truth = None if table.truth is None else np.where(empty, -1, table.truth)
    judged = None if truth is None or not (truth >= 0).any() else truth
    codes, vote = decide(told), decide(posterior[VOTE])
    again = ask_again(model, told) if several else _without_people(given, told)
    assumed = table.people and given.per_item.max() < 2
    calibration, luck = calibration_error(told, codes, judged, seed)
    right, constant, known = how_right(told, codes, given, judged, assumed)
    names = np.array(given.classes, dtype=object)
    suggestions = pd.DataFrame(
        {
            "item": given.items,
            "label": names[codes],
            "probability": told[np.arange(len(told)), codes],
            "source": chosen,
            "vote": np.where(empty, "", names[vote]),
        }
    )
    if chosen not in ("soft-targets", "joint"):
        suggestions.loc[empty, ["label", "source"]] = ["", "no answers"]
        suggestions.loc[empty, "probability"] = np.nan
    curve = annotator_gain(model, judged, random_state=seed) if several else None
    return Result(
        items=len(given.items),
        annotators=len(given.annotators) if table.people else 0,
        answers=len(given),
        classes=tuple(str(name) for name in given.classes),
        vague=float(given.sizes.mean()),
        people_known=table.people,
        chosen=chosen,
        rule=rule,
        known=known,
        accuracy=right,
        difference=difference(codes, vote, judged),
        regret=UNKNOWN if held is None else regret(posterior, chosen, judged, seed),
        ahead=_ahead(held, chosen),
        constant=constant,
        alpha=krippendorff_alpha(given, random_state=seed) if several else UNKNOWN,
        unsure=int((suggestions["probability"] < UNSURE).sum()),
        unanswered=int(empty.sum()),
        ambiguous=int(ambiguous_items(model).sum()) if several else 0,
        calibration=calibration,
        luck=luck,
        methods=side_by_side(posterior, held, judged, given),
        people=_people(model, table),
        kappas=pairwise_kappa(given, random_state=seed) if several else _no_kappas(),
        confusions=_confusions(given, told) if several else _by_truth(given, judged),
        curve=pd.DataFrame(columns=CURVE) if curve is None else curve,
        sizes=_sizes(given),
        suggestions=suggestions,
        ask_again=again,
        unnamed=_unnamed(given, judged),
        conditions=_conditions(held, posterior, seed),
        notes=notes,
        label_columns=tuple(table.label_columns),
    )


def _ahead(held: HeldOut | None, chosen: str) -> tuple[float, float, float]:
    """By how much better than the vote it predicts left-out answers, paired."""
    if held is None or len({chosen, VOTE}.intersection(held.names)) < 2:
        return UNKNOWN
    ours, theirs = (held.agreement[held.names.index(one)] for one in (chosen, VOTE))
    more, error = held.mean(ours - theirs)
    return more, more - 1.96 * error, more + 1.96 * error


def _without_people(given: Answers, told: Floats) -> pd.DataFrame:
    """List unsure items where no second person tells what an answer is worth."""
    gain = 1.0 - told.max(axis=1)
    reason = np.where(given.per_item == 0, "no answers", "several candidates")
    found = pd.DataFrame({"item": given.items, "gain": gain, "reason": reason})
    found = found[found["gain"] > 0.3]
    return found.sort_values("gain", ascending=False, kind="stable", ignore_index=True)


def _people(model: DawidSkene, table: CrowdTable) -> pd.DataFrame:
    columns = ["annotator", "answers", "accuracy", "low", "high", "flag"]
    if not table.people:
        return pd.DataFrame(columns=columns)
    found = model.annotators_[columns]
    if len(found) > 1:
        return found
    # Nobody else: what there is to say is how much was answered.
    return found.assign(accuracy=np.nan, low=np.nan, high=np.nan, flag="")


def _unnamed(given: Answers, truth: Any) -> int:
    """Count items whose true label nobody named."""
    if truth is None:
        return 0
    some = np.flatnonzero((truth >= 0) & (given.per_item > 0))
    return int((given.votes()[some, truth[some]] == 0).sum())


def _by_truth(given: Answers, truth: Any) -> pd.DataFrame:
    """List which labels stand beside the true one, where nobody in particular errs."""
    told = np.zeros((len(given.items), len(given.classes)))
    if truth is not None:
        some = np.flatnonzero(truth >= 0)
        told[some, truth[some]] = 1.0
    found = _confusions(given, told).assign(most_by="", their_share=np.nan)
    return found[found["share"] > 0].reset_index(drop=True)


def _confusions(given: Answers, told: Floats) -> pd.DataFrame:
    """List what is named in place of the truth, and who does so most."""
    _, people, classes = given.shape
    named = (given.named.T @ told).reshape(people, classes, classes)
    tried = np.zeros((people, classes))
    np.add.at(tried, given.annotator, told[given.item])
    rows = []
    total, all_tried = named.sum(axis=0), tried.sum(axis=0)
    for true in range(classes):
        for other in range(classes):
            if other == true or all_tried[true] < 5:
                continue
            hits, tries = total[other, true], all_tried[true]
            low, high = binomial_interval(np.array([hits]), np.array([tries]))
            enough = tried[:, true] >= 5
            own = named[:, other, true] / np.maximum(tried[:, true], 1e-9)
            who = int(np.where(enough, own, -1).argmax())
            name = given.annotators[who] if enough.any() else ""
            most = own[who] if enough.any() else np.nan
            shares = (hits / tries, float(low[0]), float(high[0]))
            names = str(given.classes[true]), str(given.classes[other])
            rows.append((*names, *shares, name, most))
    columns = ["true", "named", "share", "low", "high", "most_by", "their_share"]
    found = pd.DataFrame(rows, columns=columns)
    return found.sort_values("share", ascending=False, kind="stable", ignore_index=True)


def _no_kappas() -> pd.DataFrame:
    return pd.DataFrame(columns=["one", "other", "items", "kappa", "low", "high"])


def _sizes(given: Answers) -> pd.DataFrame:
    size, many = np.unique(given.sizes, return_counts=True)
    return pd.DataFrame({"labels": size, "answers": many, "share": many / len(given)})


def _conditions(
    held: HeldOut | None, posterior: Mapping[str, Floats], seed: int
) -> str:
    out = ""
    if held is not None:
        some = count(len(held.item))
        out = f"{some} answers left out in turn, one of half of the items a round, "
    return f"{len(posterior)} methods, {out}seed {seed}."
