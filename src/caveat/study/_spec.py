"""The study file: its shape, its checks, and sentences that name file and line.

Everything a study says is checked here or by its topic before any trial runs.
Reading a study file never imports a user's module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from caveat.exceptions import (
    CaveatError,
    InvalidInput,
    MissingExtra,
    UnknownName,
    hint,
)
from caveat.study._canonical import canonical
from caveat.study._yaml import Document, parse_yaml, read_yaml

_NAME = r"^[A-Za-z0-9][A-Za-z0-9._ -]{0,127}$"


class _Part(BaseModel):
    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, populate_by_name=True
    )


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

    @field_validator("test_size", mode="before")
    @classmethod
    def _whole_numbers_too(cls, value: Any) -> Any:
        return float(value) if isinstance(value, int) else value


class BudgetSpec(_Part):
    """Limits of one trial: they never change a result, only whether there is one."""

    trial_minutes: Annotated[float, Field(gt=0)] | None = Field(
        None, alias="trial-minutes"
    )
    trial_memory: str | int | None = Field(None, alias="trial-memory")
    retries: Annotated[int, Field(ge=0, le=10)] = 0

    @field_validator("trial_minutes", mode="before")
    @classmethod
    def _whole_numbers_too(cls, value: Any) -> Any:
        return float(value) if isinstance(value, int) else value

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


@dataclass(frozen=True)
class LearnerSpec:
    """One learner of a study: its name, fixed parameters and grid."""

    name: str
    fixed: dict[str, Any]
    grid: dict[str, list[Any]]

    @property
    def is_imported(self) -> bool:
        """Whether it comes from the user's module rather than a registry."""
        return ":" in self.name


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
    from caveat.study._library import find_registered

    path = Path(source)
    registered = None if path.suffix or path.is_file() else find_registered(str(source))
    if registered is not None:
        return _check(parse_yaml(registered, f"{source}.yaml"), None)
    return _check(read_yaml(path), path.parent)


def _check(document: Document, folder: Path | None) -> Study:
    if not isinstance(document.data, dict):
        raise InvalidInput(
            f"{document.name}: a study is a mapping with 'study', 'topic', 'datasets' "
            f"and 'learners', found {type(document.data).__name__}"
        )
    try:
        study = Study.model_validate(document.data)
    except ValidationError as error:
        raise InvalidInput(_sentence(document, error)) from None
    with _located(document, ("seeds",)):
        _check_repeats(study)
    if folder is not None:
        study = study.model_copy(
            update={"datasets": [_beside(ref, folder) for ref in study.datasets]}
        )
    _check_names(document, study)
    return study


class _located:
    """Put file and line in front of an error's sentence."""

    def __init__(self, document: Document, path: tuple[str | int, ...]) -> None:
        self.where = document.where(path) if document.lines else document.name

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, CaveatError) and not isinstance(error, ImportError):
            raise type(error)(f"{self.where}: {error}") from error


def _check_repeats(study: Study) -> None:
    if study.seeds is not None:
        if not study.seeds:
            raise InvalidInput("seeds: the list is empty; name at least one seed")
        wrong = [seed for seed in study.seeds if not 0 <= seed < 2**32]
        if wrong:
            raise InvalidInput(
                f"seeds: {wrong[0]} is out of range; use 0 to {2**32 - 1}"
            )
        if study.repeats is not None and study.repeats > len(study.seeds):
            raise InvalidInput(
                f"repeats: {study.repeats} asked for, but only {len(study.seeds)} "
                "seeds are given; add seeds or lower repeats"
            )


def _check_names(document: Document, study: Study) -> None:
    from caveat.study.registry import FOLLOW_UPS, TOPICS

    with _located(document, ("topic",)):
        topic = TOPICS[study.topic].load()
    with _located(document, ("protocol",)):
        if study.protocol is not None and study.protocol not in topic.protocols:
            raise UnknownName.among("protocol", study.protocol, topic.protocols)
    for position, reference in enumerate(study.datasets):
        with _located(document, ("datasets", position)):
            _check_reference(reference)
    seen: dict[str, str] = {}
    for position, written in enumerate(study.learners):
        with _located(document, ("learners", position)):
            learner = parse_learner(written)
            _check_twins(learner, seen)
            if not learner.is_imported:
                _check_parameters(topic.learners[learner.name], learner)
    for key, registry in (("selection", topic.rules), ("measures", topic.measures)):
        for position, name in enumerate(getattr(study, key)):
            with _located(document, (key, position)):
                registry[name]
    for name in study.then:
        with _located(document, ("then", name)):
            FOLLOW_UPS[name]
    with _located(document, ("scenario",)):
        topic.worlds(study.scenario, _reference_name(study.datasets[0]))
    with _located(document, ("budget", "trial-memory")):
        _ = study.budget.memory


def _check_reference(reference: str | dict[str, Any]) -> None:
    from caveat.datasets import check_reference

    check_reference(reference)


def _reference_name(reference: str | dict[str, Any]) -> str:
    return reference if isinstance(reference, str) else Path(reference["file"]).stem


def _beside(reference: str | dict[str, Any], folder: Path) -> str | dict[str, Any]:
    """Read relative files from beside the study file."""
    if isinstance(reference, str) or not isinstance(reference.get("file"), str):
        return reference
    return {**reference, "file": str((folder / reference["file"]).resolve())}


def parse_learner(written: str | Mapping[str, Any]) -> LearnerSpec:
    """Read one item of ``learners:``; lists are grids, everything else is fixed.

    Examples
    --------
    >>> parse_learner({"name": "lmm", "gamma": [0.1, 1], "sigma": 1})
    LearnerSpec(name='lmm', fixed={'sigma': 1}, grid={'gamma': [0.1, 1]})
    """
    if isinstance(written, str):
        return LearnerSpec(written, {}, {})
    name = written.get("name")
    if not isinstance(name, str):
        raise InvalidInput(
            f"learners: {dict(written)!r} has no name; "
            "write {name: ..., parameter: value}"
        )
    fixed: dict[str, Any] = {}
    grid: dict[str, list[Any]] = {}
    for key, value in written.items():
        if key == "name":
            continue
        if isinstance(value, list):
            if not value:
                raise InvalidInput(f"{name}: the list of {key!r} is empty")
            grid[key] = value
        else:
            fixed[key] = value
    return LearnerSpec(name, fixed, grid)


def _check_twins(learner: LearnerSpec, seen: dict[str, str]) -> None:
    """Refuse a learner that is listed twice and differs in its grid only."""
    key, grid = canonical([learner.name, learner.fixed]), canonical(learner.grid)
    if seen.setdefault(key, grid) != grid:
        raise InvalidInput(
            f"{learner.name} is listed twice with the same fixed settings; write all "
            "values to search in one entry"
        )


def _check_parameters(entry: Any, learner: LearnerSpec) -> None:
    given = [*learner.fixed, *learner.grid]
    if not given:
        return
    try:
        known = parameter_names(entry.load())
    except MissingExtra:  # a plan needs no library, and the trials tell
        return
    for name in given:
        if known is not None and name not in known:
            raise InvalidInput(
                f"{learner.name} has no parameter {name!r}; {hint(name, known)}"
            )


def parameter_names(made: Any) -> list[str] | None:
    """Names of the keyword parameters of a class or function; None if it takes any."""
    from inspect import Parameter, signature

    parameters = signature(made).parameters.values()
    if any(item.kind is Parameter.VAR_KEYWORD for item in parameters):
        return getattr(made, "parameter_names", lambda: None)()
    return [item.name for item in parameters if item.name != "self"]


def _sentence(document: Document, error: ValidationError) -> str:
    """Turn pydantic's first complaint into one sentence with file and line."""
    # A misspelt key also shows as a missing one: the spelling is the cause.
    first = min(error.errors(), key=lambda item: item["type"] != "extra_forbidden")
    path = tuple(part for part in first["loc"] if not _is_branch(part))
    where = document.where(path) if document.lines else document.name
    place = ".".join(str(part) for part in path)
    if first["type"] == "extra_forbidden":
        known = _known_keys(path[:-1])
        return f"{where}: no key is called {str(path[-1])!r}; {hint(path[-1], known)}"
    if first["type"] == "missing":
        return (
            f"{where}: {place!r} is missing; {_REQUIRED.get(str(path[-1]), 'add it')}"
        )
    found = first.get("input")
    shown = repr(found) if len(repr(found)) <= 60 else repr(found)[:57] + "..."
    message = first["msg"][0].lower() + first["msg"][1:]
    return f"{where}: {place}: {message} (found {shown})"


_REQUIRED = {
    "study": "give the study a name",
    "topic": "name one of those that 'caveat list topics' shows",
    "datasets": "name data sets, or {file: ..., target: ...}",
    "learners": "name learners of the topic",
}


def _is_branch(part: str | int) -> bool:
    """Whether pydantic means a branch of a union rather than a key of the file."""
    return isinstance(part, str) and (part in ("str", "int") or "[" in part)


def _known_keys(path: Iterable[str | int]) -> list[str]:
    parts: dict[str, type[BaseModel]] = {
        "search": SearchSpec,
        "split": SplitSpec,
        "budget": BudgetSpec,
    }
    names = list(path)
    model = parts.get(str(names[0]), Study) if names else Study
    return [field.alias or name for name, field in model.model_fields.items()]


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
