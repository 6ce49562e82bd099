"""Section *Are they different?*: average ranks and what tests make of them."""

from __future__ import annotations

import pandas as pd

from caveat.board.figures._critical_difference import critical_difference_figure
from caveat.board.page import _caveats as caveats
from caveat.board.page import _sentences as sentences
from caveat.board.page._context import Context
from caveat.pages import (
    Caveat,
    Download,
    Figure,
    Notice,
    Prose,
    Section,
    count,
    fixed,
    name,
    p_value,
    prose,
    say,
)
from caveat.statistics._pairwise import wilcoxon_holm

_MOST_LEARNERS = 60


def difference_section(context: Context) -> Section:
    """Say which learners can be told apart."""
    heading, blocks = _finding(context)
    return Section(
        name="different",
        eyebrow="Are they different?",
        heading=sentences.so_far(heading, context.study.is_running),
        blocks=blocks,
        caveats=_notes(context),
    )


def _finding(context: Context) -> tuple[Prose, list[Figure | Notice]]:
    scores, study = context.scores, context.study
    if len(study.learners) < 2:
        only = name(context.names[study.learners[0]])
        words = say("Add a second learner to compare {who} with.", who=only)
        return say("{who} was run alone, so nothing is compared", who=only), [
            Notice(words)
        ]
    if scores.compared_by == "ranks":
        assert scores.rank_table is not None
        assert scores.friedman is not None
        order = list(scores.rank_table.ranks.index)
        heading = sentences.difference_heading(
            scores.cliques, order, p=scores.friedman.tied_f_p, differ=scores.differ
        )
        return heading, [_figure(context)]
    if scores.compared_by == "repeats":
        repeats = int(scores.cells.n.max())
        heading = sentences.repeats_heading(
            [context.names[one] for one in scores.leaders],
            len(scores.intervals),
            repeats,
        )
        best = ", ".join(context.names[one] for one in scores.leaders)
        words = say(
            "Ranks need at least two {many}; there is one. By t-tests over repeats the "
            "best set is: {best}.",
            many=study.noun.many,
            best=best,
        )
        return heading, [Notice(words)]
    words = say(
        "No {one} was run by all learners, so there are no ranks to compare.",
        one=study.noun.one,
    )
    return prose("The learners were not run in the same places"), [Notice(words)]


def _figure(context: Context) -> Figure:
    scores = context.scores
    ranks, test = scores.rank_table, scores.friedman
    assert ranks is not None
    assert test is not None
    shown = context.names
    averages = ranks.ranks.rename(shown)
    cliques = [[shown[one] for one in clique] for clique in scores.cliques]
    reach = scores.critical_difference
    nemenyi = (
        f", then Nemenyi at 0.05: critical difference {fixed(reach, 2)}"
        if reach is not None
        else ", so no pair is tested"
    )
    left_out = len(scores.blocks) - ranks.n_blocks
    conditions = say(
        "Average ranks over {n} {many}{left}; Friedman {p}{nemenyi}. Ties share a "
        "rank; a failed cell is last.",
        n=count(ranks.n_blocks),
        many=context.study.noun(ranks.n_blocks),
        left=f" ({count(left_out)} left out: not run by all)" if left_out else "",
        p=p_value(test.tied_f_p),
        nemenyi=nemenyi,
    )
    listed = ", ".join(f"{one} {fixed(rank, 2)}" for one, rank in averages.items())
    joined = "; ".join(", ".join(clique) for clique in cliques) or "none"
    fits = len(averages) <= _MOST_LEARNERS
    return critical_difference_figure(
        f"{context.prefix}critical-difference",
        averages,
        cliques,
        reach,
        title="Learners joined by a bar differ by less than chance would"
        if scores.differ
        else "The bar joins all learners: chance could explain their ranks",
        label=f"Average ranks, best first: {listed}. Not told apart: {joined}.",
        conditions=conditions,
        downloads=[context.csv("average-ranks", _frame(context)), *_pairs(context)],
        cannot=""
        if fits
        else say(
            "{n} learners do not fit into one diagram; the CSV file has their ranks.",
            n=count(len(averages)),
        ),
    )


def _frame(context: Context) -> pd.DataFrame:
    ranks = context.scores.rank_table
    assert ranks is not None
    frame = ranks.ranks.rename("average_rank").rename_axis("learner").reset_index()
    groups = {
        one: " ".join(
            str(number)
            for number, clique in enumerate(context.scores.cliques, start=1)
            if one in clique
        )
        for one in frame["learner"]
    }
    return frame.assign(cliques=frame["learner"].map(groups), blocks=ranks.n_blocks)


def _pairs(context: Context) -> list[Download]:
    """Wilcoxon tests of all pairs, which do not depend on third learners."""
    ranks = context.scores.rank_table
    assert ranks is not None
    if ranks.n_learners > _MOST_LEARNERS:
        return []
    table = context.scores.means.loc[ranks.table.index]
    tests = wilcoxon_holm(
        table, direction=context.measure.direction, missing="drop-block"
    )
    return [context.csv("pairs", tests, "Wilcoxon CSV")]


def _notes(context: Context) -> list[Caveat]:
    scores, study = context.scores, context.study
    counts = scores.best_set_counts
    leader = scores.leaders[0] if scores.leaders else ""
    found = [
        caveats.few_blocks(
            scores.rank_table.n_blocks if scores.rank_table else 0, study.noun.many
        ),
        caveats.one_data_set(
            study.datasets[0], len(study.blocks) if len(study.datasets) == 1 else 0
        ),
    ]
    if counts and leader:
        first = max(counts, key=lambda one: counts[one])
        found.append(
            caveats.best_sets_disagree(
                first=context.names[first],
                first_count=counts[first],
                leader=context.names[leader],
                leader_count=counts[leader],
                many=study.noun.many,
            )
        )
    return [one for one in found if one is not None]
