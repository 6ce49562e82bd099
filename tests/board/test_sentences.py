"""Every sentence, with data that make it true and data that make the opposite true."""

import pytest

from caveat.board.page import _sentences as sentences
from caveat.pages import prose

NAN = float("nan")


def test_so_far_is_said_only_of_what_is_still_running():
    finding = prose("The first four cannot be told apart")
    assert str(sentences.so_far(finding, True)).startswith("So far the first four")
    assert str(sentences.so_far(finding, False)) == str(finding)


def test_so_far_leaves_a_name_at_the_beginning_as_it_is():
    finding = sentences.cost_title(["LMM"], 2)
    assert (
        str(sentences.so_far(finding, True)) == "So far only LMM is worth its seconds"
    )
    named = sentences.leaderboard_heading(
        by_rank="LMM",
        by_mean="LMM",
        value="0.9",
        unit="AUC",
        to_reference="",
        short=False,
        to_free="",
        above=False,
    )
    assert str(sentences.so_far(named, True)).startswith("So far LMM has")


@pytest.mark.parametrize(
    ("leaders", "learners", "compared_by", "said"),
    [
        (["a"], 1, "nothing", "a was run alone."),
        (["a"], 2, "ranks", "a leads the other."),
        (["a"], 9, "ranks", "a leads the other eight."),
        (["a", "b"], 9, "ranks", "a and b share the lead."),
        (list("abcd"), 9, "ranks", "Four learners share the lead."),
        (["a", "b"], 2, "repeats", "Nothing separates a and b."),
        (list("abc"), 3, "ranks", "Nothing separates the three learners."),
        (["a"], 3, "nothing", "a has the best mean."),
    ],
)
def test_the_title_says_who_leads_and_whether_the_lead_is_real(
    leaders, learners, compared_by, said
):
    assert str(sentences.who_leads(leaders, learners, compared_by)) == said


def larger(**changes):
    numbers = {
        "leaders": 4,
        "learners": 9,
        "value": "0.85",
        "unit": "AUC",
        "free": "0.74",
        "reaches_free": True,
        "tuning": 0.0,
        "distance": 0.01,
    }
    return str(sentences.larger_finding(**(numbers | changes)))


def test_tuning_matters_more_only_if_it_moves_more_than_the_lead():
    assert larger(tuning=0.03) == "How you tune them matters more than which you take."
    assert "tune" not in larger(tuning=0.003)
    assert "tune" not in larger(tuning=NAN)
    assert larger(tuning=0.03, leaders=1).startswith("How it is tuned matters more")


def test_the_free_part_comes_before_all_if_nobody_reaches_it():
    assert (
        larger(reaches_free=False, tuning=1)
        == "No learner reaches the free part, 0.74."
    )
    assert larger(reaches_free=False, learners=1).startswith("It does not reach")
    assert larger() == "The best scores 0.85, clustering 0.74 without a label."


def test_without_a_free_part_the_title_ends_with_the_best_mean():
    assert larger(free="", reaches_free=False) == "The best mean is 0.85 AUC."


def stand(**changes):
    facts = {
        "leaders": ["a", "b"],
        "others": ["c"],
        "compared_by": "ranks",
        "where": "20 worlds",
        "distance": "0.01",
        "unit": "AUC",
    }
    return str(sentences.standing(**(facts | changes)))


def test_the_lede_names_those_who_cannot_be_told_from_the_leader():
    assert "nothing separates it from b: they lie within 0.01 AUC" in stand()
    assert stand(leaders=["a"], others=["b", "c"]).endswith(
        "the next, b, is 0.01 AUC behind."
    )
    assert "alone" in stand(leaders=["a"], others=[])
    assert "no test compares them" in stand(compared_by="nothing", leaders=["a"])
    assert "has the best mean on 20 worlds" in stand(compared_by="repeats")


def test_the_lede_says_where_tuning_moves_a_learner():
    assert str(sentences.tuning_moves("0.03", "AUC", "In the hard worlds")).startswith(
        "In the hard worlds the choice"
    )
    assert str(sentences.tuning_moves("0.03", "AUC", "")).startswith("On average")


@pytest.mark.parametrize(
    ("planned", "done", "failed", "said"),
    [
        (2700, 2659, 41, "2,700 trials are planned, 2,659 gave a value, 41 failed"),
        (2700, 2700, 0, "All 2,700 planned trials gave a value"),
        (1, 1, 0, "The one planned trial gave a value"),
        (12, 0, 12, "None of 12 trials gave a value"),
        (2700, 1200, 4, "1,204 of 2,700 trials have ended, 4 failed"),
        (2700, 1204, 0, "1,204 of 2,700 trials have ended, none failed"),
    ],
)
def test_the_first_heading_counts_what_was_run(planned, done, failed, said):
    assert str(sentences.run_heading(planned, done, failed)) == said


def board(**changes):
    facts = {
        "by_rank": "a",
        "by_mean": "b",
        "value": "0.85",
        "unit": "AUC",
        "to_reference": "",
        "short": False,
        "to_free": "",
        "above": False,
    }
    return str(sentences.leaderboard_heading(**(facts | changes)))


def test_the_leaderboard_says_who_is_best_by_what():
    assert board() == "a has the best average rank, b the best mean"
    assert board(by_mean="a") == "a has the best average rank and the best mean"
    assert board(by_rank="") == "b scores 0.85 AUC"


def test_the_leaderboard_says_how_far_the_references_are():
    assert board(to_free="0.10", above=True).endswith("0.10 better than the free part")
    assert board(to_free="0.10", above=False).endswith("0.10 worse than the free part")
    near = {"to_reference": "0.05", "to_free": "0.10"}
    assert board(short=True, **near).endswith("; 0.05 short of full labels")
    assert board(short=False, **near).endswith("; 0.05 better than full labels")


def different(cliques, order, *, differ=True, p=0.0001):
    return str(sentences.difference_heading(cliques, order, p=p, differ=differ))


def test_learners_are_told_apart_only_if_the_test_says_so():
    order = list("abcdefg")
    assert different([order], order, differ=False, p=0.42) == (
        "Ranks tell no two learners apart: p = 0.420"
    )
    both = different(["abcd", "efg"], order)
    assert both == "The first four cannot be told apart, and neither can the last three"
    assert different(["abcd", "defg"], order) == "The first four cannot be told apart"
    assert different(["bc"], order) == "a can be told from all others"
    assert different(["efg"], order).endswith("the last three cannot be told apart")
    assert different(["bcdefg"], order) == "a can be told from all others"


def test_one_block_is_judged_by_its_repeats():
    assert "nothing tells" in str(sentences.repeats_heading(["a", "b"], 2, 1))
    assert "Five repeats tell no two" in str(
        sentences.repeats_heading(["a", "b"], 2, 5)
    )
    assert "a is told from all" in str(sentences.repeats_heading(["a"], 4, 5))
    assert "first two apart" in str(sentences.repeats_heading(["a", "b"], 4, 5))


def test_the_matrix_says_who_is_first_where():
    one = {"": {"a": 11, "b": 9}}
    assert str(sentences.matrix_title(one, 20, "worlds")) == (
        "a is first in 11 of 20 worlds"
    )
    same = {"naive": {"a": 2, "b": 0}, "hard": {"a": 3, "b": 1}}
    assert "a has the most first places everywhere" in str(
        sentences.matrix_title(same, 6, "worlds")
    )
    other = {"naive": {"a": 2, "b": 0}, "hard": {"a": 1, "b": 3}}
    assert str(sentences.matrix_title(other, 6, "worlds")) == (
        "a is most often first in naive, b most often in hard"
    )
    nobody = {"": {"a": 0, "b": 0}}
    assert "Nobody is first" in str(sentences.matrix_title(nobody, 2, "worlds"))


def selection(honest, oracles=None):
    return str(sentences.selection_heading(honest, oracles or {}, "AUC", 3))


def test_selection_costs_what_the_rules_cost():
    assert selection({"a": 0.006, "b": 0.047}) == (
        "Honest tuning costs 0.006 to 0.047 AUC, depending on the rule"
    )
    assert selection({"a": 0.006, "b": 0.0061}) == (
        "Honest tuning costs 0.006 AUC, whatever the rule"
    )
    assert selection({"a": 0.006}) == "Tuning by a costs 0.006 AUC"
    assert selection({}, {"oracle": 0.001}).startswith(
        "Only rules that read true labels"
    )
    assert selection({}) == "There was nothing to choose: one row per search"


def test_a_rule_stands_apart_only_if_its_interval_does():
    assert str(sentences.regret_title(["a", "b", "c"], ["c"])) == (
        "c gives up more than a, beyond chance"
    )
    assert "overlap" in str(sentences.regret_title(["a", "b", "c"], []))
    assert str(sentences.regret_title(["a", "b", "c"], ["b", "c"])) == (
        "a gives up least, beyond chance"
    )
    assert str(sentences.regret_title(["a"], [])) == "What a gives up"


def cost(rival="b", ratio=0.3):
    return str(
        sentences.cost_heading(
            best="a", rival=rival, gap="0.011", unit="AUC", ratio=ratio, seconds=2.0
        )
    )


def test_the_rival_is_faster_or_there_is_none():
    assert cost() == "b comes within 0.011 AUC of the best in a third of the time"
    assert cost(ratio=0.99).endswith("in nearly the same time")
    assert cost(rival="").startswith("a is the best and the fastest")


def test_only_the_frontier_is_worth_its_seconds():
    assert str(sentences.cost_title(["a", "b"], 5)) == (
        "Only a and b are worth their seconds"
    )
    assert str(sentences.cost_title(["a"], 5)) == "Only a is worth its seconds"
    assert str(sentences.cost_title(["a", "b"], 2)).startswith("Every learner is worth")
    assert str(sentences.cost_title(["a"], 1)) == "What a takes"


def test_failures_are_counted_and_never_filled_in():
    assert str(sentences.failures_heading(0, 0)) == "No trial failed"
    assert str(sentences.failures_heading(1, 1)).startswith("One trial failed")
    assert str(sentences.failures_heading(41, 4)) == (
        "41 trials failed, for four reasons; none was filled in"
    )
    assert "for one reason" in str(sentences.failures_heading(2, 1))


def test_a_running_study_says_how_far_it_is():
    assert str(sentences.trials_so_far(1204, 2700)) == "1,204 of 2,700 trials so far."
