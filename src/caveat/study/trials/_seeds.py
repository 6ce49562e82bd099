"""Where randomness comes from: seeds derived from the parts of a spec that may matter.

All learners of one repeat see the same split and the same world, so a seed for
the split must not depend on the learner; see `docs/architecture.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from caveat.study.trials._canonical import digest


def derive_seed(
    spec: Mapping[str, Any], purpose: str, extra: Mapping[str, Any] | None = None
) -> int:
    """Derive a seed below 2**32 for one purpose of one trial.

    A protocol that prescribes seeds has put one into the spec; then every
    purpose gets that number as it is.
    """
    prescribed = spec.get("seed")
    if prescribed is not None:
        return int(prescribed)
    return int(digest([purpose, _relevant(spec, purpose), dict(extra or {})])[:8], 16)


def _relevant(spec: Mapping[str, Any], purpose: str) -> Any:
    data = [spec["dataset"]["digest"], spec["repeat"]]
    if purpose == "split":
        return data
    if purpose == "scenario":
        return [*data, spec["topic"], spec["world"]]
    # How a search was cut into trials must not show in its results.
    return search_identity(spec)


def search_identity(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the spec without the configurations a trial holds, and without paths."""
    identity = {key: spec[key] for key in spec if key != "configurations"}
    identity["dataset"] = dataset_identity(spec["dataset"])
    return identity


def dataset_identity(dataset: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a data set is, wherever its file lies: the content decides."""
    reference = dataset["reference"]
    if isinstance(reference, Mapping):
        reference = {key: reference[key] for key in reference if key != "file"}
    return {"reference": reference, "digest": dataset["digest"]}
