"""What a topic is to the study engine, and what one trial is to a topic.

The engine finds a topic by name in a table, hands its `run` one `Context` per
trial, and stores the `Outcome`. It knows nothing else about any topic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from caveat._registry import Entry, Registry
from caveat.exceptions import UnknownName
from caveat.study.trials._canonical import digest
from caveat.study.trials._seeds import derive_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from caveat.datasets import Dataset
    from caveat.models import Bonds

Row = dict[str, Any]


@dataclass(frozen=True)
class Split:
    """Row numbers of the two parts of a data set, and their digest."""

    train: NDArray
    test: NDArray

    @property
    def digest(self) -> str:
        """SHA-256 of both lists of row numbers: equal splits, equal digests."""
        return digest([self.train.tolist(), self.test.tolist()])


@dataclass(frozen=True)
class Outcome:
    """What a trial yields.

    Attributes
    ----------
    rows : list of dict
        The selection table: one dict per configuration (and checkpoint), with
        ``config``, ``checkpoint`` and columns ``criterion.*``, ``oracle.*``,
        ``test.*``, ``fact.*``.
    curves : dict of str to list of dict
        Tables of another shape, such as a degradation curve.
    digests : dict of str to str
        What other trials of the same repeat must share, such as the bags.
        The engine adds the split by itself.
    notes : list of str
        Sentences for the reader: what was assumed, set aside or cut short.
    """

    rows: list[Row]
    curves: dict[str, list[Row]] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass
class Context:
    """One trial, as its topic sees it.

    Attributes
    ----------
    spec : mapping
        The trial's whole JSON spec.
    dataset : Dataset
        The data, loaded and verified.
    entry : Entry
        The learner's row in its registry.
    progress : callable
        ``progress(done, total)``; may be called as often as one likes.
    """

    spec: Mapping[str, Any]
    dataset: Dataset
    entry: Entry
    progress: Callable[[int, int], None] = lambda done, total: None
    _split: Split | None = None

    @property
    def world(self) -> Mapping[str, Any]:
        """The scenario's parameters, complete."""
        return self.spec["world"]

    @property
    def protocol(self) -> str:
        """Name of the protocol."""
        return self.spec["protocol"]

    @property
    def repeat(self) -> int:
        """Number of the repeat, from 0."""
        return self.spec["repeat"]

    @property
    def training(self) -> Mapping[str, Any]:
        """Training budget: steps, checkpoint-every, whatever the study sets."""
        return self.spec["training"]

    @property
    def resampling(self) -> Mapping[str, Any]:
        """How criteria are to be computed: folds and the like."""
        return self.spec["resampling"]

    def settings(self, defaults: Mapping[str, Any]) -> dict[str, Any]:
        """Complete what the study says under ``resampling``; refuse other keys."""
        for name in self.resampling:
            if name not in defaults:
                raise UnknownName.among("resampling setting", name, defaults)
        return {**defaults, **self.resampling}

    @property
    def configurations(self) -> list[tuple[int, dict[str, Any]]]:
        """Index and parameters of every configuration of this trial."""
        return [(index, dict(params)) for index, params in self.spec["configurations"]]

    def make(self, params: Mapping[str, Any], **extra: Any) -> Any:
        """Build the learner: the study's, the configuration's, extra parameters.

        Where it takes task, kinds of the columns or a seed and nobody set them, it
        gets those of the trial.
        """
        return self.entry.make_for(
            {**self.spec["learner"]["params"], **params, **extra},
            task=self.dataset.task,
            kinds=dict(self.dataset.kinds),
            random_state=self.seed("learner"),
        )

    def seed(self, purpose: str, **extra: Any) -> int:
        """Derive a seed below 2**32 for a purpose.

        Parameters
        ----------
        purpose : {"split", "scenario", "learner"} or another word
            ``split`` depends on data set and repeat only, ``scenario`` on the
            world too, everything else on the whole search but not on how it
            was cut into trials.
        **extra : JSON values
            What else the seed depends on, such as ``config=3``.
        """
        return derive_seed(self.spec, purpose, extra)

    def split(self) -> Split:
        """Divide the rows: the same for all learners of a repeat."""
        if self._split is None:
            from caveat.study.trials._splits import split_rows

            self._split = split_rows(
                self.dataset, self.spec["split"], self.seed("split")
            )
        return self._split

    def bonds(self) -> Bonds:
        """Say what binds the rows: the groups and the order that the study names."""
        from caveat.study.trials._splits import row_bonds

        return row_bonds(self.dataset, self.spec["split"])

    def follow(
        self,
        model: Any,
        X_train: Any,
        y_train: Any,
        X_test: Any,
        y_test: Any,
        config: int,
    ) -> dict[str, list[Row]]:
        """Run what the study says under ``then:`` on a fitted model.

        Returns
        -------
        dict of str to list of dict
            Curves for the outcome; every row carries ``config``.
        """
        from caveat.study.registry import FOLLOW_UPS

        curves: dict[str, list[Row]] = {}
        for name, settings in self.spec["then"].items():
            follow = FOLLOW_UPS[name].load()
            seed = self.seed("follow", name=name, config=config)
            found = follow(settings, model, X_train, y_train, X_test, y_test, seed)
            for curve, rows in found.items():
                curves.setdefault(curve, []).extend(
                    {"config": config, **row} for row in rows
                )
        return curves


class Topic(Protocol):
    """What `caveat.<topic>.study:TOPIC` has to offer.

    A topic may also have ``draw(entry, index, repeat, protocol) -> dict``, which
    then replaces the engine's own random search, and ``skip(dataset_facts,
    entry) -> str``: a reason why a learner cannot do a data set, or ''. With
    ``wanted(world, learner, repeat) -> bool`` it leaves out combinations that it has
    no use for. A topic that is ``private`` keeps notes on the data, which may quote
    cells, out of the ledger.
    """

    name: str
    learners: Registry
    measures: Mapping[str, Entry]
    criteria: Registry
    rules: Registry
    protocols: Sequence[str]
    default_rules: Sequence[str]

    def worlds(
        self, scenario: Mapping[str, Any], dataset_name: str
    ) -> list[dict[str, Any]]:
        """Expand and check the scenario grid of a study file."""
        ...

    def configurations_per_trial(self, entry: Entry, count: int) -> int:
        """How many configurations of a search one trial takes."""
        ...

    def run(self, context: Context) -> Outcome:
        """Do the work of one trial."""
        ...


def dataset_name(reference: str | Mapping[str, Any]) -> str:
    """Return how pages call a data set: its name, or its file's.

    Examples
    --------
    >>> dataset_name("iris"), dataset_name({"file": "data/loans.csv"})
    ('iris', 'loans.csv')
    """
    return reference if isinstance(reference, str) else Path(reference["file"]).name


def one_answer(dataset: Mapping[str, Any], entry: Entry) -> str:
    """`skip` of a topic with one label or number per item; '' if it can be done."""
    task = dataset["task"]
    if task not in ("binary", "multiclass", "regression"):
        return f"needs one label or number per item, the data are {task}"
    if entry.tasks and task not in entry.tasks:
        return f"does {' and '.join(entry.tasks)}, the data are {task}"
    return ""


def single_world(scenario: Mapping[str, Any], topic: str) -> list[dict[str, Any]]:
    """`worlds` of a topic that has no scenarios: refuse any key, return one world."""
    from caveat.exceptions import InvalidInput, listing

    if scenario:
        raise InvalidInput(
            f"scenario: the topic {topic!r} takes none, found {listing(scenario)}; "
            "leave it out"
        )
    return [{}]


def grid_worlds(
    scenario: Mapping[str, Any], defaults: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Every combination of a scenario grid, complete with defaults.

    Examples
    --------
    >>> grid_worlds({"k": [1, 2]}, {"k": 1, "size": "equal"})
    [{'k': 1, 'size': 'equal'}, {'k': 2, 'size': 'equal'}]
    """
    from itertools import product

    for name in scenario:
        if name not in defaults:
            raise UnknownName.among("scenario parameter", name, defaults)
    axes = [
        value if isinstance(value, list) else [value]
        for value in {**defaults, **scenario}.values()
    ]
    names = list({**defaults, **scenario})
    return [dict(zip(names, values, strict=True)) for values in product(*axes)]
