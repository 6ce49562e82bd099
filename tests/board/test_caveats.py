"""Every caveat, with numbers that call for it and numbers that do not."""

import pytest

from caveat.board.page import _caveats as caveats


def fired(caveat, severity):
    assert caveat is not None
    assert caveat.severity == severity
    return str(caveat.words)


def below(reaches):
    return caveats.below_free_part(
        where="in the naive worlds",
        best="em-lr",
        value="0.724",
        free="0.742",
        reaches=reaches,
        part="2 of 20 worlds.",
        size=0.1,
        star="below-1",
    )


def test_below_the_free_part_is_serious():
    assert fired(below(False), "serious") == (
        "In the naive worlds no learner reaches the free part: the best, em-lr, scores "
        "0.724, clustering 0.742."
    )
    assert below(True) is None


def test_most_of_a_score_being_free_calls_for_care():
    words = {"free": "0.74", "best": "0.84", "unit": "AUC"}
    assert "71\u00a0% of the rise" in fired(
        caveats.mostly_free(share=0.71, **words), "careful"
    )
    assert caveats.mostly_free(share=0.5, **words) is None
    assert caveats.mostly_free(share=float("nan"), **words) is None


def test_numbers_chosen_by_an_oracle_are_serious():
    assert "reads true labels" in fired(caveats.chosen_by_oracle("o", True), "serious")
    assert caveats.chosen_by_oracle("cv", False) is None


def test_searches_without_a_rule_are_serious():
    assert "3 searches hold several rows" in fired(caveats.no_rule(3, 60), "serious")
    assert caveats.no_rule(0, 0) is None


def test_a_learner_without_any_value_is_serious():
    said = fired(caveats.gave_nothing(["mm"], "worlds", 20), "serious")
    assert said == "mm gave no value in any of 20 worlds."
    assert caveats.gave_nothing([], "worlds", 20) is None


def failed(**changes):
    numbers = {
        "failed": 41,
        "planned": 2700,
        "worst": "ic",
        "by_worst": 36,
        "left_out": 2,
        "many": "worlds",
    }
    return caveats.failed_trials(**(numbers | changes))


def test_failed_trials_are_counted_with_who_failed_most():
    assert fired(failed(), "careful") == (
        "41 of 2,700 trials gave no value, 36 of them from ic; its mean leaves out two "
        "worlds."
    )
    assert fired(failed(by_worst=41), "careful").endswith(
        "all from ic; its mean leaves out two worlds."
    )
    assert "leaves out" not in fired(failed(left_out=0), "careful")
    assert failed(failed=0) is None


def test_incomplete_searches_call_for_care():
    assert "4 of 90 searches" in fired(caveats.incomplete_searches(4, 90), "careful")
    assert caveats.incomplete_searches(0, 90) is None


def rules(apart):
    return caveats.rules_differ(
        where="in the hard worlds",
        worst="full",
        high="0.047",
        best="split",
        low="0.014",
        unit="AUC",
        apart=apart,
        size=0.3,
    )


def test_rules_differ_only_beyond_chance():
    assert fired(rules(True), "careful") == (
        "Tuned by full in the hard worlds, a learner gives up 0.047 AUC; by split, "
        "0.014."
    )
    assert rules(False) is None


def sets(first_count, leader_count, first="lmm"):
    return caveats.best_sets_disagree(
        first=first,
        first_count=first_count,
        leader="em-lr",
        leader_count=leader_count,
        many="worlds",
    )


def test_best_sets_disagree_with_the_leader_or_not():
    assert "lmm is in the best set of 14 worlds, em-lr of 11" in fired(
        sets(14, 11), "careful"
    )
    assert sets(11, 11) is None
    assert sets(14, 11, first="em-lr") is None


def test_measures_disagree_or_not():
    said = fired(caveats.measures_disagree({"AUC": "a", "F1": "b"}), "careful")
    assert said == "One of two measures has another leader: by F1 it is b, by AUC a."
    three = {"AUC": "a", "F1": "b", "ECE": "b"}
    assert "Two of three measures have" in fired(
        caveats.measures_disagree(three), "careful"
    )
    assert caveats.measures_disagree({"AUC": "a", "F1": "a"}) is None
    assert caveats.measures_disagree({}) is None


def test_a_guessed_direction_is_said():
    assert "larger or smaller odd" in fired(
        caveats.guessed_direction(["odd"]), "careful"
    )
    assert caveats.guessed_direction([]) is None


def test_worlds_of_one_data_set_are_not_data_sets():
    said = fired(caveats.one_data_set("adult", 20), "note")
    assert said.startswith("20 worlds of one data set are not 20 data sets.")
    assert caveats.one_data_set("adult", 1) is None


@pytest.mark.parametrize(
    ("blocks", "few"), [(1, False), (2, True), (9, True), (10, False)]
)
def test_few_blocks_make_a_rough_test(blocks, few):
    assert (caveats.few_blocks(blocks, "worlds") is not None) == few


def test_copies_of_a_repeat_are_told():
    found = fired(caveats.copied_repeats(3), "careful")
    assert found == (
        "Left out: 3 searches on the split of an earlier repeat; a copy counts once."
    )
    assert caveats.copied_repeats(0) is None


def test_one_repeat_says_nothing_of_variation():
    assert "one run" in fired(caveats.one_repeat(1), "note")
    assert caveats.one_repeat(2) is None


def test_an_unknown_free_part_is_said_with_its_reason():
    def unknown(asked, known):
        return caveats.no_free_part(asked=asked, known=known, datasets=3, unit="F1")

    assert fired(unknown(False, 0), "note").startswith("No baseline was run")
    assert fired(unknown(True, 0), "note").startswith("The baseline has no F1")
    assert "2 of 3 data sets" in fired(unknown(True, 2), "note")
    assert unknown(True, 3) is None


def test_times_of_several_hosts_were_not_taken_side_by_side():
    assert "3 hosts" in fired(caveats.several_hosts(3), "note")
    assert caveats.several_hosts(1) is None


def test_several_versions_call_for_care():
    mixed = {"numpy": ["2.3", "2.4"], "scipy": ["1.17"]}
    assert fired(caveats.several_versions(mixed), "careful") == (
        "Trials ran under two versions of numpy, 2.3 and 2.4."
    )
    assert caveats.several_versions({"numpy": ["2.4"]}) is None


def test_rules_that_cannot_be_used_are_named():
    assert "1 selection rule could not" in fired(
        caveats.rules_left_out(["why"]), "note"
    )
    assert caveats.rules_left_out([]) is None
