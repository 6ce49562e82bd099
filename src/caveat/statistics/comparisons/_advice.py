"""Which test fits a design, in one sentence, as a page can print it."""

from __future__ import annotations


def fitting_test(*, data_sets: int, learners: int, repeats: int) -> str:
    """Name the test that compares learners in this design, and why.

    Parameters
    ----------
    data_sets : int
        Data sets that all learners share.
    learners : int
    repeats : int
        Splits or folds on each data set.

    Returns
    -------
    str, one sentence

    Examples
    --------
    >>> fitting_test(data_sets=1, learners=2, repeats=10)
    'One data set, 10 splits that share rows: the corrected resampled t-test of the
    paired differences.'
    >>> fitting_test(data_sets=12, learners=4, repeats=3)
    'Twelve data sets and four learners: Friedman over ranks, then Wilcoxon signed-rank
    tests of pairs, with Holm correction for all comparisons.'
    """
    if learners < 2:
        return "One learner: there is nothing to compare it with."
    if data_sets == 1 and repeats < 2:
        return "One data set, one split: no test; only its rows can be resampled."
    if data_sets == 1:
        holm = "" if learners == 2 else ", with Holm correction for all comparisons"
        return (
            f"One data set, {repeats} splits that share rows: the corrected resampled "
            f"t-test of the paired differences{holm}."
        )
    if data_sets < 6:
        return (
            f"{_word(data_sets)} data sets: too few for a test over data sets (six "
            "differences are the least that can reach p = 0.05); each is compared "
            f"by itself, {_alone(repeats)}."
        )
    if learners == 2:
        return (
            f"{_word(data_sets)} data sets and two learners: the Wilcoxon signed-rank "
            "test of the differences."
        )
    return (
        f"{_word(data_sets)} data sets and {_word(learners).lower()} learners: "
        "Friedman over ranks, then Wilcoxon signed-rank tests of pairs, with Holm "
        "correction for all comparisons."
    )


def _alone(repeats: int) -> str:
    if repeats < 2:
        return "and one split allows no test"
    return (
        f"by the corrected resampled t-test over its {repeats} splits, and so is the "
        "mean over the data sets"
    )


def _word(number: int) -> str:
    words = (
        *("No", "One", "Two", "Three", "Four", "Five", "Six"),
        *("Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve"),
    )
    return words[number] if number < len(words) else str(number)
