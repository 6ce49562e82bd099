"""GrowNet: boosting with small networks."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from caveat.models._base import Lesson
from caveat.models._tasks import is_classification
from caveat.models.networks._base import EMBEDDED, NetworkModel
from caveat.models.networks._layers import Flat
from caveat.models.networks._layout import Layout
from caveat.models.networks._objective import Supervised
from caveat.training import Batch, Run, adamw, suggest_batch_size, train


class Stage(nn.Module):
    """BN, Lin, leaky relu, BN, Lin =: h, relu, Lin; it gives its answer and h."""

    def __init__(self, d: int, hidden: int, n_outputs: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(d)
        self.first = nn.Linear(d, hidden)
        self.second_norm = nn.BatchNorm1d(hidden)
        self.second = nn.Linear(hidden, hidden)
        self.head = nn.Linear(hidden, n_outputs)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Give the answer of the stage and its last hidden layer."""
        made = leaky_relu(self.first(self.norm(x)), 0.1)
        hidden = self.second(self.second_norm(made))
        return self.head(hidden.relu()), hidden


class Grown(nn.Module):
    """Stages on top of each other; `size` of them are in use.

    All stages are there from the beginning, so that weights can be kept and loaded by
    name; those that were never trained are not asked.
    """

    size: Tensor
    start: Tensor

    def __init__(self, layout: Layout, model: GrowNet, n_outputs: int) -> None:
        super().__init__()
        self.flat = Flat(layout, model.d_embedding)
        self.rate = nn.Parameter(torch.ones(()))
        wide = self.flat.width + model.hidden_d
        self.stages = nn.ModuleList(
            [
                Stage(wide if number else self.flat.width, model.hidden_d, n_outputs)
                for number in range(model.n_stages)
            ]
        )
        self.register_buffer("start", torch.zeros(n_outputs))
        self.register_buffer("size", torch.zeros((), dtype=torch.long))

    def run(self, x: Tensor, size: int) -> tuple[Tensor, Tensor]:
        """Give the sum of the first stages, and the input of the next one."""
        plain = entry = self.flat(x)
        total = torch.zeros(len(x), self.start.shape[0], device=x.device)
        for stage in list(self.stages)[:size]:
            answer, hidden = stage(entry)
            total = total + answer
            entry = torch.cat([plain, hidden], 1)
        return self.start + self.rate * total, entry

    def forward(self, x: Tensor) -> Tensor:
        """Answer rows."""
        return self.run(x, int(self.size))[0]


def newton_step(
    total: Tensor, y: Tensor, classify: bool
) -> tuple[Tensor, Tensor | float]:
    """Give what the next stage should add, and how much each target counts.

    The residual of a regression; for classes -g / H with weight H, where g = p - 1[y]
    and H = p (1 - p), class by class.

    Examples
    --------
    >>> import torch
    >>> goal, weight = newton_step(torch.zeros(1, 2), torch.tensor([1]), True)
    >>> goal.tolist(), weight.tolist()
    ([[-2.0, 2.0]], [[0.25, 0.25]])
    """
    if not classify:
        return y[:, None] - total, 1.0
    p = total.softmax(1)
    g = p - torch.nn.functional.one_hot(y, p.shape[1]).to(p.dtype)
    h = (p * (1 - p)).clamp_min(1e-4)
    return -g / h, h


@dataclass(eq=False, repr=False)
class GrowNet(NetworkModel):
    """Small networks, one after the other, each fitted to what is still wrong.

    Stage s sees the columns and the last hidden layer of stage s - 1, and fits the
    Newton step of the loss at the sum of the stages before it; then all stages are
    corrected together on the loss itself. Answer = ρ Σ stages, ρ learnt.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    n_stages : int, default=40
        Most stages; it stops when `patience` stages in a row were no better on the
        validation rows, and keeps the best number.
    d_embedding : int, default=64
        Width of a category's vector.
    hidden_d : int, default=128
        Width of a stage.
    epochs_per_stage, correct_epochs : int, default=1, 1
        Passes over the rows for a new stage, and for the correction.
    learning_rate, weight_decay : float, default=1e-3, 1e-5
        Of AdamW; the correction has a third of the rate, and it halves every 30 stages.

    The other parameters and the attributes are those of `NetworkModel`; `max_epochs` is
    not used, `best_epoch_` counts stages, and a batch has an eighth of the usual rows,
    at least 32.

    Warnings
    --------
    Later stages see what earlier ones made of the columns, so a column that is gone is
    missed at every stage. On a few hundred rows the running means of batch norm lag
    behind the weights, so that later stages can make answers worse; the best number of
    stages is kept, which is then small, and ridge may do better. The published code
    corrects the newest stage only and takes another formula for several classes; this
    follows the paper.

    References
    ----------
    .. [1] S. Badirli et al. (2020). Gradient boosting neural networks: GrowNet.
       arXiv:2002.07971.
    """

    n_stages: int = 40
    d_embedding: int = 64
    hidden_d: int = 128
    epochs_per_stage: int = 1
    correct_epochs: int = 1
    learning_rate: float = 1e-3

    encoding: ClassVar[Any] = EMBEDDED

    def _network(self, layout: Layout, n_outputs: int) -> nn.Module:
        return Grown(layout, self, n_outputs)

    def _prepare(self, module: nn.Module, x: Tensor, y: Tensor) -> None:
        assert isinstance(module, Grown)
        if is_classification(self.task):
            counts = y.bincount(minlength=len(module.start)).clamp_min(0.5)
            module.start.copy_((counts / counts.sum()).log())

    def _train(
        self, module: nn.Module, data: dict[str, Tensor], lesson: Lesson
    ) -> None:
        assert isinstance(module, Grown)
        judge = self._judge(lesson.watch, self._objective("plain"))
        best: tuple[float, int, Any] | None = None
        self.history_ = []
        for number in range(1, self.n_stages + 1):
            self._grow(module, data, lesson.seed + number)
            row = {"epoch": number, **(judge(module) if judge else {})}
            self.history_.append(row)
            value = row.get("validation-loss", -float(number))
            if best is None or value < best[0]:
                best = (value, number, deepcopy(module.state_dict()))
            elif number - best[1] >= self.patience:
                break
            if self.progress is not None:
                self.progress(number, self.n_stages)
        assert best is not None
        module.load_state_dict(best[2])
        module.eval()
        self.n_epochs_, self.best_epoch_ = len(self.history_), best[1]

    def _grow(self, module: Grown, data: dict[str, Tensor], seed: int) -> None:
        """Add a stage, then correct all of them."""
        size = int(module.size)
        rate = self.learning_rate * 0.5 ** (size // 30)
        view = "weak" if self.mask_rate else "plain"
        n_rows = len(data["y"])
        # A stage has one pass, and its batch norms need more than a few updates in it.
        rows = self.batch_size or max(32, suggest_batch_size(n_rows) // 8)
        rows = min(rows, n_rows)
        settings: dict[str, Any] = {
            "sampler": self._sampler(n_rows, rows),
            "views": {"weak": self._absence()},
            "clip": 1.0,
            "seed": seed,
            "device": self.device,
        }
        module.to(self.device).eval()
        newest = NewStage(module, is_classification(self.task), view)
        recipe = adamw(rate, weight_decay=self.weight_decay)
        settings |= {"optimiser": recipe, "epochs": self.epochs_per_stage}
        train(module.stages[size], newest, data, **settings)
        module.size += 1
        recipe = adamw(rate / 3, weight_decay=self.weight_decay)
        settings |= {"optimiser": recipe, "epochs": self.correct_epochs}
        train(module, self._objective(view), data, **settings)


class NewStage(Supervised):
    """Squared error of a new stage against the Newton step of those before it."""

    def __init__(self, grown: Grown, classify: bool, view: str) -> None:
        super().__init__(classify, view)
        self.grown = grown

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """Compute the loss of a batch."""
        with torch.no_grad():
            total, entry = self.grown.run(batch.view(self.look), int(self.grown.size))
        goal, weight = newton_step(total, batch["y"], self.classify)
        errors = (weight * (run.module(entry)[0] - goal).square()).mean(1)
        w = batch.tensors.get("w")
        return errors.mean() if w is None else (w * errors).mean()
