"""From names to the parts they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from caveat.baseline._clusterers import gmm_mahalanobis_path, incremental_path
from caveat.baseline._representation import (
    Representation,
    Transformer,
    latent_size,
)
from caveat.baseline.registry import CLUSTERERS, REPRESENTATIONS


def representation_of(model: Any, *, images: bool) -> Callable[[int], Representation]:
    """Return what makes a fresh representation for a number of encoded columns."""
    if not isinstance(model.representation, str):
        return lambda columns: Transformer(model.representation)
    kind = REPRESENTATIONS[model.representation].load()
    return lambda columns: kind(
        latent_size(model.latent, images=images, columns=columns)
    )


def clusterer_of(model: Any) -> Any:
    """Return the generator of clusterings."""
    if model.scheme == "incremental":
        return incremental_path
    if model.clusterer == "gmm" and model.gmm_distance == "mahalanobis":
        return gmm_mahalanobis_path
    return CLUSTERERS[model.clusterer].load()
