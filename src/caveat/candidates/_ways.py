"""All ways from answers to labels, and the choice among them without truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from caveat.candidates._findings import findings
from caveat.candidates._table import CrowdTable
from caveat.candidates.crowd import (
    MODELS,
    Answers,
    DawidSkene,
    HeldOut,
    PooledCrowd,
    leave_out,
)
from caveat.candidates.result import VOTE, Result
from caveat.exceptions import MissingExtra

Floats = NDArray[np.float64]
Way = Callable[[Answers], Floats]
Progress = Callable[[int, int], None]

USUAL = "pooled"
_UNLESS = (
    "the rule “pooled, unless the vote or features predict left-out answers better”"
)
_LEAST_TO_LEARN = 30


def can_learn(table: CrowdTable) -> bool:
    """Whether there are features, two classes, and answered items enough to learn."""
    answered = int((table.answers.per_item > 0).sum())
    enough = answered >= _LEAST_TO_LEARN and len(table.answers.classes) > 1
    return table.X.shape[1] > 0 and enough


def examine_candidates(
    table: CrowdTable,
    *,
    algorithms: Sequence[str] = ("proden",),
    learn: bool = True,
    steps: int = 1000,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Result:
    """Label the items in every way, choose one without truth, and judge it.

    Parameters
    ----------
    table : CrowdTable
        As `read_candidates` gives it.
    algorithms : sequence of str
        Partial-label algorithms to try, where there are features.
    learn : bool, default=True
        Whether to learn from features, where there are any.
    steps : int, default=1000
        Training steps of an algorithm.
    random_state : int
    progress : callable, optional
        Gets ``(done, total)``.

    Returns
    -------
    Result
    """
    given = table.answers
    tell = progress or (lambda done, total: None)
    ways = _crowd_ways(table)
    notes = [*table.notes]
    if learn and can_learn(table):
        more, said = _feature_ways(table, algorithms, steps, random_state)
        ways |= more
        notes += said
    tell(1, 3)
    posterior = {name: way(given) for name, way in ways.items()}
    held = leave_out(given, ways, random_state=random_state) if table.people else None
    tell(2, 3)
    chosen, rule = _choose(table, posterior, held)
    if held is not None and not _fact(chosen, "calibrated"):
        posterior[chosen] = held.calibrated(chosen, given, posterior[chosen])
    found = findings(table, posterior, held, chosen, rule, tuple(notes), random_state)
    tell(3, 3)
    return found


def _fact(way: str, fact: str) -> bool:
    return way in MODELS and bool(MODELS[way].facts.get(fact))


def _crowd_ways(table: CrowdTable) -> dict[str, Way]:
    """Give every model of the crowd; one person alone is taken to be as usual."""
    several = table.people and len(table.answers.annotators) > 1
    names = list(MODELS) if several else [VOTE]

    def way(name: str) -> Way:
        return lambda left: MODELS[name].load()().fit(left).posterior_

    ways = {name: way(name) for name in names}
    if table.people:
        ways[USUAL] = PooledCrowd().fit(table.answers).posterior_of
    return ways


def _feature_ways(
    table: CrowdTable, algorithms: Sequence[str], steps: int, seed: int
) -> tuple[dict[str, Way], list[str]]:
    """Give the ways that learn from features, all of them out of fold."""
    from caveat.candidates.crowd._soft_targets import CrowdClassifier

    ways: dict[str, Way] = {}
    notes: list[str] = []
    if table.people and len(table.answers.annotators) > 1:
        joint = CrowdClassifier(random_state=seed).fit(table.X, table.answers)
        ways["soft-targets"] = lambda left: joint.soft_
        # The classifier says the same whatever is left of an item's own answers.
        ways["joint"] = lambda left: (
            DawidSkene().fit(left, item_prior=joint.out_of_fold_).posterior_
        )
    try:
        from caveat.candidates._advice import out_of_fold
    except (ImportError, MissingExtra) as missing:
        return ways, [*notes, f"no network was trained: {missing}"]
    for name in algorithms:
        told = out_of_fold(table.X, table.sets, name, steps=steps, random_state=seed)
        ways[name] = partial(_among, told)
    return ways, notes


def _among(proba: Floats, answers: Answers) -> Floats:
    """Keep the probabilities of the labels that somebody named."""
    named = answers.votes() > 0
    named[~named.any(axis=1)] = True
    kept = np.where(named, np.maximum(proba, 1e-9), 0.0)
    return kept / kept.sum(axis=1, keepdims=True)


def _choose(
    table: CrowdTable, posterior: Mapping[str, Floats], held: HeldOut | None
) -> tuple[str, str]:
    """Choose by answers that were left out, or as such answers would not help."""
    if held is not None:
        # One-coin and class-skill restrict the tables that pooled draws. The weighted
        # vote and glad do not; they are shown beside it, and never chosen.
        rivals = [n for n in posterior if n not in MODELS or _fact(n, "floor")]
        return held.choose(USUAL, rivals), _UNLESS
    if not table.people and len(posterior) > 1:
        network = next(name for name in posterior if name not in MODELS)
        return network, "the rule “what learns from features”"
    if table.people:
        return USUAL, "the rule “pooled, where no item has two answers”"
    return VOTE, "the rule “the vote, where nobody is named”"
