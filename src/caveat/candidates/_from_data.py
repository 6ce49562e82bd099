"""From a person's candidate labels to a Look, in one call: `caveat candidates`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from caveat.candidates import page
from caveat.candidates._table import CrowdTable, read_candidates
from caveat.candidates._ways import Progress, can_learn, examine_candidates
from caveat.datasets import file_name
from caveat.exceptions import InvalidInput, MissingExtra
from caveat.pages import About, Look, check_rules, plural


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
        Columns that stay features, though they only date or name their rows, or hold
        names of classes.
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
    >>> import pandas as pd
    >>> rows = [(i, who, i % 2) for i in range(30) for who in ("ann", "ben", "cy")]
    >>> given = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    >>> found = look(answers=given)
    >>> found.extra["chosen"], len(found.tables["suggestions"])
    ('pooled', 30)
    """
    if steps < 1:
        raise InvalidInput(f"--steps is {steps}; use 1 or more")
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
    file = file_name(answers if data is None else data, "a table")
    people = plural(found.annotators, "annotator") + ", " if table.people else ""
    about = About(
        file,
        candidates or "",
        "binary" if len(found.classes) == 2 else "multiclass",
        found.items,
        table.X.shape[1],
        people + plural(len(found.classes), "class", "classes"),
        command,
        table.left_out,
    )
    network = algorithms[0] if model and algorithms and can_learn(table) else ""
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
