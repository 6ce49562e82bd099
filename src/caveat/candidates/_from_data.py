"""From a person's candidate labels to a Look, in one call: `caveat candidates`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.candidates import page
from caveat.candidates._table import CrowdTable, read_candidates
from caveat.candidates.crowd import (
    MODELS,
    Answers,
    DawidSkene,
    HeldOut,
    ambiguous_items,
    annotator_gain,
    ask_again,
    krippendorff_alpha,
    leave_out,
    pairwise_kappa,
)
from caveat.candidates.crowd._model import decide
from caveat.candidates.crowd._reliability import binomial_interval
from caveat.candidates.result import Result
from caveat.exceptions import InvalidInput, MissingExtra
from caveat.pages import About, Look, check_rules, count

Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]

VOTE, USUAL = "majority-vote", "pooled"
UNSURE = 0.7
_LEAST_TO_LEARN = 30
_BOOTSTRAP = 1000


def look(
    data: Any = None,
    candidates: str | None = None,
    annotators: Sequence[str] = (),
    answers: Any = None,
    truth: Any = None,
    *,
    columns: Mapping[str, str | None] | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    separator: str = "|",
    algorithms: Sequence[str] = ("proden",),
    steps: int = 1000,
    model: bool = True,
    rules: Sequence[str] = (),
    random_state: int = 0,
    command: str = "",
    progress: Progress | None = None,
) -> Look:
    """Look at what candidate labels, or a crowd's answers, are worth.

    Parameters
    ----------
    data : path, DataFrame or Dataset, optional
        A table of items; its other columns are features, ids and names apart.
    candidates : str, optional
        Its column with sets such as ``cat|dog``.
    annotators : sequence of str
        Its columns with one person's labels each, instead.
    answers : path or DataFrame, optional
        One row per answer, instead: item, annotator, label.
    truth : str, path or DataFrame, optional
        The true labels, where they are known: they judge, and choose nothing.
    columns : mapping, optional
        Names of the columns ``item``, ``annotator``, ``label`` where not the usual.
    drop : sequence of str
        Columns that are no features.
    keep : sequence of str
        Columns that stay features, though they only date or name their rows.
    separator : str, default="|"
    algorithms : sequence of str
        Partial-label algorithms to try, where there are features.
    steps : int, default=1000
        Training steps of these.
    model : bool, default=True
        Whether to learn from features, where there are any.
    rules : sequence of str
        Such as ``score<0.8``; see `Look.outcomes`.
    random_state : int
    command : str
        The command line that does the same.
    progress : callable, optional
        Gets ``(done, total)``.

    Returns
    -------
    Look

    Examples
    --------
    >>> rows = [(i, who, i % 2) for i in range(30) for who in ("ann", "ben", "cy")]
    >>> given = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    >>> found = look(answers=given)
    >>> found.extra["chosen"], len(found.tables["suggestions"])
    ('pooled', 30)
    """
    if steps < 1:
        raise InvalidInput(f"--steps is {steps}; one is the least")
    wanted = check_rules(rules)
    table = read_candidates(
        data,
        candidates=candidates,
        annotators=annotators,
        answers=answers,
        truth=truth,
        columns=columns,
        drop=drop,
        keep=keep,
        separator=separator,
    )
    found = examine_candidates(
        table,
        algorithms=algorithms,
        learn=model,
        steps=steps,
        random_state=random_state,
        progress=progress,
    )
    source = answers if data is None else data
    file = Path(source).name if isinstance(source, str | Path) else "a table"
    people = f"{found.annotators} annotators, " if table.people else ""
    about = About(
        file,
        candidates or "",
        "binary" if len(found.classes) == 2 else "multiclass",
        found.items,
        table.X.shape[1],
        f"{people}{len(found.classes)} classes",
        command,
        table.left_out,
    )
    network = algorithms[0] if model and algorithms and _can_learn(table) else ""
    saved = _saved(table, network, steps, random_state) if network else None
    return page.look(found, about, model=saved, rules=wanted)


def _saved(table: CrowdTable, name: str, steps: int, seed: int) -> bytes | None:
    """Fit a network on all items, and give it as a file for new ones."""
    try:
        from caveat.candidates._advice import fit_all_items
        from caveat.candidates._saved import save_model
    except (ImportError, MissingExtra):
        return None
    model = fit_all_items(table.X, table.sets, name, steps=steps, random_state=seed)
    with TemporaryDirectory() as folder:
        place = Path(folder) / "model.caveat"
        save_model(model, place)
        return place.read_bytes()


def _can_learn(table: CrowdTable) -> bool:
    """Whether there are features, and items enough to learn from."""
    return table.X.shape[1] > 0 and len(table.X) >= _LEAST_TO_LEARN


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
    if learn and _can_learn(table):
        more, said = _feature_ways(table, algorithms, steps, random_state)
        ways |= more
        notes += said
    tell(1, 3)
    posterior = {name: way(given) for name, way in ways.items()}
    held = leave_out(given, ways, random_state=random_state) if table.people else None
    tell(2, 3)
    chosen, rule = _choose(table, posterior, held)
    found = _result(table, posterior, held, chosen, rule, tuple(notes), random_state)
    tell(3, 3)
    return found


def _crowd_ways(table: CrowdTable) -> dict[str, Callable[[Answers], Floats]]:
    """Give every model of the crowd; one person alone can only be counted."""
    several = table.people and len(table.answers.annotators) > 1
    names = list(MODELS) if several else [VOTE]

    def way(name: str) -> Callable[[Answers], Floats]:
        return lambda left: MODELS[name].load()().fit(left).posterior_

    return {name: way(name) for name in names}


def _feature_ways(
    table: CrowdTable, algorithms: Sequence[str], steps: int, seed: int
) -> tuple[dict[str, Callable[[Answers], Floats]], list[str]]:
    """Give the ways that learn from features, all of them out of fold."""
    from caveat.candidates.crowd._soft_targets import CrowdClassifier

    ways: dict[str, Callable[[Answers], Floats]] = {}
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
    if held is not None and USUAL in posterior:
        return held.choose(USUAL), "predicting answers that were left out"
    if not table.people and len(posterior) > 1:
        network = next(name for name in posterior if name != VOTE)
        return network, "being the only way that learns from features"
    if USUAL in posterior:
        return USUAL, "being the usual one: no item has two answers"
    return VOTE, "being the only way without a second annotator"


def _result(
    table: CrowdTable,
    posterior: Mapping[str, Floats],
    held: HeldOut | None,
    chosen: str,
    rule: str,
    notes: tuple[str, ...],
    seed: int,
) -> Result:
    given = table.answers
    several = table.people and len(given.annotators) > 1
    told = posterior[chosen]
    model = DawidSkene().fit(given)
    truth = table.truth
    judged = None if truth is None or not (truth >= 0).any() else truth
    empty = given.per_item == 0
    codes, vote = decide(told), decide(posterior[VOTE])
    again = ask_again(model, told) if several else _without_people(given, told)
    right, constant, known = _right(told, codes, given, judged)
    names = np.array(given.classes, dtype=object)
    suggestions = pd.DataFrame(
        {
            "item": given.items,
            "label": names[codes],
            "probability": told[np.arange(len(told)), codes],
            "source": chosen,
            "vote": np.where(empty, "", names[vote]),
        }
    )
    if chosen not in ("soft-targets", "joint"):
        suggestions.loc[empty, ["label", "source"]] = ["", "no answers"]
        suggestions.loc[empty, "probability"] = np.nan
    nothing = (np.nan, np.nan, np.nan)
    curve = annotator_gain(model, judged, random_state=seed) if several else None
    return Result(
        items=len(given.items),
        annotators=len(given.annotators) if table.people else 0,
        answers=len(given),
        classes=tuple(str(name) for name in given.classes),
        vague=float(given.sizes.mean()),
        people_known=table.people,
        chosen=chosen,
        rule=rule,
        known=known,
        accuracy=right,
        difference=_difference(codes, vote, judged, seed),
        ahead=_ahead(held, chosen),
        constant=constant,
        alpha=krippendorff_alpha(given, random_state=seed) if several else nothing,
        unsure=int((suggestions["probability"] < UNSURE).sum()),
        unanswered=int(empty.sum()),
        ambiguous=int(ambiguous_items(model).sum()) if several else 0,
        calibration=_calibration(told, codes, judged),
        methods=_methods(posterior, held, judged, given),
        people=_people(model, posterior, table),
        kappas=pairwise_kappa(given, random_state=seed) if several else _no_kappas(),
        confusions=_confusions(given, told) if several else _by_truth(given, judged),
        curve=pd.DataFrame(columns=["answers", "accuracy", "low", "high", "expected"])
        if curve is None
        else curve,
        sizes=_sizes(given),
        suggestions=suggestions,
        ask_again=again,
        unnamed=_unnamed(given, judged),
        conditions=_conditions(held, posterior, seed),
        notes=notes,
    )


def _ahead(held: HeldOut | None, chosen: str) -> tuple[float, float, float]:
    """By how much better than the vote it predicts left-out answers, paired."""
    if held is None or chosen == VOTE or not {chosen, VOTE} <= set(held.names):
        return np.nan, np.nan, np.nan
    ours, theirs = (held.agreement[held.names.index(one)] for one in (chosen, VOTE))
    more, error = held.mean(ours - theirs)
    return more, more - 1.96 * error, more + 1.96 * error


def _without_people(given: Answers, told: Floats) -> pd.DataFrame:
    """List unsure items where no second person tells what an answer is worth."""
    gain = 1.0 - told.max(axis=1)
    reason = np.where(given.per_item == 0, "no answers", "several candidates")
    found = pd.DataFrame({"item": given.items, "gain": gain, "reason": reason})
    found = found[found["gain"] > 0.3]
    return found.sort_values("gain", ascending=False, kind="stable", ignore_index=True)


def _right(
    told: Floats, codes: NDArray[np.intp], given: Answers, truth: Any
) -> tuple[tuple[float, float, float], tuple[float, float, float], int]:
    """Say how right suggestions, and one label for all, are: by truth or by belief."""
    if truth is not None:
        some = truth >= 0
        most = np.bincount(truth[some]).max()
        hits = int((codes[some] == truth[some]).sum())
        return _share(hits, some.sum()), _share(int(most), some.sum()), int(some.sum())
    some = given.per_item > 0
    sure = told[some].max(axis=1)
    rng = np.random.default_rng(45)
    drawn = rng.integers(0, len(sure), (200, len(sure)))
    low, high = np.quantile(sure[drawn].mean(axis=1), [0.025, 0.975])
    value = float(sure.mean())
    most_common = float(told[some].mean(axis=0).max())
    ends = (value, float(min(low, value)), float(max(high, value)))
    return ends, (most_common, np.nan, np.nan), 0


def _share(hits: int, tries: int) -> tuple[float, float, float]:
    low, high = binomial_interval(np.array([float(hits)]), np.array([float(tries)]))
    return hits / tries, float(low[0]), float(high[0])


def _difference(
    codes: NDArray[np.intp], vote: NDArray[np.intp], truth: Any, seed: int
) -> tuple[float, float, float]:
    if truth is None:
        return (np.nan, np.nan, np.nan)
    some = truth >= 0
    gap = (codes[some] == truth[some]).astype(float) - (vote[some] == truth[some])
    rng = np.random.default_rng([seed, 46])
    drawn = rng.integers(0, len(gap), (_BOOTSTRAP, len(gap)))
    low, high = np.quantile(gap[drawn].mean(axis=1), [0.025, 0.975])
    return float(gap.mean()), float(low), float(high)


def _calibration(told: Floats, codes: NDArray[np.intp], truth: Any) -> float:
    """Return the expected calibration error over ten bins of probability."""
    if truth is None:
        return float("nan")
    some = np.flatnonzero(truth >= 0)
    sure = told[some, codes[some]]
    bins = np.minimum((sure * 10).astype(int), 9)
    gap = (codes[some] == truth[some]) - sure
    return float(np.abs(np.bincount(bins, gap, minlength=10)).sum() / len(some))


def _methods(
    posterior: Mapping[str, Floats], held: HeldOut | None, truth: Any, given: Answers
) -> pd.DataFrame:
    """Set the ways side by side, the floor of one label for all first."""
    rows = []
    overall = given.votes().sum(axis=0)
    constant = np.tile(overall / overall.sum(), (len(given.items), 1))
    for name, told in {"most frequent label": constant, **posterior}.items():
        codes, agreement, gain = decide(told), np.nan, np.nan
        ends = (np.nan, np.nan, np.nan)
        if held is not None and name in held.names:
            place = held.names.index(name)
            agreement, error = held.mean(held.agreement[place])
            gain = held.mean(held.gain[place])[0]
        else:
            each = given.credit(np.eye(told.shape[1])[codes])
            agreement = float(each.mean())
            error = float(each.std() / np.sqrt(len(each)))
            if name != "most frequent label":
                # A label that was made from an answer agrees with it anyway.
                agreement, error = np.nan, np.nan
        if truth is not None:
            some = truth >= 0
            ends = _share(int((codes[some] == truth[some]).sum()), int(some.sum()))
        elif np.isfinite(agreement):
            low, high = agreement - 1.96 * error, agreement + 1.96 * error
            ends = (np.nan, max(0.0, low), min(1.0, high))
        summary = MODELS[name].summary if name in MODELS else _SUMMARIES.get(name, "")
        rows.append((name, agreement, gain, *ends, summary))
    columns = ["name", "agreement", "information", "accuracy", "low", "high", "summary"]
    return pd.DataFrame(rows, columns=columns)


_SUMMARIES = {
    "most frequent label": "one label for all items: the floor",
    "soft-targets": "a random forest on features alone, taught by probable labels",
    "joint": "features and answers together, each teaching the other",
}


def _people(
    model: DawidSkene, posterior: Mapping[str, Floats], table: CrowdTable
) -> pd.DataFrame:
    columns = ["annotator", "answers", "accuracy", "low", "high", "flag"]
    if not table.people:
        return pd.DataFrame(columns=columns)
    found = model.annotators_[columns]
    if len(found) > 1:
        return found
    # Nobody else: what there is to say is how much was answered.
    return found.assign(accuracy=np.nan, low=np.nan, high=np.nan, flag="")


def _unnamed(given: Answers, truth: Any) -> int:
    """Count items whose true label nobody named."""
    if truth is None:
        return 0
    some = np.flatnonzero((truth >= 0) & (given.per_item > 0))
    return int((given.votes()[some, truth[some]] == 0).sum())


def _by_truth(given: Answers, truth: Any) -> pd.DataFrame:
    """List which labels stand beside the true one, where nobody in particular errs."""
    told = np.zeros((len(given.items), len(given.classes)))
    if truth is not None:
        some = np.flatnonzero(truth >= 0)
        told[some, truth[some]] = 1.0
    found = _confusions(given, told).assign(most_by="", their_share=np.nan)
    return found[found["share"] > 0].reset_index(drop=True)


def _confusions(given: Answers, told: Floats) -> pd.DataFrame:
    """List what is named in place of the truth, and who does so most."""
    _, people, classes = given.shape
    named = (given.named.T @ told).reshape(people, classes, classes)
    tried = np.zeros((people, classes))
    np.add.at(tried, given.annotator, told[given.item])
    rows = []
    total, all_tried = named.sum(axis=0), tried.sum(axis=0)
    for true in range(classes):
        for other in range(classes):
            if other == true or all_tried[true] < 5:
                continue
            hits, tries = total[other, true], all_tried[true]
            low, high = binomial_interval(np.array([hits]), np.array([tries]))
            enough = tried[:, true] >= 5
            own = named[:, other, true] / np.maximum(tried[:, true], 1e-9)
            who = int(np.where(enough, own, -1).argmax())
            name = given.annotators[who] if enough.any() else ""
            most = own[who] if enough.any() else np.nan
            shares = (hits / tries, float(low[0]), float(high[0]))
            names = str(given.classes[true]), str(given.classes[other])
            rows.append((*names, *shares, name, most))
    columns = ["true", "named", "share", "low", "high", "most_by", "their_share"]
    found = pd.DataFrame(rows, columns=columns)
    return found.sort_values("share", ascending=False, kind="stable", ignore_index=True)


def _no_kappas() -> pd.DataFrame:
    return pd.DataFrame(columns=["one", "other", "items", "kappa", "low", "high"])


def _sizes(given: Answers) -> pd.DataFrame:
    size, many = np.unique(given.sizes, return_counts=True)
    return pd.DataFrame({"labels": size, "answers": many, "share": many / len(given)})


def _conditions(
    held: HeldOut | None, posterior: Mapping[str, Floats], seed: int
) -> str:
    out = "" if held is None else f"{count(len(held.item))} answers left out in turn, "
    return f"{len(posterior)} methods, {out}seed {seed}."
