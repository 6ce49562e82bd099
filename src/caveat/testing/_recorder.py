"""What a file has recorded of a run, put in place of chance, and written down again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from caveat.candidates import Algorithm
from caveat.exceptions import DataError
from caveat.training import Batch, Objective, Run, outputs

Arrays = Mapping[str, NDArray]

#: Names of queues in a file, and the columns of ours.
QUEUES = {
    "queue": "keys",
    "queue_pseudo": "labels",
    "queue_rel": "reliable",
    "queue_feat": "keys",
    "queue_dist": "labels",
    "queue_partY": "candidates",
}

#: What a step computes, as our algorithms and the files name it.
STEPS = (
    "logits",
    "logits_strong",
    "logits_mix",
    "feat",
    "pseudo",
    "score_prot",
    "margin",
    "guess",
    "r",
)


class Recorded:
    """Batches of a file, an epoch of them at a time."""

    def __init__(self, batches: NDArray, pairs: NDArray | None, rows: int) -> None:
        self.batches = torch.as_tensor(batches)
        self.pairs = None if pairs is None else torch.as_tensor(pairs)
        self.size = max(1, rows // batches.shape[1])
        self.given = 0

    def __len__(self) -> int:
        return self.size

    def epoch(self, generator: torch.Generator) -> Sequence[Any]:
        """List the next batches."""
        here = slice(self.given, self.given + self.size)
        self.given += self.size
        first = list(self.batches[here])
        if self.pairs is None:
            return first
        return list(zip(first, self.pairs[here], strict=True))


class RecordedDraws:
    """What mixing left to chance."""

    def __init__(self, arrays: Arrays) -> None:
        self.shares = arrays["draw.beta"]
        self.orders = arrays.get("draw.perm")

    def share(self, step: int) -> float:
        """Give the share of a step."""
        return float(self.shares[step])

    def order(self, step: int, count: int) -> Tensor:
        """Give the order of a step."""
        if self.orders is None:
            raise DataError("the file has no draw.perm, which the algorithm asks for")
        return torch.as_tensor(self.orders[step])


class TinyFeaturizer(nn.Module):
    """The small network of the recordings; its sizes are those of the weights."""

    def __init__(self, conv: NDArray, fc: NDArray) -> None:
        super().__init__()
        out, channels, side, _ = conv.shape
        self.conv = nn.Conv2d(channels, out, side, padding=side // 2, bias=False)
        self.bn = nn.BatchNorm2d(out)
        self.pool = nn.AvgPool2d(4)
        self.fc = nn.Linear(fc.shape[1], fc.shape[0])

    def forward(self, x: Tensor) -> Tensor:
        """Give features."""
        return self.fc(self.pool(self.bn(self.conv(x)).relu()).flatten(1))


def load_weights(module: nn.Module, arrays: Arrays, owner: str, part: str = "") -> None:
    """Give a network its recorded weights."""
    start = f"init.{owner}.{part}"
    given = {
        key.removeprefix(start): torch.as_tensor(value)
        for key, value in arrays.items()
        if key.startswith(start) and (part or not key.startswith(f"{start}head."))
    }
    known = module.state_dict()
    # The larger recordings leave batch statistics at 0 and 1.
    module.load_state_dict({**known, **given})


@dataclass
class Recorder(Objective):
    """An algorithm that starts as recorded, and whose steps are written down."""

    algorithm: Algorithm
    arrays: Arrays
    owner: str
    traces: dict[str, list[NDArray]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.views = tuple({*self.algorithm.views, "plain"})

    def begin(self, run: Run) -> None:
        """Set the algorithm up, and put what was recorded in place."""
        if "hp.max_steps" in self.arrays:
            run.total = int(self.arrays["hp.max_steps"])
        self.algorithm.begin(run)
        given, own = self.arrays, self.algorithm
        follower = run.parts.get("key", run.parts.get("teacher"))
        self.followers: dict[str, nn.Module] = {}
        if "head" in run.parts:
            load_weights(run.parts["head"], given, self.owner, "head.")
            self.followers[f"{self.owner}.head"] = run.parts["head"]
        if follower is not None:
            source = (
                "teacher"
                if any("init.teacher." in key for key in given)
                else self.owner
            )
            load_weights(follower.network, given, source)
            load_weights(follower.head, given, source, "head.")
            name = "key" if "key" in run.parts else "teacher"
            self.followers |= {name: follower.network, f"{name}.head": follower.head}
        for name, column in QUEUES.items():
            if f"init.{name}" in given:
                own.ring.columns[column] = torch.tensor(given[f"init.{name}"])
        if hasattr(own, "distance"):
            own.distance.zero_()
        if "draw.beta" in given and hasattr(own, "draws"):
            own.draws = RecordedDraws(given)
        if hasattr(own, "W"):
            self._note("trace.W", own.W)

    def step(self, run: Run, batch: Batch) -> float | Tensor:
        """Make one update."""
        own = self.algorithm
        if hasattr(own, "confidence_momentum"):
            self._note("trace.phi", own.confidence_momentum(run))
        if hasattr(own, "agreement"):
            self._note("trace.lambda_t", own.agreement(run))
        if hasattr(own, "neighbours_start"):
            self._note("trace.full_phase", int(own.is_full(run)))
        return own.step(run, batch)

    def after_step(self, run: Run, batch: Batch) -> None:
        """Write down what the step did."""
        own = self.algorithm
        own.after_step(run, batch)
        for name in own.parts:
            self._note(f"loss.{name}", own.seen.get(name, torch.tensor(np.nan)))
        for name in STEPS:
            if name in own.seen:
                self._note(f"trace.{name}", own.seen[name], place=run.updates)
        for name, attribute in (
            ("W", "W"),
            ("prototypes", "prototypes"),
            ("lambda_n", "importance"),
            ("is_rel", "reliable"),
            ("dist", "distance"),
        ):
            if hasattr(own, attribute):
                self._note(f"trace.{name}", getattr(own, attribute))
        if hasattr(own, "ring"):
            self._note("trace.queue_ptr", own.ring.pointer)
            if run.updates in self.arrays.get("queue_steps", ()):
                for name, column in QUEUES.items():
                    if f"init.{name}" in self.arrays:
                        self._note(f"trace.{name}", own.ring[column])
        if run.updates in self.arrays.get("eval_steps", ()):
            self._note("trace.eval_logits", self.logits(run.module))

    def after_epoch(self, run: Run) -> None:
        """Let the algorithm end its epoch."""
        self.algorithm.after_epoch(run)

    def logits(self, module: nn.Module) -> Tensor:
        """Give the network's answers to the plain view of all rows."""
        plain = np.asarray(self.arrays["view.plain"], dtype=np.float32)
        return outputs(module, torch.as_tensor(plain))

    def _note(self, name: str, value: Any, place: int | None = None) -> None:
        noted = self.traces.setdefault(name, [])
        found = value.detach().clone().numpy() if isinstance(value, Tensor) else value
        if place is not None:
            # What a phase did not compute is recorded as not a number.
            missing = np.full_like(found, np.nan, dtype=np.float32)
            noted += [missing] * (place - len(noted))
        noted.append(np.asarray(found))

    def found(self, module: nn.Module) -> dict[str, NDArray]:
        """Give everything, under the names of the file."""
        found = {name: np.stack(noted) for name, noted in self.traces.items()}
        if "mix" in self.algorithm.parts and "trace.logits_mix" not in found:
            # A phase that never came.
            found["trace.logits_mix"] = np.full_like(found["trace.logits"], np.nan)
            found["trace.guess"] = np.full_like(found["trace.logits"], np.nan)
        for name in ("trace.is_rel", "trace.queue_rel", "trace.full_phase"):
            if name in found:
                found[name] = found[name].astype(np.int64)
        found["final.logits_plain"] = self.logits(module).numpy()
        networks = {self.owner: module, **self.followers}
        for owner, network in networks.items():
            for name, weight in network.state_dict().items():
                found[f"final.{owner}.{name}"] = weight.detach().numpy()
        return found
