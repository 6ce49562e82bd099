"""What `caveat shift` is given: words, rows, and the models fitted to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from caveat.cli._console import note
from caveat.cli._remark import Remark
from caveat.exceptions import InvalidInput, MissingExtra, UnknownName

if TYPE_CHECKING:
    from caveat.datasets import Dataset

_USUAL = {
    True: ("ridge", "random-forest", "hist-gradient-boosting", "lightgbm"),
    False: (
        "logistic-regression",
        "random-forest",
        "hist-gradient-boosting",
        "lightgbm",
    ),
}


def words_of(text: str | None, option: str) -> tuple[str, ...]:
    """Take the words of an option apart at its commas, each once."""
    if text is None:
        return ()
    words = (word.strip() for word in text.split(","))
    found = tuple(dict.fromkeys(word for word in words if word))
    if not found:
        raise InvalidInput(f"{option} is empty; name at least one, or leave it out")
    return found


def check_words(words: tuple[str, ...], known: list[str], kind: str) -> None:
    """Refuse a word that is not known."""
    for word in words:
        if word not in known:
            raise UnknownName.among(kind, word, known)


def model_names(models: str | None, task: str) -> tuple[tuple[str, ...], bool]:
    """Names of the models, and whether somebody asked for them."""
    if models is None:
        return _USUAL[task == "regression"], False
    return words_of(models, "--models"), True


def split_parts(
    dataset: Dataset,
    test_size: float,
    groups: str | None,
    order: str | None,
    max_rows: int,
    seed: int,
) -> tuple[tuple[Any, Any, Any, Any], list[Remark]]:
    """Split the rows; a large file is sampled first."""
    import numpy as np

    from caveat.study._splits import split_rows

    if not 0 < test_size < 1:
        raise InvalidInput(f"--test-size is {test_size:g}; use a share such as 0.25")
    if seed < 0:
        raise InvalidInput(f"--seed is {seed}; use 0 or more")
    if max_rows < 10:
        raise InvalidInput(f"--max-rows is {max_rows}; use 10 or more")
    how = {"test-size": test_size, "stratify": True, "groups": groups, "order": order}
    split = split_rows(dataset, how, seed)
    train, test = split.train, split.test
    remarks = []
    if len(train) + len(test) > max_rows:
        rng = np.random.default_rng(seed)
        keep = max(2, round(max_rows * test_size))
        test = np.sort(rng.permutation(test)[:keep])
        train = np.sort(rng.permutation(train)[: max(2, max_rows - keep)])
        remarks.append(
            Remark(
                "note",
                f"{max_rows:,} of {len(dataset.X):,} rows were used.",
                f"{max_rows:,}",
                "--max-rows takes more",
            )
        )
    unused = [name for name in (groups, order) if name]
    X = dataset.X.drop(columns=unused, errors="ignore")
    y = dataset.y
    assert y is not None
    return (X.iloc[train], y.iloc[train], X.iloc[test], y.iloc[test]), remarks


def fit_models(
    asked: tuple[tuple[str, ...], bool], dataset: Dataset, parts: Any, seed: int
) -> dict[str, Any]:
    """Fit the models; of the usual ones those whose libraries are there."""
    from caveat.models import counterpart, make_model

    names, insisted = asked
    fitted = {}
    for name in names:
        found = counterpart(name, dataset.task)
        try:
            model = make_model(found, dataset.task, random_state=seed)
        except MissingExtra as error:
            if insisted:
                raise
            note(f"left out: {error}")
            continue
        note(f"fitting {found}")
        fitted[found] = model.fit(parts[0], parts[1])
    return fitted


def export_sets(folder: str, parts: Any, dataset: Dataset, seed: int) -> None:
    """Write the training part and the shifted test sets as CSV files."""
    from caveat.shift import export_shifted

    listed = export_shifted(
        folder,
        *parts,
        target=str(dataset.y.name) if dataset.y is not None else "target",
        task=dataset.task,
        max_subsets=100,
        random_state=seed,
    )
    note(f"wrote {len(listed)} files to {folder}")
