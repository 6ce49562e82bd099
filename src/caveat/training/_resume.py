"""Where a run stands, in a file: so that it can go on as if nothing had happened."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from caveat.exceptions import DataError, InvalidInput
from caveat.training._best_checkpoint import Waiting
from caveat.training._run import Run
from caveat.training._store import load_tree, save_tree


class Progress:
    """The file of one run: written now and then, read once at the start.

    Parameters
    ----------
    path : path
    run : Run
    batches : torch.Generator
        The generator behind the order of the rows.
    settings : mapping
        What makes a run this run and no other: seed and budget.
    every : int or None
        Save after every so many updates; None means every epoch.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        run: Run,
        batches: torch.Generator,
        settings: Mapping[str, Any],
        *,
        every: int | None,
    ) -> None:
        if every is not None and every < 1:
            raise InvalidInput(f"save_every is {every}; one update is the least")
        self.path = Path(path)
        self.every = every
        self.run = run
        self.batches = batches
        self.identity = {
            **settings,
            "batches": run.batches_per_epoch,
            "data": digest(run.data),
            "first weights": digest(run.module.state_dict()),
            "optimiser": type(run.optimiser).__name__,
        }

    def is_due(self, *, epoch_ended: bool) -> bool:
        """Tell whether it is time to save."""
        if self.run.stopped:
            return True
        if self.every is None:
            return epoch_ended
        return self.run.updates % self.every == 0

    def save(self, epoch_start: Tensor, position: int) -> None:
        """Write down where the run stands.

        Parameters
        ----------
        epoch_start : tensor
            State of the batch generator when the epoch began.
        position : int
            How many batches of the epoch were seen.
        """
        run = self.run
        tree = {
            "identity": self.identity,
            "epoch_start": epoch_start,
            "position": position,
            "updates": run.updates,
            "epoch": run.epoch,
            "stopped": run.stopped,
            "losses": torch.tensor(run.losses, dtype=torch.float64),
            "checkpoints": run.checkpoints,
            "waiting": asdict(run.waiting),
            "best_weights": run.best_weights,
            "module": dict(run.module.state_dict()),
            "parts": {name: dict(p.state_dict()) for name, p in run.parts.items()},
            "optimisers": {name: o.state_dict() for name, o in run.optimisers.items()},
            "optimiser": run.optimiser.state_dict(),
            "schedule": run.schedule and run.schedule.state_dict(),
            "objective": run.objective.state(),
            "random": _random_states(run.device),
        }
        save_tree(self.path, tree)

    def load(self) -> tuple[Tensor, int] | None:
        """Bring the run to where it stood; None if there is no file."""
        if not self.path.exists():
            return None
        tree = load_tree(self.path)
        for name, here in self.identity.items():
            there = tree["identity"].get(name)
            if there != here:
                raise DataError(
                    f"{str(self.path)!r} belongs to another run: its {name} is "
                    f"{there!r}, here it is {here!r}; delete it or name another file"
                )
        run = self.run
        run.updates, run.epoch = tree["updates"], tree["epoch"]
        run.stopped = tree["stopped"]
        run.losses = tree["losses"].tolist()
        run.checkpoints = tree["checkpoints"]
        run.waiting = Waiting(**tree["waiting"])
        run.best_weights = tree["best_weights"]
        run.module.load_state_dict(tree["module"])
        for name, part in run.parts.items():
            part.load_state_dict(tree["parts"][name])
        for name, optimiser in run.optimisers.items():
            optimiser.load_state_dict(tree["optimisers"][name])
        # First the objective: it may have put another optimiser in place.
        run.objective.load_state(run, tree["objective"])
        run.optimiser.load_state_dict(tree["optimiser"])
        if run.schedule is not None:
            run.schedule.load_state_dict(tree["schedule"])
        self.batches.set_state(tree["epoch_start"])
        _set_random_states(run.device, tree["random"])
        return tree["epoch_start"], tree["position"]


def digest(tensors: Mapping[str, Tensor]) -> str:
    """SHA-256 of named tensors."""
    found = hashlib.sha256()
    for name, tensor in tensors.items():
        found.update(f"{name} {tensor.dtype} {tuple(tensor.shape)};".encode())
        flat = tensor.detach().cpu().contiguous().reshape(-1)
        found.update(flat.view(torch.uint8).numpy().data if len(flat) else b"")
    return found.hexdigest()


def _random_states(device: torch.device) -> list[Tensor]:
    states = [torch.get_rng_state()]
    if device.type != "cpu":
        states.append(torch.get_device_module(device).get_rng_state(device))
    return states


def _set_random_states(device: torch.device, states: list[Tensor]) -> None:
    torch.set_rng_state(states[0])
    for state in states[1:]:
        torch.get_device_module(device).set_rng_state(state, device)
