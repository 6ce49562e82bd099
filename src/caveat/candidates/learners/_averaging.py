"""Losses of a candidate set as a whole: nothing is remembered between the steps."""

from __future__ import annotations

from typing import Any, ClassVar

from torch import Tensor

from caveat.candidates import _slopes as slopes
from caveat.candidates._algorithm import Algorithm, check_number
from caveat.candidates._losses import (
    absolute_errors,
    averaged,
    classifier_consistent,
    complementary_risk,
    exp_bound,
    generalised_cross_entropies,
    inverted_complementary_risk,
    log_bound,
    mae_risk,
    squared_errors,
    uniform_confidences,
)
from caveat.candidates._slopes import Slope


class AbsMae(Algorithm):
    """ABS-MAE: absolute error, averaged over the candidates.

    Warnings
    --------
    Its gradient vanishes where the model is certain and wrong. Outputs are no
    probabilities: do not choose by approximated accuracy.

    References
    ----------
    .. [1] J. Lv et al. (2024). On the robustness of average losses for partial-label
       learning. IEEE TPAMI 46(5).
    """

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Average 2 (1 - p) over the candidates."""
        return averaged(absolute_errors(z), uniform_confidences(S).to(z.dtype))


class _WithExponent(Algorithm):
    def __init__(self, *, exponent: float = 0.7, **common: Any) -> None:
        super().__init__(**common)
        self.exponent = check_number("exponent", exponent, 1e-6, 1)


class AbsGce(_WithExponent):
    """ABS-GCE: generalised cross-entropy (1 - p^g) / g, averaged over the candidates.

    Parameters
    ----------
    exponent : float, default=0.7
        g: towards 0 it is the cross-entropy, at 1 the absolute error.

    Warnings
    --------
    Averages over wrong candidates, too: large sets blur the classes.

    References
    ----------
    .. [1] J. Lv et al. (2024). On the robustness of average losses for partial-label
       learning. IEEE TPAMI 46(5).
    """

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Average (1 - p^g) / g over the candidates."""
        errors = generalised_cross_entropies(z, self.exponent)
        return averaged(errors, uniform_confidences(S).to(z.dtype))


class Cc(Algorithm):
    """CC: negative logarithm of the candidates' joint probability.

    Warnings
    --------
    Derived for uniformly drawn sets. It is content with any candidate, so labels that
    always come together stay together.

    References
    ----------
    .. [1] L. Feng et al. (2020). Provably consistent partial-label learning. NeurIPS.
    """

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Mean of -log of the candidates' probability."""
        return classifier_consistent(z, S)

    def slope(self, z: Tensor, S: Tensor, rows: Tensor) -> Slope:
        """Give the loss and its derivative by the logits."""
        return slopes.classifier_consistent(z, S)


class Log(Algorithm):
    """LOG: CC with the row weight (q - 1) / (q - |S|).

    Warnings
    --------
    Items with nearly all classes as candidates weigh most, though they say least.

    References
    ----------
    .. [1] L. Feng et al. (2020). Learning with multiple complementary labels. ICML.
    """

    needs_excluded: ClassVar[bool] = True

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Weighted mean of -log of the candidates' probability."""
        return log_bound(z, S)

    def slope(self, z: Tensor, S: Tensor, rows: Tensor) -> Slope:
        """Give the loss and its derivative by the logits."""
        return slopes.log_bound(z, S)


class Exp(Algorithm):
    """EXP: exp(-probability of the candidates), weighted by (q - 1) / (q - |S|).

    Full sets have weight 0; published code divides by zero there.

    Warnings
    --------
    Items with nearly all classes as candidates weigh most, though they say least.

    References
    ----------
    .. [1] L. Feng et al. (2020). Learning with multiple complementary labels. ICML.
    """

    needs_excluded: ClassVar[bool] = True

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Weighted mean of exp(-mass)."""
        return exp_bound(z, S)

    def slope(self, z: Tensor, S: Tensor, rows: Tensor) -> Slope:
        """Give the loss and its derivative by the logits."""
        return slopes.exp_bound(z, S)


class MclMae(Algorithm):
    """MCL-MAE: the unbiased risk of complementary labels with the absolute error.

    It collapses to (q - 1) / (q - |S|) times the probability outside the set.

    Parameters
    ----------
    weighted : bool, default=True
        Keep that factor; False gives every item the same weight.

    Warnings
    --------
    Its gradient vanishes where the model is certain and wrong: slow with many classes.

    References
    ----------
    .. [1] L. Feng et al. (2020). Learning with multiple complementary labels. ICML.
    """

    needs_excluded: ClassVar[bool] = True

    def __init__(self, *, weighted: bool = True, **common: Any) -> None:
        super().__init__(**common)
        self.weighted = weighted

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Weighted mean of the probability outside the set."""
        return mae_risk(z, S, weighted=self.weighted)


_INVERTED = "the excluded labels' loss stands in the denominator of the correction"


class MclGce(_WithExponent):
    """MCL-GCE: unbiased risk of complementary labels, generalised cross-entropy.

    Parameters
    ----------
    exponent : float, default=0.7
        g in (1 - p^g) / g.
    variant : {"paper", "plench"}, default="paper"

    Warnings
    --------
    Unbiased for uniformly drawn complementary labels only; elsewhere the correction is
    wrong, and the risk can turn negative.

    References
    ----------
    .. [1] L. Feng et al. (2020). Learning with multiple complementary labels. ICML.
    """

    deviation: ClassVar[str] = _INVERTED
    needs_excluded: ClassVar[bool] = True

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Candidates' errors minus the excluded labels' share of them."""
        errors = generalised_cross_entropies(z, self.exponent)
        return (inverted_complementary_risk if self.is_plench else complementary_risk)(
            errors, S
        )


class MclMse(Algorithm):
    """MCL-MSE: unbiased risk of complementary labels, squared error.

    Parameters
    ----------
    variant : {"paper", "plench"}, default="paper"

    Warnings
    --------
    Unbiased for uniformly drawn complementary labels only; elsewhere the correction is
    wrong, and the risk can turn negative.

    References
    ----------
    .. [1] L. Feng et al. (2020). Learning with multiple complementary labels. ICML.
    """

    deviation: ClassVar[str] = _INVERTED
    needs_excluded: ClassVar[bool] = True

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Candidates' errors minus the excluded labels' share of them."""
        errors = squared_errors(z)
        return (inverted_complementary_risk if self.is_plench else complementary_risk)(
            errors, S
        )
