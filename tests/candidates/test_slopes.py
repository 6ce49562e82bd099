"""Derivatives that are written out against autograd."""

import pytest
import torch

from caveat.candidates import Algorithm, _losses, _slopes
from caveat.candidates._classifier import make_algorithm
from caveat.candidates.learners import _idgp, _valen
from caveat.candidates.learners._averaging import Cc
from caveat.candidates.learners._identification import Proden
from caveat.candidates.registry import LEARNERS
from caveat.training import mlp, train

NAMES = [
    "weighted_cross_entropy",
    "classifier_consistent",
    "log_bound",
    "exp_bound",
    "surrogate_nl",
    "surrogate_exp",
    "leveraged_weighted",
]


def batch(seed, scale):
    generator = torch.Generator().manual_seed(seed)
    z = scale * torch.randn(9, 5, generator=generator, dtype=torch.float64)
    S = torch.rand(9, 5, generator=generator) < 0.5
    S[:, seed % 5] = True
    S[0] = True
    W = torch.rand(9, 5, generator=generator, dtype=torch.float64)
    return z, S, W


def arguments(name, S, W):
    more = {"weighted_cross_entropy": [W], "leveraged_weighted": [S, W, 1.7]}
    return more.get(name, [S])


@pytest.mark.parametrize("scale", [0.1, 1.0, 20.0])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", NAMES)
def test_loss_and_slope_are_those_of_the_formula(name, seed, scale):
    z, S, W = batch(seed, scale)
    given = arguments(name, S, W)
    leaf = z.clone().requires_grad_()
    wanted = getattr(_losses, name)(leaf, *given)
    wanted.backward()
    loss, slope = getattr(_slopes, name)(z, *given)
    torch.testing.assert_close(loss, wanted.detach(), rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(slope, leaf.grad, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("name", NAMES)
def test_extreme_logits_leave_single_precision_finite(name):
    z, S, W = batch(0, 1000.0)
    loss, slope = getattr(_slopes, name)(z.float(), *arguments(name, S, W.float()))
    assert loss.isfinite()
    assert slope.isfinite().all()


@pytest.mark.parametrize("seed", range(5))
def test_the_slopes_of_both_networks_of_idgp_are_those_of_the_formulas(seed):
    z, S, W = batch(seed, 2.0)
    D, v = W.softmax(1), (2 * W).softmax(1)
    G = W * S
    leaf = z.clone().requires_grad_()
    cases = [
        (_idgp.cross_entropy(leaf, D), _slopes.label_loss(z, D, None, 0.3)),
        (_idgp.label_loss(leaf, D, v, 0.3), _slopes.label_loss(z, D, v, 0.3)),
        (_idgp.binary_entropy(leaf, G), _slopes.generation_loss(z, G, None, 0.3)),
        (
            _idgp.generation_loss(leaf, S, G, v, 0.3),
            _slopes.generation_loss(z, G, (S, v), 0.3),
        ),
    ]
    for wanted, (loss, slope) in cases:
        (known,) = torch.autograd.grad(wanted, leaf)
        torch.testing.assert_close(loss, wanted.detach(), rtol=1e-10, atol=1e-12)
        torch.testing.assert_close(slope, known, rtol=1e-8, atol=1e-10)


WRITTEN = [
    name
    for name, entry in LEARNERS.items()
    if entry.load().slope is not Algorithm.slope
]


def test_many_algorithms_have_their_derivative_written_out():
    assert {"proden", "pop", "cc", "scl-nl", "lws", "exp"} <= set(WRITTEN)


@pytest.mark.parametrize("name", WRITTEN)
def test_an_algorithm_and_its_slope_agree(name):
    z, S, W = batch(1, 2.0)
    algorithm = make_algorithm(name)
    algorithm.W = W / W.sum(1, keepdim=True)
    leaf = z.clone().requires_grad_()
    rows = torch.arange(len(z))
    algorithm.risk(leaf, S, rows).backward()
    _, slope = algorithm.slope(z, S, rows)
    torch.testing.assert_close(slope, leaf.grad, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("parent", [Cc, Proden])
def test_a_loss_of_ones_own_does_not_inherit_a_slope(parent):
    class Other(parent):
        def risk(self, z, S, rows):
            return z.square().mean()

    class Same(parent):
        def update(self, run, batch):
            pass

    assert Other.slope is Algorithm.slope
    assert Same.slope is parent.slope


def variational_parts(seed, scale):
    generator = torch.Generator().manual_seed(seed)

    def drawn(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    z, a, rebuilt = scale * drawn(9, 5), scale * drawn(9, 5), drawn(9, 4)
    parts = {
        "x": drawn(9, 4),
        "S": drawn(9, 5) > 0,
        "O": drawn(9, 5).softmax(1),
        "D": drawn(9, 5).softmax(1),
        "graph": drawn(9, 9).softmax(1),
    }
    return (z, a, drawn(9, 5).softmax(1), rebuilt), parts


@pytest.mark.parametrize("scale", [0.1, 3.0, 30.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_slopes_of_all_networks_of_valen_are_those_of_the_formula(seed, scale):
    answers, parts = variational_parts(seed, scale)
    leaves = [answer.clone().requires_grad_() for answer in answers]
    wanted = _valen.variational_loss(*leaves, parts)
    wanted.backward()
    loss, found = _slopes.variational_loss(*answers, parts)
    torch.testing.assert_close(loss, wanted.detach(), rtol=1e-10, atol=1e-12)
    for slope, leaf in zip(found, leaves, strict=True):
        torch.testing.assert_close(slope, leaf.grad, rtol=1e-8, atol=1e-10)


def test_the_divergence_of_valen_does_not_move_what_is_cut():
    a = torch.tensor([[-40.0, 0.5, 40.0]], dtype=torch.float64)
    slope = _slopes.dirichlet_divergence(a)[1][0]
    assert (slope == 0).tolist() == [True, False, True]


class ByAutograd(_valen.Valen):
    """VALEN whose third phase leaves all derivatives to autograd."""

    def _recover(self, run, batch):
        x, S, rows = batch["x"], batch["candidates"], batch.rows
        z = run.module(x)
        with torch.set_grad_enabled(not self.is_plench):
            a = self.encoder(x)
        O, D = self.O[rows], self.D[rows]  # noqa: E741
        d = torch.distributions.Dirichlet(_valen.evidence(a, O)).rsample()
        graph = _valen.graph_block(self.graph, rows, self.spots)
        parts = {"x": x, "S": S, "O": O, "D": D, "graph": graph}
        loss = _valen.variational_loss(z, a, d, self.decoder(d), parts)
        value = run.descend(loss)
        kept = (d.detach() + _losses.TINY) * S
        self.D[rows] = kept / kept.sum(1, keepdim=True)
        self._follow(z, batch)
        return value


@pytest.mark.parametrize("variant", ["paper", "plench"])
def test_valen_learns_what_it_learns_by_autograd(variant):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(60, 6, generator=generator)
    S = torch.rand(60, 4, generator=generator) < 0.4
    S[:, 0] = True
    found = []
    for kind in (_valen.Valen, ByAutograd):
        network = mlp(6, [12], 4, seed=0)
        algorithm = kind(warm_up=5, variant=variant)
        data = {"x": x, "candidates": S}
        losses = train(network, algorithm, data, steps=40, batch_size=20).losses
        weights = [*network.parameters(), *algorithm.decoder.parameters()]
        weights += list(algorithm.encoder.parameters())
        found.append((losses, [w.detach() for w in weights]))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-4)
    torch.testing.assert_close(found[0][1], found[1][1], rtol=1e-3, atol=1e-4)
