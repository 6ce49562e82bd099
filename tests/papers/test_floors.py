"""Every table of scores on the pages of the reproductions says what is free."""

import re

import pytest

from papers import PAGES

FREE = re.compile(r"constant answer|one label for all|free|popularity|always yes|vote")
#: First cells of the headers of tables that hold no score, page by page: counts, costs,
#: ranks, correlations, differences and words.
NO_SCORES = {
    "bags.md": [
        *("settings, learner", "claim, executions", "data set, p-values"),
        *("data set, published, 5 learners", "data set, ours", "learner, variant"),
        "learner, data set, strategy, execution, searches",
    ],
    "candidates.md": ["rule, right rows", "criterion, groups", "what varies, , preci"],
    "eapp.md": ["the paper says, we find"],
    "multilabel.md": ["measure, claim", "rank by, BR"],
    "shift-networks.md": [
        *("table, cells of networks", "table, columns, models", "network, cells"),
    ],
    "shift.md": [
        *(
            "table, measure, model, splits, largest difference",
            "table, model, k within",
        ),
        *("table, means of three shares", "table, model, reading", "missing, loss"),
        *("task, model, masks, gain", "scenario, pooled r", ", models, pearson"),
        *("model, average_rank", "method, pearson", "model, fit_seconds"),
    ],
}


def tables(text):
    """Give header and first row of every table."""
    lines = text.splitlines()
    return [
        tuple(", ".join(cells(line)) for line in (lines[i - 1], lines[i + 1]))
        for i, line in enumerate(lines)
        if re.fullmatch(r"\|[ :|-]+\|", line)
    ]


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


@pytest.mark.parametrize("page", sorted(NO_SCORES))
def test_the_first_row_or_a_column_of_every_table_of_scores_is_free(page):
    found = tables((PAGES / page).read_text(encoding="utf-8"))
    scores = [
        (header, first)
        for header, first in found
        if not any(header.startswith(one) for one in NO_SCORES[page])
    ]
    assert scores
    assert [
        header for header, first in scores if not FREE.search(f"{header}, {first}")
    ] == []


def test_every_page_is_looked_at():
    assert {path.name for path in PAGES.glob("*.md")} == set(NO_SCORES)


def test_no_exception_is_dead():
    for page, starts in NO_SCORES.items():
        headers = [head for head, _ in tables((PAGES / page).read_text("utf-8"))]
        for start in starts:
            assert any(head.startswith(start) for head in headers), (page, start)
