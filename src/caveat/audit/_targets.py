"""Several targets at once: a learner of many labels on one fold, by all measures."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from caveat._registry import Entry
from caveat.audit._folds import Fold, thinned
from caveat.audit._table import Table
from caveat.datasets import from_frame
from caveat.exceptions import InvalidInput
from caveat.multilabel import (
    evaluate,
    learner_scores,
    margin_profile,
    per_label,
    threshold_table,
)
from caveat.tables import TableEncoder

Row = dict[str, Any]

_MOST_ROWS = 5_000
_MOST_LEVELS = 100
_MOST_LABELS = 500


def label_table(
    table: Table, targets: Sequence[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the features that no target is among, and the targets as 0 and 1."""
    features = table.X.drop(columns=[one for one in targets if one in table.X.columns])
    if not features.shape[1]:
        raise InvalidInput(
            "--targets: no column is left to learn from besides the targets"
        )
    if table.labels is not None:
        return features, table.labels[list(targets)]
    parts = [
        table.target if one == table.target.name else table.whole[one]
        for one in targets
    ]
    # The reader of data sets knows what counts as yes and no.
    frame = pd.concat([features.iloc[:, :1], *parts], axis=1)
    labels = from_frame(frame, targets=list(targets)).Y
    assert labels is not None
    return features, labels


def learn_targets(
    entry: Entry,
    params: Mapping[str, Any],
    table: Table,
    fold: Fold,
    targets: Sequence[str],
    *,
    seed: int,
) -> tuple[Row, dict[str, list[Row]]]:
    """Fit a learner of many labels to one fold and judge it on the others.

    Returns
    -------
    row, curves
        As for a record of the ledger. Curves: ``labels`` (label by label),
        ``thresholds`` (ways to decide, from training scores).

    Warnings
    --------
    At most 5,000 rows are learnt from, and 1,250 judge.
    """
    features, labels = label_table(table, targets)
    train, test = thinned(fold, _MOST_ROWS, seed)
    kinds = {name: table.kinds[name] for name in features.columns}
    encoder = TableEncoder(kinds=kinds, max_levels=_MOST_LEVELS)
    Y = labels.to_numpy(dtype=np.int64)
    with warnings.catch_warnings():
        # What they say of ties and of empty rows stands in the measures' conditions.
        warnings.simplefilter("ignore")
        inside = encoder.fit_transform(features.iloc[train])
        outside = encoder.transform(features.iloc[test])
        model = entry.make_for(params, random_state=seed).fit(inside, Y[train])
        scores, chosen = learner_scores(model, outside), model.predict(outside)
        found = evaluate(Y[test], scores, chosen)
        profile = margin_profile(
            Y[test], scores, chosen, popularity=Y[train].mean(axis=0)
        )
        cuts = threshold_table(
            learner_scores(model, inside), Y[train], inside, scores, Y[test], outside
        )
        single = per_label(Y[test], scores, chosen)
    row: Row = {
        **{f"test.{_hyphens(name)}": _known(value) for name, value in found.items()},
        "fact.label-order": _known(profile.label_wise.order),
        "fact.instance-order": _known(profile.instance_wise.order),
        "fact.popularity-order": _known(profile.popularity),
        "fact.tie-share": float(found.tie_share),
        "fact.targets": Y.shape[1],
        "fact.per-row": float(Y.sum(axis=1).mean()),
        "fact.none": float((Y.sum(axis=1) == 0).mean()),
        "fact.training-rows": len(train),
        "fact.test-rows": len(test),
    }
    shares = Y.mean(axis=0)
    curves = {
        "labels": [
            {"label": str(name), "share": float(share), "auc": _known(auc)}
            for name, share, auc in zip(
                labels.columns, shares, single["auc"].to_numpy(), strict=True
            )
        ][:_MOST_LABELS],
        "thresholds": [
            {"threshold": str(name), **{_hyphens(k): _known(v) for k, v in one.items()}}
            for name, one in cuts.to_dict("index").items()
        ],
    }
    return row, curves


def _hyphens(name: object) -> str:
    return str(name).replace("_", "-")


def _known(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
