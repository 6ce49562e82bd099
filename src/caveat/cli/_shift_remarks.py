"""What belongs beside the numbers of `caveat shift`: its caveats, worst first."""

from __future__ import annotations

import math
import shlex
from typing import TYPE_CHECKING

from caveat.cli._remark import Remark, Severity

if TYPE_CHECKING:
    from caveat.datasets import Dataset
    from caveat.shift import ShiftLook


def make_remarks(
    look: ShiftLook,
    dataset: Dataset,
    missing: tuple[str, ...],
    n_test: int,
    more: list[Remark],
) -> list[Remark]:
    """Collect the caveats that belong beside the numbers, worst first."""
    remarks = [*_loss_remarks(look, missing), *_column_remarks(look)]
    remarks += [*_choice_remarks(look, n_test), *_imputer_remarks(look)]
    remarks += _name_remarks(dataset, look)
    chance = _chance(look, n_test)
    small = f"differences below about {chance:.2f}" if chance else "small differences"
    remarks.append(
        Remark(
            "note",
            f"One split with {n_test:,} test rows: {small} may be chance.",
            f"{n_test:,}",
        )
    )
    remarks += more
    remarks += [Remark("note", _sentence(text)) for text in look.notes]
    order = ("serious", "careful", "note")
    return sorted(remarks, key=lambda one: (order.index(one.severity), -one.size))


def _name_remarks(dataset: Dataset, look: ShiftLook) -> list[Remark]:
    """Point out columns with another value in every row."""
    found = []
    for name in look.columns.index:
        values = dataset.X[name]
        alone = (
            values.nunique() == len(values) and dataset.kinds.get(name) != "numerical"
        )
        whole = str(values.dtype).startswith("int") and values.nunique() == len(values)
        if (alone or whole) and len(values) > 20:
            found.append(
                Remark(
                    "careful",
                    f"{name} has another value in each of {len(values):,} rows: it "
                    "names rows, it does not describe them.",
                    f"{len(values):,}",
                    f"--drop {shlex.quote(str(name))} leaves it out",
                )
            )
    return found


def _earned(look: ShiftLook, closed: float) -> float:
    """How far the intact model is from the constant answer."""
    gap = closed - look.floor if look.larger_is_better else look.floor - closed
    return gap if gap > 0 and math.isfinite(gap) else float("nan")


def _severity(share: float) -> Severity:
    return "serious" if share >= 0.5 else "careful" if share >= 0.15 else "note"


def _column_remarks(look: ShiftLook) -> list[Remark]:
    first = best_model(look)
    row = look.models.loc[first]
    closed, worst = float(row["closed"]), float(row["worst"])
    lost = closed - worst if look.larger_is_better else worst - closed
    earned = _earned(look, closed)
    share = lost / earned if earned == earned else 0.0
    verb = "falls" if look.larger_is_better else "rises"
    if lost <= 0:
        sentence = f"No single column is missed by {first}."
        return [Remark("note", sentence, "No", section="columns")]
    remarks = [
        Remark(
            _severity(share),
            f"If {row['worst_column']} vanishes, {first} {verb} from "
            f"{short(closed)} to {short(worst)}.",
            short(worst),
            f"{share:.0%} of what it has over a constant answer".replace("%", " %")
            if share
            else "",
            share,
            "columns",
        )
    ]
    end, half = row.get("useless_from"), len(look.columns) / 2
    if end is not None and end == end and end < len(look.columns):
        gone = f"With {int(end)} of {len(look.columns)} columns gone, {first} is on "
        remarks.append(
            Remark(
                "careful" if end <= half else "note",
                f"{gone if end else f'Even with all columns {first} is '}"
                f"{'average ' if end else ''}no better than a constant answer.",
                str(int(end)),
                section="decay",
            )
        )
    return remarks


def _loss_remarks(look: ShiftLook, missing: tuple[str, ...]) -> list[Remark]:
    if look.missing is None or not len(look.missing):
        return []
    order = not look.larger_is_better
    rows = look.missing.sort_values("imputed", ascending=order, kind="stable")
    best = rows.iloc[0]
    closed, imputed = float(best["closed"]), float(best["imputed"])
    lost = closed - imputed if look.larger_is_better else imputed - closed
    earned = _earned(look, closed)
    share = lost / earned if earned == earned else 0.0
    words = (
        f"Without {' and '.join(missing)}, {best['model']} with imputer "
        f"{best['imputer']} goes from {short(closed)} to {short(imputed)}"
    )
    refitted = float(best["refitted"])
    if refitted == refitted:
        words += f"; fitted again without them it has {short(refitted)}"
    severity = _severity(share)
    return [Remark(severity, words + ".", short(imputed), "", share, "missing")]


def best_model(look: ShiftLook) -> str:
    """Name the model that one would deploy: the best with all columns."""
    closed = look.models["closed"].astype(float)
    return str(closed.idxmax() if look.larger_is_better else closed.idxmin())


def _choice_remarks(look: ShiftLook, n_test: int) -> list[Remark]:
    """Say whether the best model with all columns is the best without some."""
    if len(look.models) < 2:
        return []
    robust, best = look.models.index[0], best_model(look)
    closed = look.models["closed"].astype(float)
    areas = look.models["area"].astype(float)
    if best == robust:
        return [
            Remark(
                "note",
                f"{best} is best with all columns and on average over all numbers of "
                f"missing ones, {short(areas[best])}.",
                short(areas[best]),
                section="decay",
            )
        ]
    chance = _chance(look, n_test)
    level = abs(closed[best] - closed[robust]) < chance
    words = (
        f"With all columns {best} and {robust} cannot be told apart "
        f"({short(closed[best])} and {short(closed[robust])})"
        if level
        else f"{best} is best with all columns ({short(closed[best])})"
    )
    return [
        Remark(
            "careful" if abs(areas[best] - areas[robust]) >= chance else "note",
            f"{words}; when columns vanish, {robust} has {short(areas[robust])} on "
            f"average, {best} {short(areas[best])}.",
            short(areas[robust]),
            section="decay",
        )
    ]


def _imputer_remarks(look: ShiftLook) -> list[Remark]:
    first = best_model(look)
    areas = look.imputers[first].dropna().astype(float)
    if len(areas) < 2:
        return []
    usual = areas.index[0]
    best = areas.idxmax() if look.larger_is_better else areas.idxmin()
    if short(areas[best]) == short(areas[usual]):
        return [
            Remark(
                "note",
                f"No imputation helps {first} more than {usual}: "
                f"{short(areas[usual])} on average.",
                short(areas[usual]),
                section="imputers",
            )
        ]
    return [
        Remark(
            "note",
            f"{best} imputation keeps {first} at {short(areas[best])} on average, "
            f"{usual} at {short(areas[usual])}.",
            short(areas[best]),
            section="imputers",
        )
    ]


def _chance(look: ShiftLook, n_test: int) -> float:
    """Half width of a 95 % interval of a share at the best value; 0 for errors."""
    if look.measure not in ("auc", "accuracy", "balanced-accuracy"):
        return 0.0
    # Two rows more of each kind (Agresti and Coull 1998): a perfect score of few rows
    # is not certain.
    closed = float(look.models["closed"].astype(float).max())
    share = (closed * n_test + 2) / (n_test + 4)
    return 1.96 * math.sqrt(share * (1 - share) / (n_test + 4))


def short(value: float) -> str:
    """Write a value in a sentence."""
    return f"{value:.2f}" if abs(value) < 100 else f"{value:.4g}"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")
