"""What the network learners share: the perceptron, its data, its predictions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from torch import Tensor, nn

from caveat.bags._params import check_number, check_whole
from caveat.bags.learners._base import BagClassifier
from caveat.bags.learners._problem import BagProblem
from caveat.exceptions import InvalidInput
from caveat.training import Objective, Training, mlp, outputs

Floats = NDArray[np.float64]


@dataclass(eq=False, repr=False)
class NetworkBagClassifier(BagClassifier):
    """Base of learners that train a perceptron with a softmax output.

    A subclass adds its parameters as fields, so that `__init__` takes and stores them
    all, and writes `_train`, which trains the network on tensors.
    """

    learning_rate: float = 1e-3
    _: KW_ONLY
    hidden: Sequence[int] = (100, 100)
    n_steps: int | None = 2000
    epochs: int | None = None
    device: str = "cpu"
    network: nn.Module | None = None
    random_state: Any = None

    @abstractmethod
    def _train(
        self, network: nn.Module, problem: BagProblem, x: Tensor, seed: int
    ) -> Training:
        """Train the network in place."""

    def _fit(self, problem: BagProblem) -> None:
        seed = self._checked_seed()
        self._fit_alone(problem, as_float32(problem.X), seed)

    def _checked_seed(self) -> int:
        """Check all parameters, and draw what seeds weights and batches."""
        check_number("learning_rate", self.learning_rate, above=0)
        for width in self.hidden:
            check_whole("hidden", width, least=1)
        self._check_parameters()
        return int(check_random_state(self.random_state).randint(2**31))

    def _fit_alone(self, problem: BagProblem, x: Tensor, seed: int) -> None:
        """Train one network by the one training loop."""
        network = self._network(x, problem.shares.shape[1], seed)
        self._keep(network, self._train(network, problem, x, seed))

    def _keep(self, network: nn.Module, training: Training) -> None:
        self.network_ = network.to("cpu")
        self.losses_ = training.losses
        self.n_steps_ = training.updates

    def _network(self, x: Tensor, n_classes: int, seed: int) -> nn.Module:
        """Build the perceptron, or copy the network that was given and try it."""
        if self.network is None:
            return mlp(x.shape[1], list(self.hidden), n_classes, seed=seed)
        network = deepcopy(self.network)
        with torch.no_grad():
            found = network.eval()(x[:2]).shape
        if tuple(found) != (len(x[:2]), n_classes):
            raise InvalidInput(
                f"network: it gives {tuple(found)} for {len(x[:2])} items; expected a "
                f"score for each of {n_classes} classes"
            )
        return network.train()

    def _check_parameters(self) -> None:
        """Check what the subclass adds."""

    def _predict_proba(self, X: Any) -> Floats:
        scores = outputs(self.network_, as_float32(X))
        return torch.softmax(scores.double(), dim=1).numpy()


def as_float32(X: Any) -> Tensor:
    """Items as a dense tensor of single precision, made in one step."""
    dense = X.toarray() if hasattr(X, "toarray") else X
    return torch.from_numpy(np.array(dense, dtype=np.float32, order="C"))


def check_budget(n_steps: Any, epochs: Any) -> dict[str, int]:
    """Pass steps or epochs on to the training loop, one of the two."""
    if epochs is not None:
        return {"epochs": check_whole("epochs", epochs, least=1)}
    if n_steps is None:
        raise InvalidInput(
            "n_steps: found none, and no epochs either; give one of them"
        )
    return {"steps": check_whole("n_steps", n_steps, least=1)}


@dataclass(frozen=True)
class Adversary:
    """An adversarial term: its weight, how far items move, how it is searched for."""

    weight: float
    eps: float
    xi: float
    n_power: int


class BagLoss(Objective):
    """Base of losses that compare a bag's shares with the network's mean output.

    A subclass writes `of`, or `value` if logits of the items are not enough.
    """

    #: Whether a step is the loss `of` the logits of its batch, with the derivative that
    #: `slopes` gives, plus the term that `adversary` describes: then configurations may
    #: train together.
    by_logits: ClassVar[bool] = False

    def __init__(self, shares: Floats) -> None:
        self.shares = torch.tensor(shares, dtype=torch.float32)

    def begin(self, run: Any) -> None:
        """Put the shares where the network is."""
        self.shares = self.shares.to(run.device)

    def loss(self, run: Any, batch: Any) -> Tensor:
        """Compute the loss of a batch."""
        return self.value(run.module, batch["x"], batch["bag"])

    def value(self, network: nn.Module, x: Tensor, bags: Tensor) -> Tensor:
        """Compute the loss of some items."""
        return self.of(network(x), bags)

    def of(self, logits: Tensor, bags: Tensor) -> Tensor:
        """Compute the loss of what a network said of some items."""
        raise NotImplementedError

    def slopes(
        self,
        log_h: NDArray,
        h: NDArray,
        present: NDArray,
        place: NDArray,
        slope: NDArray,
    ) -> float:
        """Compute the same loss, and write its derivative by the logits down.

        Parameters
        ----------
        log_h, h : arrays of shape (items, classes)
            Probabilities that the network gives, and their logarithms.
        present : array
            Numbers of the bags of the batch.
        place : array of shape (items,)
            Which of these an item is in.
        slope : array of shape (items, classes)
            Result.
        """
        raise NotImplementedError

    @property
    def adversarial(self) -> bool:
        """Whether steps may have an adversarial term."""
        return False

    def adversary(self, step: int, total: int) -> Adversary | None:
        """Describe the adversarial term of a step, if there is one."""
        return None
