"""Common checks: what every learner owes, for learners of your own too.

Each `check_...` runs all checks of one kind of learner on small made-up data, and
raises an `AssertionError` of one sentence at the first that fails. `checks_of` lists
them one by one, for instance for `pytest.mark.parametrize`.

`zoo` makes tables with one planted fault each, to try an audit on; `assert_audit`
holds a table against rules.
"""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_audit": ["assert_audit"],
        "_checks": [
            "check_bag_learner",
            "check_classifier",
            "check_multilabel_learner",
            "check_partial_learner",
            "checks_of",
        ],
        "_replay": ["replay"],
        "planted._zoo": ["Case", "zoo"],
    },
)
