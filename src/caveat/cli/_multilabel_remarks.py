"""The caveats of many labels: sentences made from the numbers of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caveat.cli._remark import Remark
from caveat.measures import LABEL_MEASURES as MEASURES

if TYPE_CHECKING:
    from caveat.multilabel import Comparison


def make_remarks(found: Comparison) -> list[Remark]:
    """Collect the caveats that belong beside the values, worst first."""
    remarks = [*_free_remarks(found), *_leader_remarks(found)]
    remarks += _threshold_remarks(found)
    for name, judged in found.models.items():
        if judged.result.few_values:
            remarks.append(
                Remark(
                    "careful",
                    f"The scores of {name} take two values at most: decisions used as "
                    "scores, whose order is a matter of ties.",
                )
            )
        elif judged.result.tie_share > 0.01 and name != "popularity":
            share = f"{judged.result.tie_share:.0%}".replace("%", " %")
            remarks.append(
                Remark(
                    "note",
                    f"{share} of the pairs that {name} should order have equal scores.",
                    share,
                    "Counted one half; literal definitions would count them as right.",
                )
            )
    remarks += [
        Remark("careful", f"{text[0].upper()}{text[1:]}.") for text in found.notes
    ]
    remarks += [
        Remark("careful", f"{name} gave no value: {why}.")
        for name, why in found.failed.items()
    ]
    order = ("serious", "careful", "note")
    return sorted(remarks, key=lambda remark: order.index(remark.severity))


def _free_remarks(found: Comparison) -> list[Remark]:
    """Compare with a list of labels by popularity, which looks at no feature."""
    remarks = []
    for name, judged in found.models.items():
        side, free = judged.profile.label_wise, judged.profile.popularity
        if name == "popularity" or not side.served or side.low > free:
            continue
        remarks.append(
            Remark(
                "serious" if side.order <= free else "careful",
                f"{name} orders {side.order:.2f} of the label pairs of an instance; a "
                f"list of labels by popularity alone orders {free:.2f}.",
                f"{side.order:.2f}",
                "Ranking loss, one-error, coverage, average precision rest on these.",
                section="margins",
            )
        )
    return remarks


def _leader_remarks(found: Comparison) -> list[Remark]:
    """Say whether the measures agree on who is best."""
    leaders = best_by_measure(found)
    names = list(dict.fromkeys(leaders.values()))
    told = {"average_precision": "average precision", "macro_auc": "macro-AUC"}
    best = [f"by {told[key]} {leaders[key]}" for key in told if key in leaders]
    if len(found.models) < 3 or len(names) < 2:
        return []
    return [
        Remark(
            "note",
            f"{len(names)} models lead on at least one of {len(leaders)} measures; the "
            "measures disagree by design.",
            str(len(names)),
            f"best {', '.join(best)}" if best else "",
        )
    ]


def _threshold_remarks(found: Comparison) -> list[Remark]:
    best, gap = None, 0.05
    for name, judged in found.models.items():
        if "macro_f1" in judged.thresholds:
            column = judged.thresholds["macro_f1"]
            difference = column["tuned on the test rows"] - column["per label"]
            if difference > gap:
                best, gap = (name, column), difference
    if best is None:
        return []
    name, column = best
    honest, tuned = column["per label"], column["tuned on the test rows"]
    return [
        Remark(
            "careful",
            f"Thresholds tuned on the test rows would show {tuned:.2f} as the macro-F1 "
            f"of {name}; those from training give {honest:.2f}.",
            f"{tuned:.2f}",
            "Ask every published macro-F1 where its thresholds come from.",
            section="thresholds",
        )
    ]


def best_by_measure(found: Comparison) -> dict[str, str]:
    """Name the model with the best value of every measure that is defined."""
    leaders = {}
    for measure, row in MEASURES.items():
        values = {
            name: judged.result[measure]
            for name, judged in found.models.items()
            if judged.result.get(measure, float("nan")) == judged.result.get(measure)
        }
        if values:
            pick = max if row.larger_is_better else min
            leaders[measure] = pick(values, key=lambda name: values[name])
    return leaders
