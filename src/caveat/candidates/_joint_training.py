"""Several classifiers for the same items, trained at once where that is faster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from caveat.candidates._classifier import PartialLabelClassifier, Watch
from caveat.tables import remember_columns
from caveat.training import Diverged, train_all


def fit_all(
    models: Sequence[PartialLabelClassifier],
    X: Any,
    candidates: Any,
    *,
    encoder: Any = None,
    checkpoints: Sequence[int] | None = None,
    watch: Watch | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Diverged | None]:
    """Fit several classifiers to the same items; each ends as it would alone.

    Parameters
    ----------
    models : sequence of PartialLabelClassifier
        Of any algorithms and settings.
    X, candidates, encoder, checkpoints, watch
        As in `PartialLabelClassifier.fit`.
    progress : callable, optional
        Gets ``(steps, total)`` of all of them.

    Returns
    -------
    list of Diverged or None
        For every classifier, why it has no result.

    Examples
    --------
    >>> X, sets = [[0.0], [0.2], [1.0], [3.0]], [{"a"}, {"a", "b"}, {"b"}, {"c"}]
    >>> models = [PartialLabelClassifier("cc", hidden=(8,), max_steps=60,
    ...                                  learning_rate=rate, random_state=0)
    ...           for rate in (0.03, 1e30)]
    >>> fine, spoilt = fit_all(models, X, sets)
    >>> fine, type(spoilt).__name__, models[0].predict(X).tolist()
    (None, 'Diverged', ['a', 'a', 'b', 'c'])
    """
    first = models[0]
    encoded, sets = first._prepare(X, candidates, encoder)
    data = {"x": torch.tensor(encoded), "candidates": torch.tensor(sets.matrix)}
    done = [0] * len(models)
    total = sum(model.max_steps for model in models)
    jobs = []
    for number, model in enumerate(models):

        def tell(steps: int, _: int, number: int = number) -> None:
            done[number] = steps
            if progress is not None:
                progress(sum(done), total)

        if model is not first:
            model._check_parameters()
            model.encoder_, model.classes_ = first.encoder_, first.classes_
            model.candidate_shares_ = first.candidate_shares_
            remember_columns(model, model.encoder_)
        jobs.append(
            model._job(
                encoded, sets, checkpoints, watch, progress=tell, everything=data
            )
        )
    failures: list[Diverged | None] = []
    for model, result in zip(models, train_all(jobs), strict=True):
        failures.append(result if isinstance(result, Diverged) else None)
        if not isinstance(result, Diverged):
            model._keep(result)
    return failures
