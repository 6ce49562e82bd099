"""Complementary labels: learn from what an item is not."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from numpy.typing import ArrayLike
from torch import Tensor

from caveat.candidates import _slopes as slopes
from caveat.candidates._algorithm import Algorithm, check_number
from caveat.candidates._losses import (
    class_risks,
    complementary_prior,
    forward_transition,
    forward_uniform,
    order_preserving,
    pairwise_comparison,
    surrogate_exp,
    surrogate_nl,
    weighted_discriminative,
)
from caveat.candidates._slopes import Slope
from caveat.exceptions import InvalidInput
from caveat.training import Run


class ComplementaryAlgorithm(Algorithm):
    """Base of losses over pairs of a row and a label outside its set.

    Every pair counts once, so rows with many excluded labels weigh more and rows with
    full sets do not count at all.
    """

    needs_excluded: ClassVar[bool] = True


class Pc(ComplementaryAlgorithm):
    """PC: every excluded label is compared with all others by a sigmoid.

    Warnings
    --------
    A bounded loss on score differences: outputs are no calibrated probabilities.

    References
    ----------
    .. [1] T. Ishida et al. (2017). Learning from complementary labels. NeurIPS.
    """

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Mean over pairs of the sum of sigmoids."""
        return pairwise_comparison(z, S)


class Forward(ComplementaryAlgorithm):
    """Forward: predict the excluded label through a transition matrix.

    With the uniform matrix it is SCL-NL plus log(q - 1), so the two learn the same.

    Parameters
    ----------
    transition : array-like of shape (n_classes, n_classes), optional
        Row j: how likely each class is to be excluded for items of class j; rows sum
        to 1. Uniform over the other classes if not given.

    Warnings
    --------
    A wrong matrix makes it learn the wrong thing without a sign of it.

    References
    ----------
    .. [1] X. Yu et al. (2018). Learning with biased complementary labels. ECCV.
    """

    def __init__(self, *, transition: ArrayLike | None = None, **common: Any) -> None:
        super().__init__(**common)
        self.transition = transition
        self.Q: Tensor | None = None

    def begin(self, run: Run) -> None:
        """Check the transition matrix against the classes."""
        if self.transition is None:
            return
        Q = torch.as_tensor(self.transition, dtype=torch.float32, device=run.device)
        classes = run.data["candidates"].shape[1]
        sums = Q.sum(dim=-1)
        if (
            Q.shape != (classes, classes)
            or (Q < 0).any()
            or (sums - 1).abs().max() > 1e-4
        ):
            raise InvalidInput(
                f"transition: found the shape {tuple(Q.shape)}; pass {classes} rows of "
                f"{classes} probabilities, each with the sum 1"
            )
        self.Q = Q

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Log-loss of the excluded labels."""
        if self.Q is None:
            return forward_uniform(z, S)
        return forward_transition(z, S, self.Q)


_INDEX = "the class prior has the wrong index (corrected by its authors in 2022)"


class _ClassRisks(ComplementaryAlgorithm):
    kept: ClassVar[tuple[str, ...]] = ("prior",)

    def begin(self, run: Run) -> None:
        """Count the excluded labels of the training rows."""
        self.prior = complementary_prior(run.data["candidates"])

    def class_risks(self, z: Tensor, S: Tensor) -> Tensor:
        """Estimated risk of every class."""
        return class_risks(z, S, self.prior.to(z.dtype), legacy=self.is_plench)


class Nn(_ClassRisks):
    """NN: unbiased risk from complementary labels, class risks kept above -beta.

    Parameters
    ----------
    beta : float, default=0.0
        How far below 0 an estimated class risk may go.
    variant : {"paper", "plench"}, default="paper"

    Warnings
    --------
    Built for uniformly drawn complementary labels, one each; far from it, as on real
    candidate sets, it learns poorly in every published comparison.

    References
    ----------
    .. [1] T. Ishida et al. (2019). Complementary-label learning for arbitrary losses
       and models. ICML.
    """

    deviation: ClassVar[str] = _INDEX

    def __init__(self, *, beta: float = 0.0, **common: Any) -> None:
        super().__init__(**common)
        self.beta = check_number("beta", beta, 0)

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Sum of the class risks, each cut at -beta."""
        return self.class_risks(z, S).clamp(min=-self.beta).sum()


class Ga(_ClassRisks):
    """GA: unbiased risk from complementary labels, with gradient ascent.

    Where an estimated class risk is negative, the step goes up along the negative ones
    instead of down along all.

    Parameters
    ----------
    weighted : bool, default=True
        Weigh class risks by the number of pairs in the batch, as the authors' code
        does; False is the text of the paper.
    variant : {"paper", "plench"}, default="paper"

    Warnings
    --------
    It hardly learns on candidate sets of many classes, in any published form; kept for
    comparison.

    References
    ----------
    .. [1] T. Ishida et al. (2019). Complementary-label learning for arbitrary losses
       and models. ICML.
    """

    deviation: ClassVar[str] = _INDEX

    def __init__(self, *, weighted: bool = True, **common: Any) -> None:
        super().__init__(**common)
        self.weighted = weighted

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Sum of the class risks, or minus the sum of the negative ones."""
        risks = self.class_risks(z, S)
        weighed = risks * (~S).sum(dim=0) if self.weighted else risks
        if bool((weighed < 0).any()):
            return -weighed.clamp(max=0.0).sum()
        return risks.sum()


class SclExp(ComplementaryAlgorithm):
    """SCL-EXP: exp of the excluded labels' probabilities.

    Warnings
    --------
    A bounded loss: slow to give up a wrong belief. Biased, but of small variance.

    References
    ----------
    .. [1] Y.-T. Chou et al. (2020). Unbiased risk estimators can mislead: a case study
       of learning with complementary labels. ICML.
    """

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Mean over pairs of exp(p)."""
        return surrogate_exp(z, S)

    def slope(self, z: Tensor, S: Tensor, rows: Tensor) -> Slope:
        """Give the loss and its derivative by the logits."""
        return slopes.surrogate_exp(z, S)


class SclNl(ComplementaryAlgorithm):
    """SCL-NL: -log(1 - p + 1e-6) of the excluded labels.

    Up to a constant the same as Forward with the uniform matrix.

    Warnings
    --------
    Biased, but of small variance; it does not tell candidates of one set apart.

    References
    ----------
    .. [1] Y.-T. Chou et al. (2020). Unbiased risk estimators can mislead: a case study
       of learning with complementary labels. ICML.
    """

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Mean over pairs of -log(1 - p)."""
        return surrogate_nl(z, S)

    def slope(self, z: Tensor, S: Tensor, rows: Tensor) -> Slope:
        """Give the loss and its derivative by the logits."""
        return slopes.surrogate_nl(z, S)


class Lw(ComplementaryAlgorithm):
    """L-W: weighted log-loss of softmax(1 - p), the distribution of excluded labels.

    Warnings
    --------
    softmax(1 - p) is never far from uniform, so gradients are small: learning is slow.

    References
    ----------
    .. [1] Y. Gao, M.-L. Zhang (2021). Discriminative complementary-label learning with
       weighted loss. ICML.
    """

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Mean weighted log-loss over pairs."""
        return weighted_discriminative(z, S)


class Opw(ComplementaryAlgorithm):
    """OP-W: weighted order-preserving loss on the softmin.

    Warnings
    --------
    Loss values are about 1e-5 and gradients die where logits are large. Outputs are no
    probabilities: choosing by approximated accuracy is meaningless.

    References
    ----------
    .. [1] S. Liu et al. (2023). Consistent complementary-label learning via
       order-preserving losses. AISTATS.
    """

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Mean weighted order-preserving loss over pairs."""
        return order_preserving(z, S)
