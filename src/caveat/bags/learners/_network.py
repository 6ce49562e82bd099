"""What the network learners share: the perceptron, its data, its predictions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
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
        network = mlp(x.shape[1], widths, problem.shares.shape[1], seed=seed)
        training = self._train(network, problem, x, seed)
        self.network_ = network.to("cpu")
        self.losses_ = training.losses
        self.n_steps_ = training.updates

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


def segment_means(log_h: Tensor, bags: Tensor) -> tuple[Tensor, Tensor]:
    """Log of the mean probability of every class in every bag of a batch.

    ``log mean_i h_c(x_i)`` as a log-sum-exp over the bag's items, which never
    underflows.

    Returns
    -------
    log_means : tensor of shape (bags in the batch, classes)
    present : tensor
        Numbers of these bags.
    """
    present, place = torch.unique(bags, return_inverse=True)
    if len(present) == 1:
        return torch.logsumexp(log_h, dim=0, keepdim=True) - np.log(len(log_h)), present
    index = place[:, None].expand_as(log_h)
    shape = (len(present), log_h.shape[1])
    top = torch.full(shape, -torch.inf, device=log_h.device, dtype=log_h.dtype)
    top = top.scatter_reduce(0, index, log_h.detach(), "amax")
    scaled = torch.exp(log_h - top[place])
    sums = torch.zeros(shape, device=log_h.device, dtype=log_h.dtype)
    sums = sums.scatter_add(0, index, scaled)
    counts = torch.bincount(place, minlength=len(present)).to(log_h.dtype)
    return torch.log(sums) + top - torch.log(counts)[:, None], present


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
