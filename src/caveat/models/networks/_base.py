"""What all networks for tables share: inputs, training, stopping, answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from caveat.exceptions import InvalidInput
from caveat.models._absence import Gone
from caveat.models._base import ONE_HOT, Lesson, TabularModel
from caveat.models._tasks import is_classification
from caveat.models.files._pack import Pack
from caveat.models.networks._layout import Layout, RandomAbsence
from caveat.models.networks._objective import Supervised
from caveat.models.networks._settings import check_settings
from caveat.training import (
    Best,
    Recipe,
    Sampler,
    Shuffled,
    adamw,
    check_device,
    outputs,
    sandbox,
    seeded,
    suggest_batch_size,
    train,
)

#: Categories as codes for embeddings; a level that is too rare shares a code.
EMBEDDED: Mapping[str, Any] = {"categories": "ordinal", "max_levels": 1024}

# Rows are answered in batches of one size, the last one filled up: the sums of a matrix
# product may depend on its shape, and an answer must not depend on the other rows.
_AT_A_TIME = 64


@dataclass(eq=False, repr=False)
class NetworkModel(TabularModel):
    """Base of all networks: a subclass says how its network is built.

    It overrides `_network`, and `_objective` where the loss is another one. Its
    parameters are fields of the dataclass.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    learning_rate, weight_decay : float
        Of AdamW.
    batch_size : int or None, default=None
        Rows in a step; None is a power of two near a quarter of the rows, from 32 to
        1024.
    max_epochs : int, default=200
        Most passes over the rows.
    validation : float or None, default=0.2
        Share of rows held out to stop early where `fit` is not told; None is none.
    patience : int, default=20
        Stop after so many passes that are no better on the validation rows.
    class_weight : "balanced", mapping of label to weight, or None, default=None
        How much the rows of each class count.
    mask_rate : float, default=0.0
        Probability that a training row loses columns: training for loss.
    mask_bits : bool, default=False
        Tell the network which columns are gone, by a further 0/1 input each.
    device : str, default="cpu"
        Where to train and to answer. Devices other than the CPU were never tried.
    progress : callable or None, default=None
        Gets ``(updates, total)`` after every pass.
    kinds : mapping of column to kind, or None
        ``numerical``, ``categorical`` or ``boolean`` where detection would err.
    random_state : int, RandomState instance or None
        Seeds the first weights, the order of the rows and all else.

    Attributes
    ----------
    classes_ : array
        The labels, sorted; classification only.
    estimator_ : torch.nn.Module
    validation_rows_ : array of int
        Which training rows were held out to stop early.
    history_ : list of dict
        Loss and validation loss of every pass.
    best_epoch_, n_epochs_ : int
        The pass whose weights were kept, and how many there were.
    """

    task: str = "classification"
    _: KW_ONLY
    learning_rate: float = 1e-3
    weight_decay: float = 1e-5
    batch_size: int | None = None
    max_epochs: int = 200
    validation: float | None = 0.2
    patience: int = 20
    class_weight: str | Mapping[Any, float] | None = None
    mask_rate: float = 0.0
    mask_bits: bool = False
    device: str = "cpu"
    progress: Callable[[int, int], None] | None = None
    kinds: Mapping[str, str] | None = None
    random_state: Any = None

    encoding: ClassVar[Mapping[str, Any]] = ONE_HOT
    stops_early: ClassVar[bool] = True
    scales_target: ClassVar[bool] = True
    # Columns are taken away anew in every step, by a view of the batch.
    masks_rows: ClassVar[bool] = False

    def _network(self, layout: Layout, n_outputs: int) -> nn.Module:
        """Build the network: inputs as `layout` says, logits or one number out."""
        raise NotImplementedError

    def _objective(self, view: str) -> Supervised:
        """Say what is minimised."""
        return Supervised(is_classification(self.task), view)

    def _prepare(self, module: nn.Module, x: Tensor, y: Tensor) -> None:
        """Show the training rows to a network that starts from them or keeps them."""

    def _recipe(self) -> Recipe:
        return adamw(self.learning_rate, weight_decay=self.weight_decay)

    #: Makes a schedule of the learning rate; None leaves it alone.
    _schedule: ClassVar[Callable[[Any], Any] | None] = None

    @property
    def _n_outputs(self) -> int:
        return len(self.classes_) if is_classification(self.task) else 1

    def _learn(self, lesson: Lesson) -> Any:
        # Batch statistics and rows that are looked up know no weights.
        lesson = lesson.counted()
        self._check_parameters(len(lesson.target))
        n_rows = len(lesson.target)
        self.layout_ = Layout.of(self.encoder_, bits=self.mask_bits, rows=n_rows)
        data = self._tensors(lesson)
        with sandbox(lesson.seed, device=self.device), seeded(lesson.seed):
            module = self._network(self.layout_, self._n_outputs)
            self._prepare(module, data["x"], data["y"])
        self._train(module, data, lesson)
        return module

    def _sampler(self, n_rows: int, size: int) -> Sampler:
        # A last batch of one row has no variance, which batch norm needs.
        return Shuffled(n_rows, size, drop_last=n_rows % size == 1 and size > 1)

    def _absence(self) -> RandomAbsence:
        return RandomAbsence(self.layout_, self.n_features_in_, self.mask_rate)

    def _train(
        self, module: nn.Module, data: dict[str, Tensor], lesson: Lesson
    ) -> None:
        n_rows = len(lesson.target)
        size = min(self.batch_size or suggest_batch_size(n_rows), n_rows)
        objective = self._objective("weak" if self.mask_rate else "plain")
        judge = self._judge(lesson.watch, objective)
        training = train(
            module,
            objective,
            data,
            epochs=self.max_epochs,
            sampler=self._sampler(n_rows, size),
            optimiser=self._recipe(),
            schedule=self._schedule,
            clip=1.0,
            views={"weak": self._absence()},
            evaluate=None if judge is None else lambda run: judge(run.module),
            best=judge and Best("validation-loss", patience=self.patience),
            seed=lesson.seed,
            device=self.device,
            progress=self.progress,
        )
        self.history_ = training.checkpoints
        self.n_epochs_ = training.epochs
        best = training.best
        self.best_epoch_ = training.epochs if best is None else best + 1

    def _judge(
        self, watch: Lesson | None, objective: Supervised
    ) -> Callable[[nn.Module], dict[str, float]] | None:
        """Say how to look at the validation rows; None if there are none."""
        if watch is None:
            return None
        held = self._tensors(watch)
        x, y, w = held["x"], held["y"], held.get("w")
        if self.mask_rate:
            # The same columns are gone at every look, as often as in training.
            x = self._absence()(x, torch.Generator().manual_seed(watch.seed))

        def judge(module: nn.Module) -> dict[str, float]:
            z = outputs(module, x, batch_size=1024).cpu()
            return {"validation-loss": objective.judge(z, y, w)}

        return judge

    def _tensors(self, lesson: Lesson) -> dict[str, Tensor]:
        classify = is_classification(self.task)
        kind = torch.int64 if classify else torch.float32
        data = {
            "x": torch.tensor(self.layout_.inputs(np.asarray(lesson.table))),
            "y": torch.tensor(lesson.target).to(kind),
        }
        if lesson.weights is not None:
            mean = lesson.weights.mean() or 1.0
            data["w"] = torch.tensor(lesson.weights / mean, dtype=torch.float32)
        return data

    def _answer(self, table: Any) -> ArrayLike:
        return self._ask(torch.tensor(self.layout_.inputs(np.asarray(table))))

    def _ask(self, x: Tensor) -> NDArray[np.float64]:
        """Ask the network; rows that are alike get the same answer to the last bit."""
        first, same = _distinct(x.numpy())
        filled = np.resize(first, -(-len(first) // _AT_A_TIME) * _AT_A_TIME)
        with sandbox(0, device=self.device):
            z = outputs(self.estimator_, x[filled], batch_size=_AT_A_TIME)
        answers = z[: len(first)].cpu().double()
        found = answers.softmax(1) if is_classification(self.task) else answers[:, 0]
        return found.numpy()[same]

    def _answer_without(self, table: Any, gone: Gone) -> ArrayLike:
        x = torch.tensor(self.layout_.inputs(np.asarray(table)))
        return self._ask(self.layout_.without(x, torch.tensor(gone)))

    def _pack(self) -> Pack:
        state = self.estimator_.state_dict()
        arrays = {f"weights.{k}": v.cpu().numpy() for k, v in state.items()}
        facts = {"layout": asdict(self.layout_), "history": self.history_}
        return Pack(facts, arrays)

    def _unpack(self, pack: Pack) -> None:
        self.layout_ = Layout(**pack.facts["layout"])
        self.history_ = pack.facts["history"]
        with seeded(0):
            module = self._network(self.layout_, self._n_outputs)
        state = {
            name.removeprefix("weights."): torch.tensor(array)
            for name, array in pack.arrays.items()
        }
        module.load_state_dict(state)
        self.estimator_ = module.to(check_device(self.device)).eval()

    def _check_parameters(self, n_rows: int) -> None:
        if n_rows < 2:
            raise InvalidInput(
                f"{type(self).__name__} got n_samples={n_rows}; two rows are the least"
            )
        check_settings(self)
        check_device(self.device)


def _distinct(x: NDArray[np.float32]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find the first of all identical rows, and for each row which it is."""
    rows = np.ascontiguousarray(x)
    whole = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first, same = np.unique(whole, return_index=True, return_inverse=True)
    return first, same
