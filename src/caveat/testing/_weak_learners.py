"""What learners of one kind owe besides."""

from __future__ import annotations

from typing import Any

import numpy as np

from caveat.testing._assertions import answers, must_raise, require
from caveat.testing._problems import bagged, many_labelled, partly_labelled, plain


def labels_come_back_as_they_were(estimator: Any) -> None:
    """Take text, give text."""
    problem = plain()
    model = problem.fit(estimator, np.array(["no", "yes"])[problem.truth])
    found = set(np.asarray(model.predict(problem.X)).tolist())
    require(
        estimator,
        found <= {"no", "yes"} and list(model.classes_) == ["no", "yes"],
        f"labels 'no' and 'yes' come back as {sorted(map(str, found))}",
    )


def true_labels_are_never_read(estimator: Any) -> None:
    """Refuse to be lured by `y` when bags are given."""
    problem = bagged()
    blind = answers(problem.fit(estimator), problem.X)
    lured = answers(problem.fit(estimator, 1 - problem.truth), problem.X)
    require(
        estimator, np.array_equal(blind, lured), "y is read, although there are bags"
    )


def bag_numbers_are_only_names(estimator: Any) -> None:
    """Answer the same, whatever the bags are called."""
    problem = bagged()
    bags, proportions = problem.named["bags"], problem.named["proportions"]
    names = np.array(list("uvwxyz"))
    table = dict(zip(names.tolist(), proportions, strict=True))
    expected = answers(problem.fit(estimator), problem.X)
    named = problem.fit(estimator, bags=names[bags], proportions=table)
    require(
        estimator,
        np.allclose(answers(named, problem.X), expected, atol=1e-6),
        "bags named by letters give other answers than bags named by numbers",
    )
    if "random_state" in estimator.get_params():
        return  # In another order it would draw other numbers.
    order = np.array([3, 0, 5, 1, 4, 2])
    turned = problem.fit(
        estimator, bags=np.argsort(order)[bags], proportions=proportions[order]
    )
    require(
        estimator,
        np.allclose(answers(turned, problem.X), expected, atol=1e-3),
        "numbering the bags in another order changes the answers",
    )


def one_share_per_bag_is_that_of_class_one(estimator: Any) -> None:
    """Take one share per bag for both."""
    problem = bagged()
    shares = problem.named["proportions"][:, 1]
    require(
        estimator,
        np.allclose(
            answers(problem.fit(estimator, proportions=shares), problem.X),
            answers(problem.fit(estimator), problem.X),
            atol=1e-6,
        ),
        "one share per bag gives other answers than both",
    )


def an_empty_bag_does_no_harm(estimator: Any) -> None:
    """Take no notice of proportions without items."""
    problem = bagged()
    more = np.vstack([problem.named["proportions"], [[0.5, 0.5]]])
    given = answers(problem.fit(estimator, proportions=more), problem.X)
    require(estimator, bool(np.isfinite(given).all()), "an empty bag gives NaN")
    if "random_state" in estimator.get_params():
        return  # One bag more, and it draws other numbers.
    expected = answers(problem.fit(estimator), problem.X)
    require(
        estimator,
        np.allclose(given, expected, atol=1e-6),
        "a bag without items changes the answers",
    )


def counts_and_nonsense_are_refused(estimator: Any) -> None:
    """Refuse proportions that are no shares, and bags that have none."""
    problem = bagged()
    bags, proportions = problem.named["bags"], problem.named["proportions"]
    gap = proportions.copy()
    gap[2] = np.nan
    wrong: dict[str, dict[str, Any]] = {
        "counts instead of shares": {"proportions": (proportions * 50).round()},
        "shares that sum to 0.9": {"proportions": proportions * 0.9},
        "shares that are NaN": {"proportions": gap},
        "bag numbers beyond the table": {"bags": bags + 1},
        "fewer bags than items": {"bags": bags[:-1]},
        "bags without proportions": {"proportions": None},
    }
    for what, change in wrong.items():
        with must_raise(estimator, (ValueError, TypeError, LookupError), what):
            problem.fit(estimator, **change)


def without_bags_it_is_a_plain_classifier(estimator: Any) -> None:
    """Learn from labels in the clean limit: every item a bag of its own."""
    problem = plain()
    right = problem.share_right(problem.fit(estimator))
    require(estimator, right > 0.8, f"with a label per item only {right:.0%} are right")


def one_candidate_each_is_a_label(estimator: Any) -> None:
    """Learn the same in the clean limit from one candidate each and from labels."""
    problem = partly_labelled()
    sets = problem.fit(estimator, np.eye(3, dtype=bool)[problem.truth])
    labels = problem.fit(estimator, problem.truth)
    require(
        estimator,
        np.allclose(answers(sets, problem.X), answers(labels, problem.X), atol=1e-6),
        "one candidate each gives other answers than the labels themselves",
    )


def sets_without_sense_are_refused(estimator: Any) -> None:
    """Refuse candidates that are no truth values, or none at all."""
    problem = partly_labelled()
    sets = problem.told[0]
    none = sets.copy()
    none[3] = False
    wrong = {
        "a row without a candidate": none,
        "entries of 2": sets.astype(int) * 2,
        "entries that are NaN": np.where(sets, 1.0, np.nan),
        "fewer rows than items": sets[:-1],
    }
    for what, candidates in wrong.items():
        with must_raise(estimator, (ValueError, TypeError), what):
            problem.fit(estimator, candidates)


def a_set_of_all_classes_does_no_harm(estimator: Any) -> None:
    """Stay finite where nothing is excluded."""
    problem = partly_labelled()
    sets = problem.told[0].copy()
    sets[:5] = True
    given = answers(problem.fit(estimator, sets), problem.X)
    require(
        estimator,
        bool(np.isfinite(given).all()),
        "rows whose candidates are all classes give NaN",
    )


def matrices_without_sense_are_refused(estimator: Any) -> None:
    """Refuse label matrices of anything but 0 and 1."""
    problem = many_labelled()
    Y = problem.truth
    wrong = {
        "labels in one column": Y[:, 0],
        "entries of 2": Y * 2,
        "fewer rows than items": Y[:-1],
    }
    for what, matrix in wrong.items():
        with must_raise(estimator, (ValueError, TypeError), what):
            problem.fit(estimator, matrix)


def a_label_that_never_varies_does_no_harm(estimator: Any) -> None:
    """Stay finite where all items have a label, or none has."""
    problem = many_labelled()
    size = len(problem.truth)
    more = np.column_stack([problem.truth, np.ones(size, int), np.zeros(size, int)])
    given = answers(problem.fit(estimator, more), problem.X)
    require(
        estimator,
        bool(np.isfinite(given).all()),
        "a label that never varies gives NaN",
    )
