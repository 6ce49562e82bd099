"""From names to the parts they stand for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from caveat.eapp._inputs import Images, Table
from caveat.eapp.registry import CLUSTERERS, REPRESENTATIONS
from caveat.eapp.representations._representation import (
    Represent,
    Transformer,
    latent_size,
)

# Into so many parts a network's training is divided, for progress bars: one batch of
# large images takes seconds, and its end should be seen.
TICKS = 10_000


def representation_of(model: Any, data: Table | Images) -> Represent:
    """Return what makes a fresh representation for a number of encoded columns."""
    chosen = model.representation
    if not isinstance(chosen, str):
        return Represent(lambda columns, seed, tick: Transformer(chosen))
    entry = REPRESENTATIONS[chosen]
    kind = entry.load()

    def size(columns: int) -> int:
        return latent_size(model.latent, images=data.images, columns=columns)

    if not entry.facts.get("learned"):
        return Represent(lambda columns, seed, tick: kind(size(columns)))
    return Represent(
        lambda columns, seed, tick: kind(
            size(columns),
            shape=data.shape if isinstance(data, Images) else None,
            seed=seed,
            tick=tick,
            settings=model.training,
        ),
        ticks=TICKS,
    )


def clusterer_of(model: Any) -> Any:
    """Return the generator of clusterings."""
    entry = CLUSTERERS[model.clusterer]
    for way in (model.scheme, model.gmm_distance):
        if way in entry.facts:
            entry = replace(entry, target=entry.facts[way])
    return entry.load()
