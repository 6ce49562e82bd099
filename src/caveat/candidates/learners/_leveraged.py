"""LWS: a leveraged weighted loss."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor

from caveat.candidates import _slopes as slopes
from caveat.candidates._algorithm import check_number
from caveat.candidates._losses import leveraged_confidences, leveraged_weighted
from caveat.candidates._slopes import Slope
from caveat.candidates.learners._identification import ConfidenceAlgorithm
from caveat.training import Run


class Lws(ConfidenceAlgorithm):
    """LWS: sigmoid losses of candidates and of the others, traded off by a leverage.

    sum over candidates of W sigmoid(-z) + leverage * sum over the others of
    W sigmoid(z); after the step W are the shares of p within either side.

    Parameters
    ----------
    leverage : float, default=2.0
        Weight of the labels outside the set.
    second_forward : bool or None, default=None
        None is True: the shares are those after the step.

    Warnings
    --------
    The loss is not proper, so outputs are no probabilities: choosing by approximated
    accuracy fails, on Italian by 15 points in the published table. With a leverage of
    2 all logits of a small network on images can fall together, to where the sigmoid is
    flat, and it learns hardly anything: 0.30 on digits, with a leverage of 1 0.84.

    References
    ----------
    .. [1] H. Wen et al. (2021). Leveraged weighted loss for partial label learning.
       ICML.
    """

    second_by_default: ClassVar[bool] = True

    def __init__(self, *, leverage: float = 2.0, **common: Any) -> None:
        super().__init__(**common)
        self.leverage = check_number("leverage", leverage, 0)

    def begin(self, run: Run) -> None:
        """Start from 1/q everywhere, inside and outside the sets."""
        S = run.data["candidates"]
        self.W = torch.full(S.shape, 1.0 / S.shape[1], device=S.device)

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Weighted sigmoid losses of both sides."""
        return leveraged_weighted(z, S, self.W[rows], self.leverage)

    def slope(self, z: Tensor, S: Tensor, rows: Tensor) -> Slope:
        """Give the loss and its derivative by the logits."""
        W = self.W.index_select(0, rows)
        return slopes.leveraged_weighted(z, S, W, self.leverage)

    def confidences(self, z: Tensor, S: Tensor) -> Tensor:
        """Give shares of p within the candidates, and within the others."""
        return leveraged_confidences(z, S)
