"""What could be learnt from group shares alone, given a table and a grouping column.

For somebody who has the labels: hide them, keep the shares, learn, and compare. It
says which variant the groups are, how hard they are, how far each learner gets, and
what it costs that its settings had to be chosen without labels.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state

from caveat.bags._division import TEST_SHARE, division
from caveat.bags._met_shares import met_shares
from caveat.bags._params import check_whole
from caveat.bags._shares import share_table
from caveat.bags.registry import LEARNERS, RULE
from caveat.bags.result import (
    CONSTANT,
    MAJORITY,
    MEASURES,
    ORACLE,
    SHARE,
    SHIFTED,
    Result,
)
from caveat.bags.selection._search import STRATEGIES, search
from caveat.bags.selection._splits import SplitBagShuffle
from caveat.bags.variants._hardness import Hardness, bag_hardness
from caveat.bags.variants._identify import VariantReport, identify_variant
from caveat.bags.worlds._bags import Bags
from caveat.bags.worlds._feature_bags import feature_bags
from caveat.datasets import positive_class
from caveat.exceptions import InvalidInput, MissingExtra
from caveat.measures import evaluate, get
from caveat.tables import TableEncoder

QUICK_LEARNERS = (
    "em-lr",
    "mm",
    "lmm",
    "amm",
    "bag-forward-correction",
    "inverse-calibration",
)
# Somebody waits for the result: no vanishing penalty (lam = 0), which takes most of
# the time of a full grid, and no width of the similarity.
QUICK_GRIDS: Mapping[str, Mapping[str, Sequence[float]]] = {
    "mm": {"lam": [1, 10, 100]},
    "lmm": {"lam": [1, 10, 100], "gamma": [0.01, 0.1, 1.0]},
    "amm": {"lam": [1, 10, 100], "gamma": [0.1]},
}
NO_VALUE = "(no value)"
"""What the group of rows is called that have no value in the grouping column."""

# What labels are tuned over: from hardly a penalty to hardly a slope.
_CEILING_C = (0.01, 0.1, 1.0, 10.0, 100.0)


def examine_bags(
    X: pd.DataFrame,
    y: ArrayLike,
    by: str,
    *,
    kinds: Mapping[str, str] | None = None,
    positive: Any = None,
    learners: Sequence[str] = QUICK_LEARNERS,
    repeats: int = 5,
    smallest: int = 10,
    keep_by: bool = False,
    max_items: int = 10_000,
    random_state: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Result:
    """Hide the labels, keep the groups' shares, and see what can be learnt.

    Parameters
    ----------
    X : DataFrame of shape (n_items, n_columns)
        With the grouping column.
    y : array-like of shape (n_items,)
        Labels.
    by : str
        The grouping column.
    kinds : mapping of column to kind, optional
        As in `caveat.tables.TableEncoder`.
    positive : label, optional
        The class that F1 is about, if there are two; the rarer one by default.
    learners : sequence of str
        Names from the registry.
    repeats : int, default=5
        Random divisions into training and test items.
    smallest : int, default=10
        Groups with fewer items are left out.
    keep_by : bool, default=False
        Let the learners see the grouping column.
    max_items : int, default=10000
        Look at a random sample if there are more.
    random_state : int, default=0
    progress : callable, optional
        ``progress(done, total)``.

    Returns
    -------
    Result

    Warnings
    --------
    It needs the labels that you will not have: the result says what to expect of
    groups like these, it is not a model.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from caveat.bags import examine_bags
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 300)
    >>> X = pd.DataFrame({"x": rng.normal(size=300) + 2 * y,
    ...                   "town": np.where(rng.random(300) < 0.2 + 0.5 * y, "a", "b")})
    >>> found = examine_bags(X, y, "town", learners=["mm"], repeats=1)
    >>> found.groups["group"].tolist(), len(found.scores)
    (['a', 'b'], 5)
    """
    begin = time.monotonic()
    check_whole("repeats", repeats, least=1)
    entries = [LEARNERS[name] for name in learners]
    rng = check_random_state(random_state)
    labels, classes = _classes(y, len(X), positive)
    notes: list[str] = []
    frame, codes = X.reset_index(drop=True), labels
    if len(frame) > max_items:
        rows = np.sort(rng.choice(len(frame), max_items, replace=False))
        frame, codes = frame.iloc[rows].reset_index(drop=True), codes[rows]
        notes.append(f"a random sample of {max_items:,} of {len(X):,} rows was used")
    bags = _groups_as_bags(frame, codes, by, smallest)
    lost = len(codes) - len(bags.kept)
    if lost:
        notes.append(f"{lost:,} rows in groups of fewer than {smallest} were left out")
    firsts = [int(np.argmax(bags.assignment == b)) for b in range(len(bags.sizes))]
    without = frame[by].isna()
    if without.iloc[firsts].any():
        notes.append(f"{without.sum():,} rows without a value of {by} form a group")
    names = frame[by].astype(object).mask(without, NO_VALUE).iloc[firsts]
    items = frame if keep_by else frame.drop(columns=by)
    if items.shape[1] == 0:
        raise InvalidInput(
            f"--by: {by!r} is the only column; there is nothing to learn"
        )
    study = _Examination(items, codes, bags, classes, kinds, notes)
    variant, hardness = study.look(rng)
    scores, floors, ceiling = study.compare(entries, repeats, rng, progress)
    shares = share_table(study.bags, study.codes, len(classes))
    table = pd.DataFrame(shares, columns=study.names)
    table.insert(0, "rows", bags.sizes)
    table.insert(0, "group", names.astype(str).to_numpy())
    tests = variant.to_frame()
    return Result(
        by=by,
        classes=tuple(study.names.tolist()),
        rows=len(study.codes),
        n_groups=len(bags.sizes),
        spread=float(hardness.proportion_std),
        separation=float(hardness.separation),
        smallest=int(hardness.size_min),
        mean_size=float(hardness.size_mean),
        largest=int(hardness.size_max),
        variant=variant.variant,
        variant_sentence=variant.sentence(),
        looked_at=variant.n_items,
        tests=tests[["test", "question", "p_value", "decision", "seen"]],
        groups=table,
        scores=scores,
        floors=floors,
        ceiling=ceiling,
        test_share=TEST_SHARE,
        smaller=int(np.bincount(study.codes, minlength=len(classes)).min()),
        planned=len(entries),
        notes=tuple(dict.fromkeys(notes)),
        seconds=time.monotonic() - begin,
    )


class _Examination:
    """The items in their bags, and what is done with them."""

    def __init__(
        self,
        frame: pd.DataFrame,
        codes: NDArray,
        bags: Bags,
        classes: NDArray,
        kinds: Mapping[str, str] | None,
        notes: list[str],
    ) -> None:
        kept = bags.kept
        self.frame = frame.iloc[kept]
        self.codes = codes[kept]
        self.bags = bags.assignment[kept]
        self.classes = classes
        common = np.flatnonzero(np.bincount(self.codes, minlength=len(classes)) > 1)
        if len(common) < 2:
            raise InvalidInput(
                f"--by: in groups that are large enough {len(common)} of "
                f"{len(classes)} classes have two rows or more, and two are needed; "
                "lower --smallest, or group by another column"
            )
        # Learners warn about classes by name; their predictions are told apart by it.
        self.names = np.array([str(label) for label in classes])
        if len(set(self.names.tolist())) < len(classes):
            self.names = np.array([repr(label) for label in classes])
        # Which class is the positive one has no part in how rows are divided.
        self._unordered = self.names.argsort().argsort()[self.codes]
        self.kinds = dict(kinds or {})
        self.notes = notes
        # What learners say, and which of them say it, in the order of their turns.
        self._told: dict[str, dict[str, None]] = {}

    def look(self, rng: Any) -> tuple[VariantReport, Hardness]:
        """Which variant, and how hard."""
        items = self._encoder(self.frame, (0.0, 1.0)).transform(self.frame)
        shares = share_table(self.bags, self.codes, len(self.classes))
        variant = identify_variant(
            items, self._unordered, self.bags, max_items=5000, random_state=rng
        )
        return variant, bag_hardness(items, self.bags, shares)

    def compare(
        self,
        entries: Sequence[Any],
        repeats: int,
        rng: Any,
        progress: Callable[[int, int], None],
    ) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
        """Learn from shares, from labels and from nothing, on the same divisions."""
        usable = [entry for entry in entries if self._usable(entry)]
        if not usable:
            raise InvalidInput("learners: none can be used here; " + self.notes[-1])
        rows: list[dict[str, Any]] = []
        floors: list[dict[str, Any]] = []
        ceiling: list[dict[str, Any]] = []
        total, done = repeats * (len(usable) + 1), 0
        for repeat in range(repeats):
            train, test = division(self.bags, self._unordered, rng)
            encoder = self._encoder(self.frame.iloc[train], (-1.0, 1.0))
            parts = [encoder.transform(self.frame.iloc[part]) for part in (train, test)]
            floors += [{"repeat": repeat, **row} for row in self._floors(train, test)]
            seed = rng.randint(2**31)
            ceiling.append(
                {"repeat": repeat, **self._ceiling(parts, train, test, seed)}
            )
            done += 1
            progress(done, total)
            for entry in usable:
                seed = rng.randint(2**31)
                rows += [
                    {"repeat": repeat, "learner": entry.name, **row}
                    for row in self._learner_rows(entry, parts, train, test, seed)
                ]
                done += 1
                progress(done, total)
        self.notes += [f"{', '.join(who)}: {text}" for text, who in self._told.items()]
        return pd.DataFrame(rows), pd.DataFrame(floors), pd.DataFrame(ceiling)

    def _learner_rows(
        self, entry: Any, parts: list[Any], train: NDArray, test: NDArray, seed: int
    ) -> list[dict[str, Any]]:
        learner = entry.make_for({}, random_state=seed)
        n_bags = int(self.bags.max()) + 1
        table = share_table(
            self.bags[train], self.codes[train], len(self.classes), n_bags
        )
        grid = QUICK_GRIDS.get(entry.name, entry.grid)
        shares = pd.DataFrame(table, columns=self.names)
        found = search(
            learner, grid, parts[0], self.bags[train], shares, random_state=seed
        )
        for note in found.notes:
            text = note.replace(f"{type(learner).__name__} ", "the learner ")
            self._told.setdefault(text, {})[entry.title] = None
        scored = [
            None if model is None else self._scores(model, parts[1], test)
            for model in found.models
        ]
        known_scores = [(k, one) for k, one in enumerate(scored) if one is not None]
        if not known_scores:
            return []
        best, top = max(known_scores, key=lambda pair: pair[1]["auc"])
        rows = [self._row(ORACLE, None, top, found.configurations[best])]
        for rule in STRATEGIES:
            if rule in found.table and found.table[rule].notna().any():
                chosen = found.best(rule)
                criterion = float(found.table[rule].iloc[chosen])
                params = found.configurations[chosen]
                row = self._row(rule, criterion, scored[chosen], params)
                if rule == RULE:
                    row |= self._shifted(found.models[chosen], parts, train, test)
                rows.append(row)
        return rows

    def _shifted(
        self, model: Any, parts: list[Any], train: NDArray, test: NDArray
    ) -> dict[str, Any]:
        """Score what `--shares` answers: probabilities that meet their groups' shares.

        Told are the shares of the training rows. A group is shifted as a whole, with
        its test rows, whose labels have no part in it.
        """
        bags = self.bags[np.concatenate([train, test])]
        proba = np.vstack([self._proba(model, part) for part in parts])
        proba = met_shares(proba, bags, self._told_shares(train))[len(train) :]
        judged = self._judged(proba.argmax(axis=1), proba, test)
        return {SHIFTED + name: value for name, value in judged.items()}

    def _told_shares(self, train: NDArray) -> NDArray:
        """Shares of the groups' training rows."""
        n_bags, n_classes = int(self.bags.max()) + 1, len(self.classes)
        table = share_table(self.bags[train], self.codes[train], n_classes, n_bags)
        overall = np.bincount(self.codes[train], minlength=n_classes) / len(train)
        # A group all of whose rows are in the test part is known by the whole alone.
        return np.where(np.isnan(table), overall, table)

    @staticmethod
    def _row(rule: str, criterion: float | None, scores: Any, params: Any) -> Any:
        return {"rule": rule, "criterion": criterion, **scores, "params": params}

    def _floors(self, train: NDArray, test: NDArray) -> list[dict[str, Any]]:
        """Score what needs no learning: one answer for all, or one for every group."""
        n_classes = len(self.classes)
        overall = np.bincount(self.codes[train], minlength=n_classes) / len(train)
        table = self._told_shares(train)
        share = table[self.bags[test]]
        answers = {
            CONSTANT: np.tile(overall, (len(test), 1)),
            MAJORITY: np.eye(n_classes)[share.argmax(axis=1)],
            SHARE: share,
        }
        if n_classes == 2:
            answers[f"always {self.names[1]}"] = np.tile([0.0, 1.0], (len(test), 1))
        return [
            {"floor": name, **self._judged(proba.argmax(axis=1), proba, test)}
            for name, proba in answers.items()
        ]

    def _ceiling(
        self, parts: list[Any], train: NDArray, test: NDArray, seed: int
    ) -> dict[str, Any]:
        """Score every label: tuned on the halves that shares are tuned on."""
        X, labels = parts[0], self.names[self.codes[train]]
        splits = SplitBagShuffle(5, random_state=seed)
        errors = np.zeros(len(_CEILING_C))
        for inside, outside in splits.split(None, groups=self.bags[train]):
            if len(np.unique(labels[inside])) < 2:
                continue
            for place, C in enumerate(_CEILING_C):
                model = _logistic(C, X).fit(X[inside], labels[inside])
                errors[place] += np.mean(model.predict(X[outside]) != labels[outside])
        C = _CEILING_C[int(errors.argmin())]
        model = _logistic(C, X).fit(X, labels)
        scores = self._scores(model, parts[1], test)
        return {"C": C, **scores, **self._shifted(model, parts, train, test)}

    def _scores(self, model: Any, X: Any, test: NDArray) -> dict[str, Any]:
        place = {name: code for code, name in enumerate(self.names.tolist())}
        decided = np.array([place[name] for name in model.predict(X).tolist()])
        return self._judged(decided, self._proba(model, X), test)

    def _proba(self, model: Any, X: Any) -> NDArray:
        """Give probabilities in the order of our classes.

        A supervised model sorts its classes, and lacks one that it has never seen.
        """
        frame = pd.DataFrame(model.predict_proba(X), columns=list(model.classes_))
        return frame.reindex(columns=self.names.tolist(), fill_value=0.0).to_numpy()

    def _judged(self, decided: NDArray, proba: NDArray, test: NDArray) -> Any:
        """Judge answers to the test rows by every measure."""
        answers = {
            "decisions": self.names[decided],
            "scores": pd.DataFrame(proba, columns=self.names.tolist()),
        }
        chosen = [get(name) for name in MEASURES]
        truth = self.names[self.codes[test]]
        return evaluate(chosen, truth, answers, classes=self.names.tolist())

    def _usable(self, entry: Any) -> bool:
        n_bags = int(self.bags.max()) + 1
        if n_bags > entry.facts.get("most_bags", inf):
            self.notes.append(
                f"{entry.title} was left out: it compares any two of {n_bags:,} groups"
            )
            return False
        try:
            entry.load()
        except MissingExtra as missing:
            self.notes.append(str(missing))
            return False
        return True

    def _encoder(
        self, frame: pd.DataFrame, scale_range: tuple[float, float]
    ) -> TableEncoder:
        kinds = {name: kind for name, kind in self.kinds.items() if name in frame}
        return TableEncoder(
            kinds, scale="minmax", scale_range=scale_range, max_levels=100
        ).fit(frame)


def _logistic(C: float, X: NDArray) -> LogisticRegression:
    """Pick the solver that is quick for so many columns."""
    solver = "newton-cholesky" if X.shape[1] <= 300 else "lbfgs"
    return LogisticRegression(C=C, max_iter=1000, solver=solver)


def _groups_as_bags(
    frame: pd.DataFrame, codes: NDArray, by: str, smallest: int
) -> Bags:
    """One bag per group that is large enough; there must be two."""
    check_whole("smallest", smallest, least=1)
    if by in frame:
        sizes = frame[by].value_counts(dropna=False).to_numpy()
        large = int((sizes >= smallest).sum())
        if len(sizes) == 1:
            raise InvalidInput(
                f"--by: {by!r} has one value in all {len(frame):,} rows; group by a "
                "column with at least two"
            )
        if large < 2:
            raise InvalidInput(
                f"--by: {by!r} has {len(sizes):,} values, and {large} of them "
                f"{smallest} rows or more (the largest two {sizes[0]:,} and "
                f"{sizes[1]:,}); group by a column with fewer values, or lower "
                "--smallest"
            )
    return feature_bags(
        frame, codes, by, smallest=smallest, largest=None, min_kept_share=0.0
    )


def _classes(y: ArrayLike, n_items: int, positive: Any) -> tuple[NDArray, NDArray]:
    """Class numbers; the positive class comes last."""
    labels = pd.Series(np.asarray(y))
    if len(labels) != n_items:
        raise InvalidInput(f"y: found {len(labels)} labels for {n_items} rows")
    if labels.isna().any():
        raise InvalidInput(
            f"y: row {int(labels.isna().to_numpy().argmax())} has no label; drop it"
        )
    counts = labels.value_counts()
    if len(counts) < 2:
        raise InvalidInput(f"y: found one class, {counts.index[0]!r}; expected two")
    classes = np.array(sorted(counts.index, key=str), dtype=object)
    second = positive_class(labels, positive)
    if len(classes) == 2 or positive is not None:
        classes = np.array([c for c in classes if c != second] + [second], dtype=object)
    place = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([place[label] for label in labels.tolist()]), classes
