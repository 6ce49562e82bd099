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


class _OfMass(Algorithm):
    """A loss of the candidates' joint probability, with its derivative."""

    of_mass: ClassVar[staticmethod[[Tensor, Tensor], Tensor]]
    derived: ClassVar[staticmethod[[Tensor, Tensor], Slope]]

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Give the loss of a batch."""
        return self.of_mass(z, S)

    def slope(self, z: Tensor, S: Tensor, rows: Tensor) -> Slope:
        """Give the loss and its derivative by the logits."""
        return self.derived(z, S)


class Cc(_OfMass):
    """CC: negative logarithm of the candidates' joint probability.

    Warnings
    --------
    Derived for uniformly drawn sets. It is content with any candidate, so labels that
    always come together stay together.

    References
    ----------
    .. [1] L. Feng et al. (2020). Provably consistent partial-label learning. NeurIPS.
    """

    of_mass = staticmethod(classifier_consistent)
    derived = staticmethod(slopes.classifier_consistent)


class Log(_OfMass):
    """LOG: CC with the row weight (q - 1) / (q - |S|).

    Warnings
    --------
    Items with nearly all classes as candidates weigh most, though they say least.

    References
    ----------
    .. [1] L. Feng et al. (2020). Learning with multiple complementary labels. ICML.
    """

    needs_excluded: ClassVar[bool] = True
    of_mass = staticmethod(log_bound)
    derived = staticmethod(slopes.log_bound)


class Exp(_OfMass):
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
    of_mass = staticmethod(exp_bound)
    derived = staticmethod(slopes.exp_bound)


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


class _Complementary(Algorithm):
    """The unbiased risk of complementary labels, from an error of every label."""

    deviation: ClassVar[str] = (
        "the excluded labels' loss stands in the denominator of the correction"
    )
    needs_excluded: ClassVar[bool] = True

    def errors(self, z: Tensor) -> Tensor:
        """Give the error of every item, were it of that label."""
        raise NotImplementedError

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Candidates' errors minus the excluded labels' share of them."""
        corrected = (
            inverted_complementary_risk if self.is_plench else complementary_risk
        )
        return corrected(self.errors(z), S)


class MclGce(_WithExponent, _Complementary):
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

    def errors(self, z: Tensor) -> Tensor:
        """Give every label's generalised cross-entropy."""
        return generalised_cross_entropies(z, self.exponent)


class MclMse(_Complementary):
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

    def errors(self, z: Tensor) -> Tensor:
        """Give every label's squared error."""
        return squared_errors(z)
