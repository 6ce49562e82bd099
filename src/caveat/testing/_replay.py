"""A recorded run of an algorithm for candidate labels, made again by our code."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from caveat.candidates import Algorithm
from caveat.candidates.registry import LEARNERS
from caveat.exceptions import DataError, UnknownName
from caveat.testing._recorder import (
    Arrays,
    Recorded,
    Recorder,
    TinyFeaturizer,
    load_weights,
)
from caveat.training import adam, train
from caveat.training.images import Classified, resnet32

VIEWS = ("plain", "weak", "strong", "distill")

#: What a file says about the outcome, which is not read.
OUTCOMES = ("loss", "trace.", "final.", "used.")

#: Our names of the published hyperparameters.
PARAMETERS: dict[str, dict[str, str]] = {
    "pico": {
        "prot_start": "start",
        "feat_dim": "width",
        "moco_queue": "queue",
        "moco_m": "momentum",
        "proto_m": "prototype_momentum",
        "loss_weight": "weight",
    },
    "able": {
        "feat_dim": "width",
        "loss_weight": "weight",
        "temperature": "temperature",
    },
    "crdpll": {"lam": "lam"},
    "dirk": {
        "momentum": "momentum",
        "moco_queue": "queue",
        "feat_dim": "width",
        "prot_start": "start",
        "weight": "weight",
        "dist_temperature": "label_temperature",
        "feat_temperature": "temperature",
    },
}
PARAMETERS["alim"] = {
    **PARAMETERS["pico"],
    "start_epoch": "start_epoch",
    "loss_weight_mixup": "mixup_weight",
    "mixup_alpha": "mixup_shape",
    "noise_rate": "noise_rate",
}
PARAMETERS["pico+"] = {
    **PARAMETERS["pico"],
    "pure_ratio": "pure_ratio",
    "knn_start": "neighbours_start",
    "chosen_neighbors": "neighbours",
    "temperature_guess": "guess_temperature",
    "ur_weight": "unreliable_weight",
    "cls_weight": "label_weight",
}

#: Which of its recorded batches an algorithm reads, where it shares a problem's file.
OWN_BATCHES = {"alim": {"batches": "alim_batches1", "batches2": "alim_batches2"}}

#: What the name of a recorded variant says about an algorithm's settings.
OPTIONS: dict[str, Callable[[str], dict[str, Any]]] = {
    "crdpll": lambda variant: {"second_forward": "reuse" not in variant},
    "alim": lambda variant: {"cap": "cap" in variant},
    "pico+": lambda variant: {"every": "epoch" if "epochsel" in variant else "step"},
}


def replay(path: str | os.PathLike[str]) -> dict[str, NDArray]:
    """Run our implementation on a recorded problem, and give what it does.

    Everything that a run leaves to chance is in the file: first weights, batches, views
    and draws. Whatever the file says about the outcome is not read.

    Parameters
    ----------
    path : path
        ``<algorithm>_<variant>.npz``, or ``resnet32_<algorithm>_<variant>.npz`` with
        ``resnet32_problem.npz`` and ``resnet32_weights.npz`` beside it.

    Returns
    -------
    dict of str to array
        Under the names of the file: ``loss``, ``trace.W``, ``final.logits_plain`` and
        whatever else the algorithm has.
    """
    file = Path(path)
    name, variant, is_resnet = _named(file)
    arrays = _read(file, is_resnet=is_resnet, name=name)
    algorithm = _algorithm(name, variant, arrays)
    owner = _owner(arrays)
    rows, classes = arrays["S"].shape
    features = arrays[f"init.{owner}.classifier.weight"].shape[1]
    module = Classified(_featurizer(arrays, is_resnet), features, classes)
    load_weights(module, arrays, owner)
    recorder = Recorder(algorithm, arrays, owner)
    training = train(
        module,
        recorder,
        {"x": np.arange(rows), "candidates": arrays["S"].astype(bool)},
        steps=len(arrays["batches"]),
        sampler=Recorded(arrays["batches"], arrays.get("batches2"), rows),
        optimiser=adam(
            _number(arrays, "lr"), weight_decay=_number(arrays, "weight_decay")
        ),
        views={view: _shown(arrays[f"view.{view}"]) for view in VIEWS},
    )
    losses = np.array(training.losses, dtype=np.float32)
    return {"loss": losses, **recorder.found(module)}


def _named(file: Path) -> tuple[str, str, bool]:
    """Read algorithm and variant from the name of a file."""
    stem = file.stem
    is_resnet = stem.startswith("resnet32_")
    words = stem.removeprefix("resnet32_").lower().replace("pico_plus", "pico+")
    name, _, variant = words.partition("_")
    if name not in PARAMETERS:
        raise UnknownName.among("recorded algorithm", name, PARAMETERS)
    return name, variant, is_resnet


def _read(file: Path, *, is_resnet: bool, name: str) -> dict[str, NDArray]:
    """Read what a run needs; in the larger problem it is spread over several files."""
    arrays = _inputs(file)
    if not is_resnet:
        return arrays
    found = {**_inputs(file.with_name("resnet32_problem.npz")), **arrays}
    for view in VIEWS:
        found.setdefault(f"view.{view}", found[f"view32.{view}"] / np.float32(32))
    for ours, theirs in OWN_BATCHES.get(name, {}).items():
        found[ours] = found[theirs]
    for key in list(found):
        owner = key.split(".")[1] if key.startswith("init.") else ""
        if not key.endswith("classifier.weight") or not owner:
            continue
        tail = "_teacher" if owner == "teacher" else ""
        weights = _inputs(file.with_name(f"resnet32_weights{tail}.npz"))
        found.update({f"init.{owner}.{part}": w for part, w in weights.items()})
    return found


def _inputs(file: Path) -> dict[str, NDArray]:
    try:
        with np.load(file, allow_pickle=False) as archive:
            return {
                key: archive[key]
                for key in archive.files
                if not key.startswith(OUTCOMES) and key != "y"
            }
    except (OSError, ValueError) as error:
        raise DataError(f"{str(file)!r} cannot be read as npz ({error})") from error


def _number(arrays: Arrays, name: str) -> Any:
    """Give a hyperparameter; single precision is rounded back to what was meant."""
    value = arrays[f"hp.{name}"].item()
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _algorithm(name: str, variant: str, arrays: Arrays) -> Algorithm:
    chosen = {
        ours: _number(arrays, theirs)
        for theirs, ours in PARAMETERS[name].items()
        if f"hp.{theirs}" in arrays
    }
    if "hp.conf_ema_range" in arrays:
        first, last = (float(f"{value:.6g}") for value in arrays["hp.conf_ema_range"])
        chosen |= {"first_momentum": first, "last_momentum": last}
    published = variant.startswith("plench")
    options = OPTIONS[name](variant) if name in OPTIONS else {}
    kind = LEARNERS[name].load()
    return kind(**chosen, **options, variant="plench" if published else "paper")


def _shown(view: NDArray) -> Callable[[Tensor, torch.Generator], Tensor]:
    """Give rows their recorded view: the data are row numbers."""
    table = torch.as_tensor(np.asarray(view, dtype=np.float32))
    return lambda rows, generator: table.index_select(0, rows)


def _owner(arrays: Arrays) -> str:
    """Name the network that learns, as the file does."""
    owners = {key.split(".")[1] for key in arrays if key.endswith("classifier.weight")}
    return next(iter(owners - {"teacher"}))


def _featurizer(arrays: Arrays, is_resnet: bool) -> nn.Module:
    if is_resnet:
        return resnet32((32, 32, 3), 1).featurizer
    sizes = [
        next(
            a for key, a in arrays.items() if key.endswith(f"featurizer.{part}.weight")
        )
        for part in ("conv", "fc")
    ]
    return TinyFeaturizer(*sizes)
