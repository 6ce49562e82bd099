"""What each selection rule gives up: small multiples of dots with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from caveat.pages import Canvas, Words, shorten, text_width
from caveat.pages._axes import interval, value_axis
from caveat.pages._model import Download, Figure

_ROW = 0.24


@dataclass(frozen=True)
class Regret:
    """Mean regret of one rule in one panel, with its interval (NaN if none)."""

    rule: str
    panel: str
    mean: float
    low: float
    high: float


def regret_figure(
    name: str,
    regrets: Sequence[Regret],
    *,
    worst: Sequence[str],
    oracles: Sequence[str],
    unit: str,
    title: Words,
    label: str,
    conditions: Words,
    downloads: Sequence[Download] = (),
) -> Figure:
    """Draw the regret of every rule, panel by panel, on shared axes.

    Parameters
    ----------
    name : str
    regrets : sequence of Regret
        Rules in the order of the rows.
    worst : sequence of str
        Rules that stand apart: drawn as orange squares.
    oracles : sequence of str
        Rules that need true labels: drawn open and grey.
    unit : str
        The measure.
    title, label, conditions, downloads
        As in `Figure`.
    """
    rules = list(dict.fromkeys(one.rule for one in regrets))
    panels = list(dict.fromkeys(one.panel for one in regrets))
    several = len(panels) > 1
    height = _ROW * len(rules) + 0.62 + (0.26 if several else 0.06)
    each = _ROW * len(rules) + (0.56 if several else 0.1)
    return Figure(
        name=name,
        title=title,
        label=label,
        draw=lambda canvas: _draw(
            canvas, regrets, rules, panels, worst=worst, oracles=oracles, unit=unit
        ),
        size=(7.0, height),
        phone_size=(3.6, each * len(panels) + 0.42),
        conditions=conditions,
        downloads=downloads,
    )


def _draw(
    canvas: Canvas,
    regrets: Sequence[Regret],
    rules: Sequence[str],
    panels: Sequence[str],
    *,
    worst: Sequence[str],
    oracles: Sequence[str],
    unit: str,
) -> None:
    longest = 22 if canvas.phone else 30
    names = [shorten(rule, longest) for rule in rules]
    label_width = max(text_width(name, 8) for name in names) + 0.14
    label_width = min(label_width, canvas.width * 0.5)
    ends = [v for one in regrets for v in (one.low, one.high, one.mean) if v == v]
    high = max([*ends, 1e-9])
    low = min([0.0, *ends])
    room = (high - low) * 0.06
    rows = _ROW * len(rules)
    columns = 1 if canvas.phone else len(panels)
    gap = 0.2
    width = (canvas.width - label_width - 0.15 - gap * (columns - 1)) / columns
    for number, panel in enumerate(panels):
        column = 0 if canvas.phone else number
        drop = number * (rows + 0.56) if canvas.phone else 0.0
        top = canvas.height - (0.26 if len(panels) > 1 else 0.06) - drop
        axes = canvas.axes(
            label_width + column * (width + gap), top - rows, width, rows
        )
        axes.set_ylim(len(rules) - 0.5, -0.5)
        last = number == len(panels) - 1
        named = last if canvas.phone else column == 0
        most = 3 if width < 1.3 else 4
        value_axis(axes, canvas, low - room * (low < 0), high + room, "", most)
        axes.axvline(0, color=canvas.colour("faint"), linewidth=1.2, zorder=1.5)
        first = canvas.phone or column == 0
        axes.set_yticks(range(len(rules)), names if first else [""] * len(rules))
        for text in axes.get_yticklabels():
            text.set_color(canvas.colour("ink"))
        if len(panels) > 1:
            axes.set_title(
                shorten(panel, 24 if canvas.phone else 16), color=canvas.colour("ink")
            )
        if named:
            axes.set_xlabel(
                f"{shorten(unit, 20)} given up",
                loc="left",
                color=canvas.colour("muted"),
            )
        for one in regrets:
            if one.panel != panel or one.mean != one.mean:
                continue
            apart, oracle = one.rule in worst, one.rule in oracles
            interval(
                axes,
                canvas,
                rules.index(one.rule),
                one.low,
                one.mean,
                one.high,
                token="free" if apart else "faint" if oracle else "earned",
                marker="s" if apart else "o",
                filled=not oracle,
            )
