"""What the network learners share: the perceptron, its data, its predictions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass
from typing import Any

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
LossFunction = Callable[[nn.Module, Any], Tensor]


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
        check_number("learning_rate", self.learning_rate, above=0)
        widths = [check_whole("hidden", width, least=1) for width in self.hidden]
        self._check_parameters()
        seed = int(check_random_state(self.random_state).randint(2**31))
        x = as_float32(problem.X)
        network = self._network(x, widths, problem.shares.shape[1], seed)
        training = self._train(network, problem, x, seed)
        self.network_ = network.to("cpu")
        self.losses_ = training.losses
        self.n_steps_ = training.updates

    def _network(
        self, x: Tensor, widths: list[int], n_classes: int, seed: int
    ) -> nn.Module:
        """Build the perceptron, or copy the network that was given and try it."""
        if self.network is None:
            return mlp(x.shape[1], widths, n_classes, seed=seed)
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


class BagLoss(Objective):
    """Base of losses that compare a bag's shares with the network's mean output."""

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
        raise NotImplementedError
