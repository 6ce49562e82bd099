"""The anatomy of a score on one line: chance, free, earned, the worst loss."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from caveat import pages as kit
from caveat.audit._reading import Reading
from caveat.audit._remark import number

if TYPE_CHECKING:
    from caveat.pages import Canvas


def anatomy(reading: Reading) -> kit.Figure | None:
    """Draw one line: chance, free, earned, and the worst loss."""
    best, free = reading.best, reading.free
    if best is None:
        return None
    shown = reading.shifted.get(best.name)
    worst = shown.worst if shown is not None else float("nan")
    chance = reading.chance
    has_free = (
        free is not None and not math.isnan(free.value) and not reading.regression
    )
    free_value = free.value if free is not None and has_free else float("nan")
    band = (free.low, free.high) if free is not None and has_free else (chance, chance)
    low, high = kit.value_range([chance, best.value, worst, free_value, *band])
    base = free_value if has_free else chance
    side = "left" if reading.regression else "right"

    def draw(canvas: Canvas) -> None:
        bottom = 0.42
        axes = canvas.axes(0.2, bottom, canvas.width - 0.4, canvas.height - 1.05)
        axes.set_ylim(0, 1)
        axes.set_yticks([])
        if not math.isnan(band[0]) and band[1] > band[0]:
            axes.axvspan(*band, 0.45, 1.0, color=canvas.colour("null"), linewidth=0)
        axes.plot([chance, chance], [0.45, 1], color=canvas.colour("faint"), lw=1.2)
        if has_free and free_value > chance:
            axes.barh(
                [0.72],
                [free_value - chance],
                left=chance,
                height=0.5,
                facecolor=canvas.colour("free-tint"),
                edgecolor=canvas.colour("free"),
                hatch="////",
                linewidth=0,
            )
        if reading.sign * (best.value - base) > 0:
            axes.barh(
                [0.72],
                [best.value - base],
                left=base,
                height=0.5,
                color=canvas.colour("earned-fill"),
                linewidth=0,
            )
        axes.plot(
            [best.value, best.value], [0.45, 1], color=canvas.colour("earned"), lw=2.2
        )
        if not math.isnan(worst):
            arrow = {
                "arrowstyle": "->",
                "color": canvas.colour("serious"),
                "linewidth": 1.8,
            }
            axes.annotate("", (worst, 0.24), (best.value, 0.24), arrowprops=arrow)
        _anatomy_words(canvas, reading, (low, high, chance, free_value, worst), side)
        kit.value_axis(axes, canvas, low, high, reading.unit)

    words = [f"{best.title} has {number(best.value)} {reading.unit}"]
    if has_free:
        words.append(f"clusters have {number(free_value)} without a label")
    word = "a constant answer has" if reading.regression else "chance is"
    words.append(f"{word} {number(chance)}")
    if shown is not None:
        words.append(f"without {shown.most_used} it has {number(worst)}")
    bands = ""
    if has_free and not math.isnan(band[0]):
        bands = " Grey: where 95 % of shuffled labels land."
    return kit.Figure(
        "anatomy",
        "",
        "; ".join(words) + ".",
        draw,
        size=(10.5, 2.0),
        phone_size=(3.6, 2.3),
        conditions=f"{reading.unit} on held-out rows, {best.folds} folds.{bands}"
        + (" Hatched: free." if has_free else "")
        + " Solid: earned. Arrow: the worst loss of one column.",
        one_line=True,
    )


def _anatomy_words(
    canvas: Canvas, reading: Reading, places: tuple[float, ...], side: str
) -> None:
    """Label the parts above the bar; what would collide is lifted a line."""
    low, high, chance, free, worst = places
    best = reading.best
    assert best is not None
    inches = canvas.width - 0.4

    def at(value: float) -> float:
        return 0.2 + inches * (value - low) / (high - low)

    top = canvas.height - 0.58
    word = "constant answer" if reading.regression else "chance"
    labels = [(chance, f"{word} {number(chance)}", "muted", "normal")]
    if not math.isnan(free):
        labels.append((free, f"free {number(free)}", "free", "bold"))
    labels.append((best.value, f"{best.title} {number(best.value)}", "earned", "bold"))
    taken: list[list[tuple[float, float]]] = [[], [], []]
    for value, text, token, weight in reversed(labels):
        width = kit.text_width(text, 8.5, weight)
        x = min(max(at(value), 0.06 + width / 2), canvas.width - 0.06 - width / 2)
        reach = (x - width / 2 - 0.08, x + width / 2 + 0.08)
        for line, used in enumerate(taken):
            if all(reach[1] < a or reach[0] > b for a, b in used):
                used.append(reach)
                y = top + 0.17 * line + 0.06
                canvas.text(x, y, text, token=token, weight=weight, ha="center")
                break
    if not math.isnan(worst):
        shown = reading.shifted[best.name]
        text = f"without {kit.shorten(shown.most_used, 26)} {number(worst)}"
        width = kit.text_width(text, 8)
        x = min(max(at(worst), 0.1), canvas.width - 0.1 - width)
        if side == "left":
            x = max(0.1, min(at(worst) - width, canvas.width - 0.1 - width))
        y = 0.42 + (canvas.height - 1.05) * 0.09
        canvas.text(x, y, text, size=8, token="serious")
