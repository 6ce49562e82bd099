"""Figures: what is drawn, where it stands, and what is left out aloud."""

import re

import numpy as np
import pandas as pd
import pytest

from caveat.board._figures import (
    Cost,
    Point,
    cost_figure,
    critical_difference_figure,
    with_frontier,
)
from caveat.pages import figures
from caveat.pages._canvas import draw_svg
from caveat.pages.claims import Estimate
from caveat.pages.figures import interval_range, shown_range

NAN = float("nan")


def texts(figure, *, phone=False):
    size = figure.phone_size if phone else figure.size
    drawn = draw_svg(figure.draw, size, phone=phone)
    return re.findall(r"<text[^>]*>([^<]*)</text>", drawn)


SIX = {"a": 0.85, "b": 0.849, "c": 0.845, "d": 0.80, "e": 0.79, "f": 0.76}


def field(means, **changes):
    marks = [
        figures.Mark(name, Estimate(value, "AUC")) for name, value in means.items()
    ]
    return figures.score_line(marks, label="", **changes)


@pytest.mark.parametrize("phone", [False, True])
def test_the_field_names_the_first_and_the_floor(phone):
    floor = figures.Mark("clusters", Estimate(0.74, "AUC"), "free")
    found = texts(field(SIX, floor=floor), phone=phone)
    assert "a 0.85" in found
    assert "clusters 0.74" in found


def test_what_is_off_the_scale_is_told_with_its_value():
    told = str(field(SIX | {"dummy": 0.1}).conditions)
    assert told.endswith(" Off the scale, at its edge: dummy 0.10.")
    assert "scale" not in str(field(SIX).conditions)


def test_one_learner_and_equal_learners_can_be_drawn():
    assert texts(field({"a": 0.8}))
    assert texts(field({"a": 0.8, "b": 0.8}))
    assert texts(field({"a": 0.0, "b": 0.0}), phone=True)


def ranks_figure(ranks, cliques, difference):
    return critical_difference_figure(
        pd.Series(ranks),
        cliques,
        difference,
        name="cd",
        title="",
        label="",
        conditions="",
    )


def test_every_learner_stands_in_the_diagram_with_its_rank():
    ranks = {"a": 1.2, "b": 2.0, "c": 2.8, "d": 4.0}
    found = texts(ranks_figure(ranks, [["a", "b"]], 1.1))
    assert {"a 1.20", "b 2.00", "2.80 c", "4.00 d"} <= set(found)
    assert "critical difference 1.10" in found


def test_a_difference_larger_than_the_axis_has_no_ruler():
    found = texts(ranks_figure({"a": 1.3, "b": 1.7}, [["a", "b"]], 3.0))
    assert not any("critical difference" in text for text in found)


@pytest.mark.parametrize("learners", [2, 17])
def test_any_number_of_learners_fits(learners):
    ranks = {f"learner-{n}": 1.0 + n for n in range(learners)}
    found = texts(ranks_figure(ranks, [], None))
    assert sum("learner-" in text for text in found) == learners


def points(**means):
    return [
        Point(name, 10.0**n, mean, mean - 0.01, mean + 0.01)
        for n, (name, mean) in enumerate(means.items())
    ]


def frontier(found, direction="max"):
    return [one.learner for one in with_frontier(found, direction) if one.frontier]


def test_the_frontier_is_what_nothing_beats_in_both():
    assert frontier(points(a=0.7, b=0.6, c=0.8)) == ["a", "c"]
    assert frontier(points(a=0.9, b=0.8, c=0.7)) == ["a"]
    assert frontier(points(a=0.7, b=0.6, c=0.8), "min") == ["a", "b"]


def test_the_frontier_agrees_with_its_definition():
    random = np.random.default_rng(0)
    for _ in range(50):
        found = [
            Point(str(n), *random.integers(1, 6, 2).astype(float), NAN, NAN)
            for n in range(8)
        ]
        marked = with_frontier(found, "max")
        beaten = {
            one.learner: any(
                (two.seconds <= one.seconds and two.mean > one.mean)
                or (two.seconds < one.seconds and two.mean >= one.mean)
                for two in found
            )
            for one in found
        }
        kept = {(p.seconds, p.mean) for p in marked if p.frontier}
        expected = {(p.seconds, p.mean) for p in found if not beaten[p.learner]}
        assert kept == expected


@pytest.mark.parametrize("phone", [False, True])
def test_cost_labels_the_frontier_and_the_free_part(phone):
    cost = Cost(
        with_frontier(points(slow=0.7, quick=0.8, best=0.9), "max"),
        unit="AUC",
        over="20 worlds",
        time="median seconds",
        free=0.6,
    )
    found = texts(
        cost_figure(cost, name="c", title="", label="", conditions=""), phone=phone
    )
    assert {"slow", "quick", "best"} <= set(found)
    assert any("clusters" in text for text in found)
    assert "median seconds, log scale" in found


def test_cost_says_what_is_off_the_scale():
    means = {f"m{n}": 0.9 + 0.001 * n for n in range(5)}
    cost = Cost(
        with_frontier(points(dummy=0.1, **means), "max"), unit="AUC", over="x", time="t"
    )
    figure = cost_figure(cost, name="c", title="", label="", conditions="Here.")
    assert "dummy 0.100" in texts(figure)
    assert str(figure.conditions) == "Here. Triangle: off the scale."


def test_the_range_holds_what_must_be_seen():
    low, high = shown_range([0.8, 0.81, 0.82, 0.1], anchors=[0.1])
    assert low < 0.1
    assert high > 0.82
    assert shown_range([]) == (0.0, 1.0)
    low, high = interval_range([(NAN, 0.8, NAN)])
    assert low < 0.8 < high
