"""Losses together with their derivatives by the logits, where these are short.

On a batch of some hundred rows autograd needs longer to record a loss and to walk back
through it than the loss takes. Every function here gives what its namesake in `_losses`
gives, and the gradient that autograd would find.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, logsigmoid

from caveat.candidates._losses import ALMOST_ONE, TINY, exclusion_weights

Slope = tuple[Tensor, Tensor]

aten = torch.ops.aten


def through_softmax(p: Tensor, slope: Tensor) -> Tensor:
    """Turn a derivative by the probabilities into that by the logits."""
    weighted = p * slope
    return weighted - p * weighted.sum(dim=1, keepdim=True)


def weighted_cross_entropy(z: Tensor, W: Tensor) -> Slope:
    """PRODEN, RC: (p sum_j W_j - W) / n."""
    log_p = z.log_softmax(dim=1)
    loss = -(W * log_p).sum(dim=1).mean()
    slope = log_p.exp_().mul_(W.sum(dim=1, keepdim=True))
    return loss, slope.sub_(W).div_(len(z))


def classifier_consistent(z: Tensor, S: Tensor, weights: Tensor | None = None) -> Slope:
    """CC: (p - p within the candidates) / n, times row weights if there are any."""
    inside = z.masked_fill(~S, -math.inf)
    log_mass, total = inside.logsumexp(dim=1), z.logsumexp(dim=1)
    rows = total - log_mass
    slope = (z - total[:, None]).exp() - (inside - log_mass[:, None]).exp()
    if weights is not None:
        rows, slope = weights * rows, weights[:, None] * slope
    return rows.mean(), slope / len(z)


def log_bound(z: Tensor, S: Tensor) -> Slope:
    """LOG: CC with the row weights of the complementary-label bound."""
    return classifier_consistent(z, S, exclusion_weights(S, z))


def exp_bound(z: Tensor, S: Tensor) -> Slope:
    """EXP: the derivative by a candidate's p is -w exp(-mass) / n."""
    p = z.softmax(dim=1)
    inside = p * S
    mass = inside.sum(dim=1, keepdim=True)
    rows = exclusion_weights(S, z)[:, None] * torch.exp(-mass)
    return rows.mean(), (p * mass - inside) * rows / len(z)


def surrogate_nl(z: Tensor, S: Tensor) -> Slope:
    """SCL-NL: the derivative by an excluded label's p is 1 / (1 - p + 1e-6)."""
    p = z.softmax(dim=1)
    rest = 1.0 - p + 1e-6
    excluded = ~S
    pairs = excluded.sum().clamp(min=1)
    loss = -(torch.log(rest) * excluded).sum() / pairs
    return loss, through_softmax(p, excluded / (rest * pairs))


def surrogate_exp(z: Tensor, S: Tensor) -> Slope:
    """SCL-EXP: the derivative by an excluded label's p is exp(p)."""
    p = z.softmax(dim=1)
    excluded = ~S
    pairs = excluded.sum().clamp(min=1)
    terms = torch.exp(p) * excluded
    return terms.sum() / pairs, through_softmax(p, terms / pairs)


def leveraged_weighted(z: Tensor, S: Tensor, W: Tensor, leverage: float) -> Slope:
    """LWS: sigmoids have the slope s (1 - s), downwards for the candidates."""
    s = torch.sigmoid(z)
    below = 1.0 - s
    inside, outside = W * S, leverage * W * ~S
    loss = (inside * below + outside * s).sum(dim=1).mean()
    return loss, (outside - inside) * s * below / len(z)


def label_loss(z: Tensor, D: Tensor, v: Tensor | None, weight: float) -> Slope:
    """IDGP, label network: both cross-entropies, and the divergence from D.

    Without `v` it is the first cross-entropy alone.
    """
    log_p = z.log_softmax(dim=1)
    p = log_p.exp()
    near = p + TINY
    targets = D if v is None else D + v
    rows = -targets * torch.log(near)
    slope = through_softmax(p, -targets / near)
    if v is not None:
        rows = rows + weight * (torch.xlogy(D, D) - D * log_p)
        slope = slope + weight * (p * D.sum(dim=1, keepdim=True) - D)
    return rows.sum(dim=1).mean(), slope / len(z)


def generation_loss(
    a: Tensor, G: Tensor, taught: tuple[Tensor, Tensor] | None, weight: float
) -> Slope:
    """IDGP, generation network: binary entropies against G and S, truth, consistency.

    `taught` are the sets S and the label network's view r of them; without it the loss
    is the entropy against G alone.
    """
    u = torch.sigmoid(a)
    below = 1.0 - u
    yes, no = G, 1.0 - G
    if taught is not None:
        inside = taught[0].to(a.dtype)
        yes, no = G + inside, 2.0 - G - inside + taught[1]
    near, far = u + TINY, ALMOST_ONE - u
    rows = -yes * torch.log(near) - no * torch.log(far)
    slope = (no / far - yes / near) * u * below
    if taught is not None:
        rows = rows + weight * (torch.xlogy(G, G) - G * logsigmoid(a))
        slope = slope - weight * G * below
    return rows.sum(dim=1).mean(), slope / len(a)


def dirichlet_divergence(a: Tensor) -> Slope:
    """KL(Dirichlet(alpha) || Dirichlet(1)) for alpha = exp(a / 4), cut to 0.01 and 30.

    Its derivative by alpha is (alpha - 1) psi'(alpha) - (sum - q) psi'(sum), over n.
    """
    n, classes = a.shape
    free = torch.exp(a / 4.0)
    alpha = free.clamp(0.01, 30.0)
    total = alpha.sum(dim=1, keepdim=True)
    above = alpha - 1.0
    spread = above * (torch.digamma(alpha) - torch.digamma(total))
    rows = torch.lgamma(total)[:, 0] + (spread - torch.lgamma(alpha)).sum(dim=1)
    slope = above * torch.polygamma(1, alpha)
    slope = slope - (total - classes) * torch.polygamma(1, total)
    slope = slope * alpha * (alpha == free) / (4.0 * n)
    return rows.mean() - math.lgamma(classes), slope


def neighbour_loss(d: Tensor, graph: Tensor) -> Slope:
    """VALEN's graph: squares of softmax(sigmoid(d d')) - graph, by d."""
    s = torch.sigmoid(d @ d.T)
    similar = s.softmax(dim=1)
    gap = similar - graph
    loss = gap.square().mean()
    # A square for every pair of rows: worth the kernels that autograd calls.
    slope = gap.mul_(2.0 / gap.numel())
    slope = aten._softmax_backward_data(slope, similar, 1, slope.dtype)
    slope = aten.sigmoid_backward(slope, s)
    return loss, (slope + slope.T) @ d


def variational_loss(
    z: Tensor, a: Tensor, d: Tensor, rebuilt: Tensor, parts: dict[str, Tensor]
) -> tuple[Tensor, tuple[Tensor, Tensor, Tensor, Tensor]]:
    """VALEN's third phase, by z, a, d and rebuilt, each with the others held fixed."""
    gap = rebuilt - parts["x"]
    S = parts["S"].to(d.dtype)
    label, by_z = label_loss(z, parts["D"], None, 0.0)
    encoded, by_a = label_loss(a, parts["O"], None, 0.0)
    divergence, alpha_slope = dirichlet_divergence(a)
    near, by_d = neighbour_loss(d, parts["graph"])
    sets = binary_cross_entropy_with_logits(d, S)
    rebuilding = gap.square().mean()
    loss = 0.01 * rebuilding + 0.01 * sets + near + divergence + encoded + label
    return loss, (
        by_z,
        by_a + alpha_slope,
        by_d + (torch.sigmoid(d) - S) * (0.01 / d.numel()),
        gap * (0.02 / gap.numel()),
    )
