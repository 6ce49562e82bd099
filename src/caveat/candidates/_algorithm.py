"""What an algorithm for partial labels is to the one training loop."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any, ClassVar

from torch import Tensor

from caveat.candidates._slopes import Slope
from caveat.exceptions import InvalidInput, UnknownName, hint
from caveat.training import Batch, Objective, Run

VARIANTS = ("paper", "plench")


class Algorithm(Objective):
    """Base of all algorithms: logits of a batch in, a loss out.

    A subclass overrides `risk`, and `update` if it learns something about every row
    between the steps. What it keeps for every row it sets in `begin` and names in
    `kept`, so that runs can be resumed. Its parameters are keywords of its own; it
    hands the rest to this class.

    Parameters
    ----------
    variant : {"paper", "plench"}, default="paper"
        "paper" is the method as published; "plench" does as the code of the PLENCH
        benchmark does, where `deviation` names a difference.

    Attributes
    ----------
    deviation : str
        What "plench" does differently; empty if nothing.

    Examples
    --------
    A new algorithm is a class with a formula.

    >>> from caveat.candidates import Algorithm, PartialLabelClassifier
    >>> class Mean(Algorithm):
    ...     '''Cross-entropy, averaged over the candidates.'''
    ...     def risk(self, z, S, rows):
    ...         return -(z.log_softmax(1) * S).sum(1).div(S.sum(1)).mean()
    >>> X = [[0.0], [0.1], [1.0], [1.1]] * 8
    >>> candidates = [[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1]] * 8
    >>> model = PartialLabelClassifier(Mean, hidden=(8,), max_steps=60,
    ...                                learning_rate=0.02, random_state=0)
    >>> model.fit(X, candidates).predict([[0.0], [1.0]])
    array([0, 2])
    """

    deviation: ClassVar[str] = ""
    kept: ClassVar[tuple[str, ...]] = ()
    # A batch in which every set is full excludes nothing: such a step is left out.
    needs_excluded: ClassVar[bool] = False
    # Whether it compares views of an item, which a table does not have.
    needs_views: ClassVar[bool] = False
    # Whether a second batch goes beside the first.
    needs_second_batch: ClassVar[bool] = False
    #: Which view its network is shown: rows of a table as they are; of an image, the
    #: weak one, which the classifier asks for.
    view: str = "plain"
    views: tuple[str, ...] = ("plain",)

    def __init__(self, *, variant: str = "paper", **unknown: Any) -> None:
        for name in unknown:
            own = [key for key in self.settings() if key != "variant"]
            raise InvalidInput(
                f"{type(self).__name__} has no parameter {name!r}; {hint(name, own)}"
            )
        if variant not in VARIANTS:
            raise UnknownName.among("variant", variant, VARIANTS)
        self.variant = variant

    @property
    def is_plench(self) -> bool:
        """Whether the published implementation is asked for."""
        return self.variant == "plench"

    @classmethod
    def settings(cls) -> dict[str, str]:
        """Keywords that the class itself takes, with their declared types."""
        found: dict[str, str] = {}
        for base in cls.__mro__:
            if base is Objective:
                break
            if "__init__" not in vars(base):
                continue
            found |= {
                name: str(item.annotation)
                for name, item in signature(vars(base)["__init__"]).parameters.items()
                if item.kind is Parameter.KEYWORD_ONLY
            }
        return found

    @classmethod
    def parameter_types(cls) -> dict[str, str]:
        """List what a study may give: keywords of the algorithm and of training."""
        return {**cls.settings(), **TRAINING}

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Compute the loss from logits, candidates and row numbers of a batch."""
        raise NotImplementedError

    def update(self, run: Run, batch: Batch) -> None:
        """Learn something about the rows of a batch, after its step."""

    def slope(self, z: Tensor, S: Tensor, rows: Tensor) -> Slope:
        """Compute the loss and its derivative by the logits, where that is known.

        It saves autograd the work. A class with a `risk` of its own inherits none.
        """
        raise NotImplementedError

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        own = vars(cls)
        if "slope" not in own and ("risk" in own or "loss" in own):
            cls.slope = Algorithm.slope  # type: ignore[method-assign]
        usual = ("step", "loss", "forward", "answer")
        cls.stacks = all(
            getattr(cls, name) is getattr(Algorithm, name) for name in usual
        )

    def show(self, view: str) -> None:
        """Ask for another view of the items; those that name several keep theirs."""
        if not self.needs_views:
            self.view = view
            self.views = (view,)

    def items(self, batch: Batch) -> Tensor:
        """Give the items of a batch as the network is to see them."""
        return batch["x"] if self.view == "plain" else batch.view(self.view)

    def forward(self, run: Run, batch: Batch) -> Tensor:
        """Give the logits of a batch, and keep them."""
        logits = run.forward(self.items(batch))
        self.logits = logits.detach()
        return logits

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """Compute the loss of a batch."""
        return self.risk(self.forward(run, batch), batch["candidates"], batch.rows)

    def step(self, run: Run, batch: Batch) -> float | Tensor:
        """Make one update, unless the batch has nothing to say."""
        if self.needs_excluded and bool(batch["candidates"].all()):
            return 0.0
        if type(self).slope is Algorithm.slope:
            return super().step(run, batch)
        z = self.forward(run, batch)
        return run.follow(z, *self.slope(self.logits, batch["candidates"], batch.rows))

    def answer(self, z: Tensor, batch: Batch) -> Slope | None:
        """Give the loss and its derivative by given logits: a step without its passes.

        For runs that train together; a class with a step of its own trains alone.
        """
        S = batch["candidates"]
        if self.needs_excluded and bool(S.all()):
            return None
        self.logits = z
        if type(self).slope is not Algorithm.slope:
            return self.slope(z, S, batch.rows)
        leaf = z.detach().requires_grad_()
        loss = self.risk(leaf, S, batch.rows)
        loss.backward()
        return loss.detach(), leaf.grad  # type: ignore[return-value]

    def after_step(self, run: Run, batch: Batch) -> None:
        """Follow a step with the algorithm's own update."""
        self.update(run, batch)

    def state(self) -> Any:
        """Return what is kept for every row."""
        return {name: getattr(self, name) for name in self.kept}

    def load_state(self, run: Run, state: Any) -> None:
        """Take back what is kept for every row."""
        for name in self.kept:
            value = state[name]
            there = value.to(run.device) if isinstance(value, Tensor) else value
            setattr(self, name, there)


#: Parameters of `PartialLabelClassifier` that a study may set beside an algorithm's.
TRAINING = {
    "network": "str",
    "hidden": "Sequence[int]",
    "learning_rate": "float",
    "weight_decay": "float",
    "batch_size": "int",
    "flips": "bool",
    "device": "str",
}


def check_number(name: str, value: Any, low: float, high: float = float("inf")) -> Any:
    """Refuse a parameter outside of its range."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"{name} is {value!r}; pass a number")
    if not low <= value <= high:
        top = "" if high == float("inf") else f" and at most {high:g}"
        raise InvalidInput(f"{name} is {value}; pass at least {low:g}{top}")
    return value
