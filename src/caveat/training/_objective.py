"""What a run minimises, and what it does between the steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from torch import Tensor, nn

from caveat.training._batches import Batch

if TYPE_CHECKING:
    from caveat.training._run import Run


class Objective:
    """Base of everything that can be trained; override what differs.

    The loop calls, in this order: `begin` once; for every batch `step` (which calls
    `loss`) and `after_step`; `after_epoch` when all batches were seen. Whatever a
    learner keeps for every row, such as its label confidences, is an attribute set
    in `begin` and returned by `state`, so that a run can be resumed.

    Examples
    --------
    >>> import torch
    >>> from caveat.training import Objective, mlp, train
    >>> class Autoencoder(Objective):
    ...     def loss(self, run, batch):
    ...         return (run.module(batch["x"]) - batch["x"]).square().mean()
    >>> x = torch.linspace(-1, 1, 32)[:, None]
    >>> training = train(mlp(1, [8], 1, seed=0), Autoencoder(), {"x": x}, epochs=20)
    >>> training.losses[-1] < training.losses[0]
    True
    """

    #: Whether a step is one pass of ``run.module`` over ``batch["x"]`` and one update
    #: along what `answer` gives, so that `train_all` may make it for several runs.
    stacks: ClassVar[bool] = False

    #: Which views of ``batch["x"]`` it asks for by ``batch.view``, of "plain", "weak",
    #: "strong" and "distill".
    views: tuple[str, ...] = ("plain",)

    def begin(self, run: Run) -> None:
        """Set up what is kept during the run; the module and data are there."""

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """Compute the loss of a batch."""
        raise NotImplementedError

    def step(self, run: Run, batch: Batch) -> float | Tensor:
        """Make one update and return the loss; override it for several optimisers."""
        return run.descend(self.loss(run, batch))

    def answer(self, z: Tensor, batch: Batch) -> tuple[Tensor, Tensor] | None:
        """Give the loss and its derivative by what the network said, if it stacks.

        None leaves the update out.
        """
        raise NotImplementedError

    def after_step(self, run: Run, batch: Batch) -> None:
        """Do what follows an update, such as new label confidences."""

    def after_epoch(self, run: Run) -> None:
        """Do what follows a pass over the rows; ``run.stop()`` ends the run."""

    def state(self) -> Any:
        """Return what `begin` and the steps have made: a tree of tensors and values.

        Dicts, lists, tuples, tensors, numbers, text and None; see `save_tree`.
        """
        return None

    def load_state(self, run: Run, state: Any) -> None:
        """Take back what `state` returned; called after `begin`."""


class LossFunction(Objective):
    """A plain function as an objective.

    Parameters
    ----------
    function : callable
        ``function(module, batch)`` gives the loss as a scalar tensor.
    """

    def __init__(self, function: Callable[[nn.Module, Batch], Tensor]) -> None:
        self.function = function

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """Compute the loss of a batch."""
        return self.function(run.module, batch)
