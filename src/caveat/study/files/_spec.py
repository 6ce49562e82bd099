"""The study file: its shape, its checks, and sentences that name file and line.

Everything a study says is checked here or by its topic before any trial runs.
Reading a study file never imports a user's module.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    field_validator,
)

from caveat.exceptions import InvalidInput, UnknownName
from caveat.study.files._learners import check_parameters, check_twins, parse_learner
from caveat.study.files._mistakes import Mistakes
from caveat.study.files._yaml import Document, parse_yaml, read_yaml
from caveat.study.topic import dataset_name

_NAME = r"^[A-Za-z0-9][A-Za-z0-9._ -]{0,127}$"


class _Part(BaseModel):
    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, populate_by_name=True
    )

    @field_validator("test_size", "trial_minutes", mode="before", check_fields=False)
    @classmethod
    def _whole_numbers_too(cls, value: Any) -> Any:
        return float(value) if isinstance(value, int) else value


class SearchSpec(_Part):
    """How configurations are found.

    ``grid: default`` searches the registry's grid of every learner that names
    no values of its own; ``configurations: 20`` draws that many at random.
    """

    grid: Literal["default"] | None = None
    configurations: Annotated[int, Field(ge=1, le=100_000)] | None = None
    per_trial: Annotated[int, Field(ge=1)] | None = Field(None, alias="per-trial")
    steps: Annotated[int, Field(ge=1)] | None = None
    epochs: Annotated[int, Field(ge=1)] | None = None
    checkpoint_every: Annotated[int, Field(ge=1)] | None = Field(
        None, alias="checkpoint-every"
    )

    def training(self) -> dict[str, int]:
        """Return the training budget, which is part of a trial's key."""
        budget = {
            "steps": self.steps,
            "epochs": self.epochs,
            "checkpoint-every": self.checkpoint_every,
        }
        return {key: value for key, value in budget.items() if value is not None}


class SplitSpec(_Part):
    """How rows are divided into a training and a test part."""

    test_size: Annotated[float, Field(gt=0, lt=1)] = Field(0.25, alias="test-size")
    stratify: bool = True
    groups: str | None = None
    order: str | None = None


class BudgetSpec(_Part):
    """Limits of one trial: they never change a result, only whether there is one.

    Both count whatever processes a trial starts. ``trial-minutes: null`` lifts the
    limit of an hour, which is there so that a hanging trial never stops a study.
    """

    trial_minutes: Annotated[float, Field(gt=0)] | None = Field(
        60.0, alias="trial-minutes"
    )
    trial_memory: str | int | None = Field(None, alias="trial-memory")
    retries: Annotated[int, Field(ge=0, le=10)] = 0

    @property
    def is_default_time(self) -> bool:
        """Whether the time limit is ours, so that the user has to be told of it."""
        return "trial_minutes" not in self.model_fields_set

    @property
    def seconds(self) -> float | None:
        """Time limit of a trial in seconds."""
        return None if self.trial_minutes is None else self.trial_minutes * 60

    @property
    def memory(self) -> int | None:
        """Memory limit of a trial in bytes."""
        return None if self.trial_memory is None else parse_bytes(self.trial_memory)


class Study(_Part):
    """A whole study, checked.

    Made by `load_study`; the fields are those of a study file.
    """

    study: Annotated[str, Field(pattern=_NAME)]
    topic: str
    datasets: Annotated[list[str | dict[str, Any]], Field(min_length=1)]
    learners: Annotated[list[str | dict[str, Any]], Field(min_length=1)]
    scenario: dict[str, Any] = Field(default_factory=dict)
    protocol: str | None = None
    search: SearchSpec = Field(default_factory=lambda: SearchSpec.model_validate({}))
    split: SplitSpec = Field(default_factory=lambda: SplitSpec.model_validate({}))
    resampling: dict[str, Any] = Field(default_factory=dict)
    selection: list[str] = Field(default_factory=list)
    repeats: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    seeds: list[int] | None = None
    measures: list[str] = Field(default_factory=list)
    budget: BudgetSpec = Field(default_factory=lambda: BudgetSpec.model_validate({}))
    engine: str | dict[str, Any] | None = None
    baseline: Literal["eapp", "none"] = "eapp"
    then: dict[str, dict[str, Any]] = Field(default_factory=dict)
    description: str = ""
    # Where it was read from is no part of what it says, nor of its record.
    _folder: Path | None = PrivateAttr(default=None)

    @property
    def folder(self) -> Path | None:
        """The study file's folder, where learners of the user's may lie."""
        return self._folder

    @field_validator("datasets", "learners", mode="before")
    @classmethod
    def _one_is_a_list_of_one(cls, value: Any) -> Any:
        return [value] if isinstance(value, str | dict) else value

    @field_validator("selection", "measures", mode="before")
    @classmethod
    def _one_name_is_a_list(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @property
    def all_repeats(self) -> list[tuple[int, int | None]]:
        """Number and prescribed seed of every repeat."""
        if self.seeds is None:
            return [(number, None) for number in range(self.repeats or 1)]
        count = len(self.seeds) if self.repeats is None else self.repeats
        return list(enumerate(self.seeds[:count]))


def load_study(source: str | Path | Mapping[str, Any]) -> Study:
    """Read and check a study.

    Parameters
    ----------
    source : path, name of a registered study, or mapping
        A YAML file; a name from ``caveat list studies``; or the same content
        as a dict.

    Returns
    -------
    Study

    Examples
    --------
    >>> study = load_study({"study": "small", "topic": "supervised",
    ...                     "datasets": ["iris"], "learners": ["dummy"]})
    >>> study.repeats is None, study.all_repeats
    (True, [(0, None)])
    """
    if isinstance(source, Mapping):
        return _check(Document(dict(source), {}, "study"), None)
    from caveat.study.files._library import find_registered

    path = Path(source)
    registered = None if path.suffix or path.is_file() else find_registered(str(source))
    if registered is not None:
        return _check(parse_yaml(registered, f"{source}.yaml"), None)
    return _check(read_yaml(path), path.parent)


def _check(document: Document, folder: Path | None) -> Study:
    """Check everything, then tell all mistakes at once."""
    if not isinstance(document.data, dict):
        raise InvalidInput(
            f"{document.name}: a study is a mapping with 'study', 'topic', 'datasets' "
            f"and 'learners', found {type(document.data).__name__}"
        )
    mistakes = Mistakes(document)
    study = _shape(document, mistakes)
    if study is not None and folder is not None:
        study = study.model_copy(
            update={"datasets": [_beside(ref, folder) for ref in study.datasets]}
        )
        study._folder = folder.resolve()
    if study is not None:
        with mistakes.at("seeds"):
            _check_repeats(study)
        _check_names(mistakes, study)
    mistakes.tell()
    assert study is not None  # a study without a shape has told its mistakes
    return study


def _shape(document: Document, mistakes: Mistakes) -> Study | None:
    """Give the study; where keys are wrong, stand-ins let the others be checked."""
    try:
        return Study.model_validate(document.data)
    except ValidationError as error:
        mistakes.add_all(error, Study)
    sound = {
        key: value for key, value in document.data.items() if key not in mistakes.keys
    }
    stand_ins = {"study": "study", "topic": "", "datasets": [""], "learners": [""]}
    try:
        return Study.model_validate({**stand_ins, **sound})
    except ValidationError:
        return None


def _check_repeats(study: Study) -> None:
    if study.seeds is not None:
        if not study.seeds:
            raise InvalidInput("seeds: the list is empty; name at least one seed")
        wrong = [seed for seed in study.seeds if not 0 <= seed < 2**32]
        if wrong:
            raise InvalidInput(
                f"seeds: {wrong[0]} is out of range; use 0 to {2**32 - 1}"
            )
        doubled = [seed for seed, times in Counter(study.seeds).items() if times > 1]
        if doubled:
            raise InvalidInput(
                f"seeds: {doubled[0]} stands {study.seeds.count(doubled[0])} times; "
                "equal seeds give copies of one repeat, not repeats, so name each once"
            )
        if study.repeats is not None and study.repeats > len(study.seeds):
            raise InvalidInput(
                f"repeats: {study.repeats} asked for, but only {len(study.seeds)} "
                "seeds are given; add seeds or lower repeats"
            )


def _check_names(mistakes: Mistakes, study: Study) -> None:
    from caveat.study.registry import FOLLOW_UPS, TOPICS

    for position, reference in enumerate(study.datasets):
        with mistakes.at("datasets", position):
            _check_reference(reference)
    for name in study.then:
        with mistakes.at("then", name):
            FOLLOW_UPS[name]
    with mistakes.at("budget", "trial-memory"):
        _ = study.budget.memory
    topic: Any = None
    with mistakes.at("topic"):
        topic = TOPICS[study.topic].load()
    if topic is None:
        return
    with mistakes.at("protocol"):
        if study.protocol is not None and study.protocol not in topic.protocols:
            raise UnknownName.among("protocol", study.protocol, topic.protocols)
    seen: dict[str, str] = {}
    for position, written in enumerate(study.learners):
        with mistakes.at("learners", position):
            learner = parse_learner(written)
            check_twins(learner, seen)
            if not learner.is_imported:
                check_parameters(topic.learners[learner.name], learner)
    for key, registry in (("selection", topic.rules), ("measures", topic.measures)):
        for position, name in enumerate(getattr(study, key)):
            with mistakes.at(key, position):
                registry[name]
    if "datasets" not in mistakes.keys:
        with mistakes.at("scenario"):
            topic.worlds(study.scenario, dataset_name(study.datasets[0]))


def _check_reference(reference: str | dict[str, Any]) -> None:
    from caveat.datasets import check_reference

    check_reference(reference)


def _beside(reference: str | dict[str, Any], folder: Path) -> str | dict[str, Any]:
    """Read relative files from beside the study file."""
    if isinstance(reference, str) or not isinstance(reference.get("file"), str):
        return reference
    return {**reference, "file": str((folder / reference["file"]).resolve())}


def parse_bytes(written: str | int) -> int:
    """Read a memory size.

    Examples
    --------
    >>> parse_bytes("4GB"), parse_bytes("1.5 GiB"), parse_bytes(1024)
    (4000000000, 1610612736, 1024)
    """
    units = {"": 1, "B": 1, "K": 1000, "KB": 1000, "M": 10**6, "MB": 10**6}
    units |= {"G": 10**9, "GB": 10**9, "T": 10**12, "TB": 10**12}
    units |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
    text = str(written).strip()
    number = text.rstrip("BbKkMmGgTtIi ")
    unit = text[len(number) :].strip().upper()
    try:
        size = int(float(number) * units[unit])
    except (ValueError, KeyError):
        size = 0
    if size <= 0:
        raise InvalidInput(
            f"memory size {text!r} is not understood; write 4GB or 512MiB"
        )
    return size
