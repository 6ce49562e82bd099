"""Figures that topics share: they draw what they say, inside the measure's range."""

import re

import numpy as np
import pytest

from caveat import pages
from caveat.pages import figures
from caveat.pages.claims import Estimate
from tests.pages.drawings import covered, crossed, cut_off

AS_IT_STANDS = Estimate(0.97, "AUC", 0.96, 0.98, "10 folds", 10)
WITHOUT = Estimate(0.86, "AUC", 0.84, 0.88, "10 folds", 10)
LATER = Estimate(0.85, "AUC", 0.8, 0.9, "10 folds", 10)
LOST = Estimate(-0.11, "AUC", -0.13, -0.09, "10 folds", 10)
NOTHING = Estimate(-0.01, "AUC", -0.05, 0.03, "10 folds", 10)
FLOOR = figures.Mark("best column alone", Estimate(0.63, "AUC"))
COMMON = {"name": "f", "title": "What there is", "label": "0.97"}

RUNGS = [
    figures.Rung("as it stands", AS_IT_STANDS),
    figures.Rung("without code", WITHOUT, LOST, "a leak"),
    figures.Rung("and later rows", LATER, NOTHING, "no drift"),
]
CURVE = figures.Curve("at random", [0, 1, 2], [AS_IT_STANDS, WITHOUT, LATER])

DRAWN = {
    "ladder": figures.ladder(RUNGS, label="x", floor=FLOOR, limits=(0, 1)),
    "one rung": figures.ladder(RUNGS[:1], label="x"),
    "decay": figures.decay(
        [CURVE], columns=3, unit="AUC", floor=FLOOR, limits=(0, 1), **COMMON
    ),
    "matrix": figures.matrix(
        [[5, np.nan], [0, 2]], ["cat", "dog"], ["cat", "dog"], **COMMON
    ),
    "ranks": figures.matrix(
        [[5, 1], [0, 2]], ["a", "b"], ["x", "y"], heat="rank", **COMMON
    ),
    "pairs": figures.paired_dots(
        [figures.Pair("a", AS_IT_STANDS, WITHOUT, LOST)], **COMMON
    ),
    "differences": figures.score_dots([figures.Dot("a", NOTHING)], zero=0.0, **COMMON),
}


def page(figure):
    section = pages.Section("s", "S", "What there is", blocks=[figure])
    look = pages.Look("audit", "Audit", [], [section])
    return pages.render(pages.Page([look]))


@pytest.mark.parametrize("name", DRAWN)
def test_a_shared_figure_is_drawn_wide_and_for_phones(name):
    text = page(DRAWN[name])
    assert text.count("<svg") == 2
    assert "nan" not in text[text.index("<svg") : text.rindex("</svg>")].lower()


def test_a_ladder_says_why_a_rung_is_lower_and_leaves_what_changes_nothing_grey():
    assert [rung.token for rung in RUNGS] == ["earned", "earned", "faint"]
    text = page(DRAWN["ladder"])
    assert "−0.11 a leak" in text
    assert "−0.01 (−0.05 to 0.03) no drift" in text
    assert "floor 0.63: best column alone" in text


def test_an_axis_ends_where_the_measure_ends():
    one = Estimate(0.999, "AUC", 0.99, 1.0, "10 folds", 10)
    wide = [figures.Dot("a", one), figures.Dot("b", Estimate(0.2, "AUC"))]
    text = page(figures.score_dots(wide, limits=(0, 1), **COMMON))
    ticks = [float(t) for t in re.findall(r">(\d\.\d+)<", text)]
    assert max(ticks) <= 1


def test_a_matrix_is_tinted_by_share_of_its_row_or_by_rank():
    from caveat.pages.figures import _matrix

    shares = _matrix._by_share(np.array([[97.0, 3.0], [70.0, 30.0]]))
    assert shares.tolist() == [[3, 0], [3, 2]]
    ranks = _matrix._by_rank(np.array([[3.0], [3.0], [1.0], [np.nan]]))
    assert ranks.ravel().tolist() == [3, 3, 1, 0]


def met(place, count):
    """Curves that end close together, and a floor among them: labels have to move."""
    ends = [
        Estimate(place + 0.003 * n, "AUC", 0.7, 0.9, "10", 10) for n in range(count)
    ]
    return [
        figures.Curve(f"a long name {n}", [0, 1, 2], [AS_IT_STANDS, WITHOUT, end])
        for n, end in enumerate(ends)
    ]


CROWDED = (
    {
        f"{count} curves at {place}": figures.decay(
            met(place, count),
            columns=3,
            unit="AUC",
            floor=FLOOR,
            limits=(0, 1),
            **COMMON,
        )
        for count in (2, 8)
        for place in (0.62, 0.8, 0.97)
    }
    | {
        f"ladder over a floor of {bar}": figures.ladder(
            RUNGS, label="x", floor=figures.Mark("a column", Estimate(bar, "AUC"))
        )
        for bar in (0.7, 0.8, 0.9, 0.95)
    }
    | {
        "close marks": figures.score_line(
            [
                figures.Mark(f"way {n}", Estimate(0.8 + n / 500, "AUC"))
                for n in range(5)
            ],
            label="x",
            floor=FLOOR,
            limits=(0, 1),
        )
    }
)


@pytest.mark.thorough
@pytest.mark.parametrize("phone", [False, True], ids=["wide", "phone"])
@pytest.mark.parametrize("name", [*DRAWN, *CROWDED])
def test_no_label_is_crossed_by_a_curve(name, phone):
    figure = {**DRAWN, **CROWDED}[name]
    assert crossed(figure, phone) == []


LARGE = {
    scale: [
        Estimate(0.97 * scale, "RMSE", 0.96 * scale, 0.98 * scale, "10 folds", 10),
        Estimate(-0.11 * scale, "RMSE", -0.13 * scale, -0.09 * scale, "10 folds", 10),
    ]
    for scale in (1e-6, 250.0, 18_834.18, 131_890_000.0)
}
"""Values as a measure in the target's own unit has them."""


def of_any_size(scale):
    value, change = LARGE[scale]
    low = Estimate(0.5 * scale, "RMSE")
    floor = figures.Mark("a constant answer", Estimate(1.4 * scale, "RMSE"))
    curve = figures.Curve("at random", [0, 1], [value, low])
    rungs = [figures.Rung("as it is", low), figures.Rung("without", value, change)]
    unit = {"unit": "RMSE of the model chosen on other folds, in the target's own unit"}
    return [
        figures.score_dots([figures.Dot("a", value)], floor=low, **unit, **COMMON),
        figures.paired_dots([figures.Pair("a", low, value, change)], **unit, **COMMON),
        figures.ladder(rungs, label="x", floor=floor, **unit),
        figures.score_line([figures.Mark("a", value)], label="x", floor=floor, sign=-1),
        figures.decay([curve], columns=2, floor=floor, **unit, **COMMON),
    ]


@pytest.mark.thorough
@pytest.mark.parametrize("phone", [False, True], ids=["wide", "phone"])
@pytest.mark.parametrize("scale", LARGE)
def test_numbers_of_any_size_have_room(scale, phone):
    for figure in of_any_size(scale):
        assert cut_off(figure, phone) == []
        assert covered(figure, phone) == []


def test_a_text_off_the_sheet_or_on_another_is_seen():
    def draw(canvas):
        canvas.text(canvas.width - 0.3, 1.0, "18,834.18")
        canvas.text(canvas.width - 0.3, 1.05, "is on it")

    figure = pages.Figure("f", "F", "x", draw)
    assert cut_off(figure, phone=True) == ["18,834.18", "is on it"]
    assert covered(figure, phone=True) == [("is on it", "18,834.18")]


def test_a_label_on_a_curve_is_seen():
    def draw(canvas):
        axes = canvas.axes(0.5, 0.5, 3, 2)
        axes.plot([0, 1], [0, 1])
        axes.text(0.5, 0.5, "in the way", ha="center", va="center")

    assert "in the way" in crossed(pages.Figure("f", "F", "x", draw), phone=False)
