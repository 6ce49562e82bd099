"""Losses on candidate sets, as plain functions of logits: one formula each.

Throughout, ``z`` are logits of shape (rows, classes), ``S`` is the bool matrix of
candidates, ``W`` are label confidences; p = softmax(z). Sums of probabilities are taken
on the logarithmic scale: in single precision a candidate's mass can round to 0.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional as F

# Keep logarithms of probabilities, and of their complements, finite.
TINY = 1e-12
ALMOST_ONE = 1.0000001


def uniform_confidences(S: Tensor) -> Tensor:
    """Give every candidate of a row the same share."""
    weights = S.to(torch.float32)
    return weights / weights.sum(dim=1, keepdim=True)


def candidate_softmax(z: Tensor, S: Tensor) -> Tensor:
    """Softmax over the candidates of a row; 0 elsewhere."""
    return z.masked_fill(~S, -math.inf).softmax(dim=1)


def log_candidate_mass(z: Tensor, S: Tensor) -> Tensor:
    """Logarithm of the probability of a row's candidates together."""
    return z.masked_fill(~S, -math.inf).logsumexp(dim=1) - z.logsumexp(dim=1)


def weighted_cross_entropy(z: Tensor, W: Tensor) -> Tensor:
    """PRODEN, RC: mean of -sum_j W_j log p_j."""
    return -(W * z.log_softmax(dim=1)).sum(dim=1).mean()


def classifier_consistent(z: Tensor, S: Tensor) -> Tensor:
    """CC: mean of -log of the candidates' mass."""
    return -log_candidate_mass(z, S).mean()


def exclusion_weights(S: Tensor, like: Tensor) -> Tensor:
    """Row weights (q - 1) / (q - |S|); 0 for full sets, which exclude nothing."""
    excluded = (~S).sum(dim=1).to(like.dtype)
    return torch.where(excluded > 0, (S.shape[1] - 1) / excluded.clamp(min=1), 0.0)


def log_bound(z: Tensor, S: Tensor) -> Tensor:
    """LOG: CC with the row weights of the complementary-label bound."""
    return -(exclusion_weights(S, z) * log_candidate_mass(z, S)).mean()


def exp_bound(z: Tensor, S: Tensor) -> Tensor:
    """EXP: weighted mean of exp(-mass)."""
    mass = (z.softmax(dim=1) * S).sum(dim=1)
    return (exclusion_weights(S, z) * torch.exp(-mass)).mean()


def mae_risk(z: Tensor, S: Tensor, *, weighted: bool = True) -> Tensor:
    """MCL-MAE: weighted mean of 1 - mass.

    With l_j = 1 - p_j the unbiased risk of `complementary_risk` collapses to this.
    """
    mass = (z.softmax(dim=1) * ~S).sum(dim=1)
    return (exclusion_weights(S, z) * mass if weighted else mass).mean()


def absolute_errors(z: Tensor) -> Tensor:
    """Distance of p from every class's corner, ||p - e_j||_1 = 2 (1 - p_j)."""
    return 2.0 * (1.0 - z.softmax(dim=1))


def squared_errors(z: Tensor) -> Tensor:
    """Squared distance of p from every class's corner."""
    p = z.softmax(dim=1)
    return p.square().sum(dim=1, keepdim=True) - 2.0 * p + 1.0


def generalised_cross_entropies(z: Tensor, exponent: float) -> Tensor:
    """(1 - p_j^g) / g for every class; p^g by its logarithm, whose slope is finite."""
    return (1.0 - torch.exp(exponent * z.log_softmax(dim=1))) / exponent


def averaged(errors: Tensor, W: Tensor) -> Tensor:
    """ABS: the mean over rows of a weighted sum of per-class errors."""
    return (W * errors).sum(dim=1).mean()


def complementary_risk(errors: Tensor, S: Tensor) -> Tensor:
    """MCL: unbiased risk of several complementary labels, from per-class errors.

    sum over candidates - (|S| - 1) / (q - |S|) * sum over the others; rows with full
    sets count 0.
    """
    excluded = (~S).sum(dim=1).to(errors.dtype)
    factor = (S.sum(dim=1) - 1) / excluded.clamp(min=1)
    risk = (errors * S).sum(dim=1) - factor * (errors * ~S).sum(dim=1)
    return torch.where(excluded > 0, risk, 0.0).mean()


def inverted_complementary_risk(errors: Tensor, S: Tensor) -> Tensor:
    """MCL as published code has it: the other labels' sum stands in the denominator."""
    excluded = (~S).sum(dim=1).to(errors.dtype)
    others = excluded * (errors * ~S).sum(dim=1) + 1e-20
    # Full sets count 0; a tiny denominator would still spoil their gradient.
    others = torch.where(excluded > 0, others, 1.0)
    risk = (errors * S).sum(dim=1) - (S.sum(dim=1) - 1) / others
    return torch.where(excluded > 0, risk, 0.0).mean()


def leveraged_weighted(z: Tensor, S: Tensor, W: Tensor, leverage: float) -> Tensor:
    """LWS: sigmoid losses, those of non-candidates times the leverage."""
    inside = (W * S * torch.sigmoid(-z)).sum(dim=1)
    outside = (W * ~S * torch.sigmoid(z)).sum(dim=1)
    return (inside + leverage * outside).mean()


def leveraged_confidences(z: Tensor, S: Tensor, smoothing: float = 1e-8) -> Tensor:
    """Give LWS its new confidences: shares within candidates and within the others."""
    p = z.softmax(dim=1)
    extra = smoothing * S.shape[1]
    inside = (p * S).sum(dim=1, keepdim=True) + extra
    outside = (p * ~S).sum(dim=1, keepdim=True) + extra
    return p / torch.where(S, inside, outside)


def divergence(W: Tensor, z: Tensor) -> Tensor:
    """Mean over rows of KL(W || softmax(z)); 0 log 0 is 0."""
    rows = torch.xlogy(W, W) - W * z.log_softmax(dim=1)
    return rows.sum(dim=1).mean()


def exclusion_entropy(z: Tensor, S: Tensor) -> Tensor:
    """Mean over rows of -log(1 - p) summed over the non-candidates."""
    p = z.softmax(dim=1)
    return -(torch.log(ALMOST_ONE - p) * ~S).sum(dim=1).mean()


def log_not(z: Tensor) -> Tensor:
    """Log(1 - p) for every class, exact also where p rounds to 1.

    Only the largest p can come near 1: there the others' logits are summed instead.
    """
    log_p = z.log_softmax(dim=1)
    top = z.argmax(dim=1, keepdim=True)
    rest = log_p.scatter(1, top, -math.inf).logsumexp(dim=1, keepdim=True)
    small = torch.log1p(-log_p.exp().scatter(1, top, 0.0).clamp(max=0.5))
    return small.scatter(1, top, rest)


def pair_mean(terms: Tensor, S: Tensor) -> Tensor:
    """Mean of per-class terms over all pairs of a row and an excluded label of it."""
    excluded = ~S
    return (terms * excluded).sum() / excluded.sum().clamp(min=1)


def pairwise_comparison(z: Tensor, S: Tensor) -> Tensor:
    """PC: (q - 1) mean_(i,k) sum_j sigmoid(z_k - z_j) - q (q - 1) / 2 + (q - 1).

    Two excluded labels compared both ways make exactly 1, so only comparisons of an
    excluded label with a candidate are computed.
    """
    classes = S.shape[1]
    sizes = S.sum(dim=1)
    excluded = (classes - sizes).to(z.dtype)
    held, place = S.to(torch.uint8).topk(int(sizes.max()), dim=1)
    gaps = z[:, None, :] - z.gather(1, place)[:, :, None]
    crossed = torch.sigmoid(gaps) * (held.bool()[:, :, None] & ~S[:, None, :])
    total = crossed.sum() + excluded.square().sum() / 2
    mean = total / excluded.sum().clamp(min=1)
    return (classes - 1) * mean - classes * (classes - 1) / 2 + (classes - 1)


def forward_uniform(z: Tensor, S: Tensor) -> Tensor:
    """Forward correction with uniformly drawn complementary labels."""
    return -pair_mean(log_not(z), S) + math.log(S.shape[1] - 1)


def forward_transition(z: Tensor, S: Tensor, Q: Tensor) -> Tensor:
    """Forward correction with a given transition matrix to complementary labels."""
    return -pair_mean(torch.log(z.softmax(dim=1) @ Q + 1e-6), S)


def complementary_prior(S: Tensor) -> Tensor:
    """Share of every class among all excluded labels."""
    counts = (~S).sum(dim=0).to(torch.float32)
    return counts / counts.sum().clamp(min=1)


def class_risks(z: Tensor, S: Tensor, prior: Tensor, *, legacy: bool = False) -> Tensor:
    """NN, GA: estimated risk of every class from complementary labels.

    A_jk is the mean loss of class k over rows that exclude j. Then
    r_k = sum_j prior_j A_jk - (q - 1) prior_k A_kk; published code has prior_k under
    the sum (`legacy`).
    """
    excluded = (~S).to(z.dtype)
    counts = excluded.sum(dim=0)
    A = excluded.T @ -z.log_softmax(dim=1) / counts.clamp(min=1)[:, None]
    pulled = prior * A.sum(dim=0) if legacy else prior @ A
    return pulled - (S.shape[1] - 1) * prior * A.diagonal()


def surrogate_exp(z: Tensor, S: Tensor) -> Tensor:
    """SCL-EXP: exp of the excluded label's probability."""
    return pair_mean(torch.exp(z.softmax(dim=1)), S)


def surrogate_nl(z: Tensor, S: Tensor) -> Tensor:
    """SCL-NL: -log(1 - p + 1e-6) of the excluded label."""
    return -pair_mean(torch.log(1.0 - z.softmax(dim=1) + 1e-6), S)


def weighted_discriminative(z: Tensor, S: Tensor) -> Tensor:
    """L-W: weighted log-loss of softmax(1 - p), the excluded label's distribution."""
    not_p = 1.0 - z.softmax(dim=1)
    weight = 1.0 + not_p / (S.shape[1] - 1)
    return -pair_mean(weight * not_p.log_softmax(dim=1), S)


# 1 / (softmin + 1e-18) of the published code cannot exceed this.
_LARGEST_INVERSE = math.log(1e18)


def order_preserving(z: Tensor, S: Tensor) -> Tensor:
    """OP-W: weighted order-preserving loss on the softmin o = softmax(-z).

    The weights p * softmax(1/o + 1) + 1e-6 carry gradients, as in the published code.
    """
    log_o = F.log_softmax(-z, dim=1)
    inverse = torch.exp((-log_o).clamp(max=_LARGEST_INVERSE))
    weight = z.softmax(dim=1) * (inverse + 1.0).softmax(dim=1) + 1e-6
    return -pair_mean(weight * log_o, S)
