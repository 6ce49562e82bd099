import pytest

from caveat.exceptions import InvalidInput, UnknownName
from caveat.statistics import direction_of, resolve_rule


@pytest.mark.parametrize(
    ("column", "key"),
    [
        ("test.f1", ("measure", "test.f1")),
        ("test.f1", ("measure", "f1")),
        ("oracle.f1", ("measure", "test.f1")),
        ("oracle.f1", ("criterion", "oracle.f1")),
        ("criterion.f1", ("criterion", "criterion.f1")),
        ("criterion.f1", ("criterion", "f1")),
    ],
)
def test_the_glossary_is_searched_by_column_and_by_name(column, key):
    assert direction_of(column, glossary={key: {"direction": "min"}}) == "min"


def test_a_criterion_and_a_measure_of_one_name_keep_their_directions():
    words = {
        ("criterion", "criterion.x"): {"direction": "min"},
        ("measure", "test.x"): {"direction": "max"},
    }
    assert direction_of("criterion.x", glossary=words) == "min"
    assert direction_of("test.x", glossary=words) == "max"
    assert direction_of("oracle.x", glossary=words) == "max"


def test_a_rule_may_bring_its_direction():
    facts = {"column": "oracle.x", "direction": "min", "oracle": True}
    rule = resolve_rule("r", glossary={("rule", "r"): facts})
    assert (rule.direction, rule.sign, rule.checkpoint) == ("min", -1.0, "best")


def test_a_column_of_another_role_than_criterion_is_an_oracle():
    columns = ["criterion.x", "oracle.x", "test.x"]
    found = [
        resolve_rule(name, glossary={}, columns=columns, direction="max").oracle
        for name in columns
    ]
    assert found == [False, True, True]


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"column": "criterion.x", "checkpoint": "first"}, "checkpoint of rule 'r'"),
        ({"column": "criterion.x", "direction": "up"}, "direction is 'up'"),
        ({"column": "criterion.x"}, "nothing says whether larger or smaller"),
        ({}, "names no column"),
    ],
)
def test_a_rule_that_says_too_little_is_refused(facts, words):
    with pytest.raises(InvalidInput, match=words):
        resolve_rule("r", glossary={("rule", "r"): facts})


def test_an_unknown_rule_gets_a_hint():
    with pytest.raises(UnknownName, match=r"did you mean 'criterion\.cover'"):
        resolve_rule("criterion.covr", glossary={}, columns=["criterion.cover"])
