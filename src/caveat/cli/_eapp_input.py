"""What `caveat eapp` reads: a table or pictures with classes, labels or numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from caveat.exceptions import InvalidInput

if TYPE_CHECKING:
    from caveat.datasets import Dataset
    from caveat.eapp import EAPP


def read_file(
    file: str,
    target: str | None,
    targets: str | None,
    drop: tuple[str, ...],
    *,
    classes: bool,
    regression: bool,
) -> Dataset:
    """Read a file, and refuse a target that EAPP has no way with."""
    from caveat.datasets import read

    if classes and regression:
        raise InvalidInput("--classes and --regression were both given; use one")
    if targets is not None:
        if target is not None or classes or regression:
            raise InvalidInput(
                "--targets names labels of 0 and 1; leave --target, --classes and "
                "--regression out"
            )
        names = [name.strip() for name in targets.split(",") if name.strip()]
        if len(names) < 2:
            raise InvalidInput(
                f"--targets: found {targets!r}; name two and more columns of 0 and 1, "
                "or one with --target"
            )
        return read(file, targets=names, drop=drop)
    dataset = read(file, target=target, drop=drop)
    if regression:
        return read(file, target=target, drop=drop, task="regression")
    if dataset.task == "regression":
        if not classes:
            raise InvalidInput(
                f"--target: {target_name(dataset)!r} holds {dataset.y.nunique():,} "
                "distinct numbers; add --regression to take them as numbers, or "
                "--classes to take them as classes"
            )
        return read(file, target=target, drop=drop, task="multiclass")
    if dataset.task not in ("binary", "multiclass", "multilabel"):
        raise InvalidInput(
            f"{file}: the file holds {dataset.task} data; EAPP needs classes, labels "
            "or numbers"
        )
    return dataset


def target_of(dataset: Dataset, *, classes: bool) -> Any:
    """Return what EAPP takes as y."""
    if dataset.task == "multilabel":
        return dataset.Y
    return dataset.y.astype(str) if classes else dataset.y


def rows_of(dataset: Dataset) -> Any:
    """Return what EAPP takes as X: a table, or images."""
    if dataset.image_shape is None:
        return dataset.X
    return dataset.X.to_numpy().reshape(len(dataset.X), *dataset.image_shape)


def target_name(dataset: Dataset) -> str:
    """Name the column that is predicted, or say how many labels there are."""
    if dataset.task == "multilabel":
        return f"{dataset.Y.shape[1]} labels"
    return str(dataset.y.name)


def class_share(dataset: Dataset, model: EAPP) -> str:
    """Say how the classes are shared out."""
    classes = model.per_class_
    if dataset.task == "regression" and model.measure_ == "concordance":
        return "a target of numbers"
    if dataset.task == "multilabel":
        return f"{dataset.Y.shape[1]} labels"
    if len(classes) == 1:
        return f"{classes['share'][0]:.1%} {classes['label'][0]}".replace("%", " %")
    return f"{len(dataset.classes) or len(classes)} classes"


def latent_of(text: str) -> int | str:
    """Read the number of latent features."""
    if text == "auto":
        return text
    if not text.isdigit():
        raise InvalidInput(
            f"--latent: found {text!r}; pass 'auto' or a number of components"
        )
    return int(text)


def label_of(dataset: Dataset, text: str | None) -> Any:
    """Find the class that a word on the command line stands for."""
    if text is None or dataset.y is None:
        return text
    named = {str(label): label for label in dataset.y.unique()}
    return named.get(text, text)


def check_probe(dataset: Dataset, positive: str | None) -> None:
    """Refuse a probe that has no two classes to part."""
    if dataset.task in ("multilabel", "regression"):
        raise InvalidInput(
            f"--probe: a shift parts two classes, the file holds {dataset.task} data; "
            "leave it out"
        )
    if positive is None and dataset.y.nunique() > 2:
        raise InvalidInput(
            f"--probe: a shift parts two classes, {target_name(dataset)!r} has "
            f"{dataset.y.nunique()}; add --positive LABEL"
        )
