"""Losses against fixtures of the published code, brute force, and their derivatives."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
import torch

from caveat.candidates import _losses as losses
from caveat.candidates.learners._idgp import (
    binary_entropy,
    cross_entropy,
    generation_loss,
    generation_posterior,
    label_loss,
)
from caveat.candidates.learners._valen import (
    dirichlet_divergence,
    evidence,
    graph_block,
)

Z = torch.tensor(
    [[1, 0.5, -0.5, 0], [-1, 2, 0.25, 0.5], [0, 0, 1.5, -2]], dtype=torch.float64
)
S = torch.tensor([[1, 1, 0, 0], [0, 1, 0, 1], [1, 0, 1, 1]], dtype=torch.bool)
PRIOR = torch.tensor([0.2, 0.2, 0.4, 0.2], dtype=torch.float64)
W = losses.uniform_confidences(S).double()


def gce(z):
    return losses.generalised_cross_entropies(z, 0.7)


def nn_loss(z, S, legacy):
    return losses.class_risks(z, S, PRIOR, legacy=legacy).clamp(min=0).sum()


PUBLISHED = {
    "proden": (lambda z: losses.weighted_cross_entropy(z, W), 1.404310),
    "cc": (lambda z: losses.classifier_consistent(z, S), 0.214990),
    "exp": (lambda z: losses.exp_bound(z, S), 0.883274),
    "mcl-gce": (lambda z: losses.complementary_risk(gce(z), S), 0.390101),
    "mcl-gce plench": (
        lambda z: losses.inverted_complementary_risk(gce(z), S),
        1.065679,
    ),
    "mcl-mse": (
        lambda z: losses.complementary_risk(losses.squared_errors(z), S),
        0.173597,
    ),
    "mcl-mse plench": (
        lambda z: losses.inverted_complementary_risk(losses.squared_errors(z), S),
        1.085735,
    ),
    "lws": (
        lambda z: losses.leveraged_weighted(z, S, torch.full_like(z, 0.25), 2.0),
        0.593647,
    ),
    "abs-mae": (lambda z: losses.averaged(losses.absolute_errors(z), W), 1.285853),
    "abs-gce": (lambda z: losses.averaged(gce(z), W), 0.772915),
    "pc": (lambda z: losses.pairwise_comparison(z, S), 1.786077),
    "forward": (lambda z: losses.forward_uniform(z, S), 1.222034),
    "scl-exp": (lambda z: losses.surrogate_exp(z, S), 1.122978),
    "scl-nl": (lambda z: losses.surrogate_nl(z, S), 0.123421),
    "l-w": (lambda z: losses.weighted_discriminative(z, S), 1.647454),
    "op-w": (lambda z: losses.order_preserving(z, S), 0.000092),
    "nn": (lambda z: nn_loss(z, S, legacy=False), 1.187182),
    "nn plench": (lambda z: nn_loss(z, S, legacy=True), 0.958369),
    "risk sum": (lambda z: losses.class_risks(z, S, PRIOR).sum(), 0.290576),
    "risk sum plench": (
        lambda z: losses.class_risks(z, S, PRIOR, legacy=True).sum(),
        0.302843,
    ),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_loss_is_what_the_published_code_gives(name):
    loss, value = PUBLISHED[name]
    assert float(loss(Z)) == pytest.approx(value, abs=2e-6)


def test_class_risks_are_those_of_the_specification():
    wanted = [0.019009, -0.093211, -0.803395, 1.168173]
    found = losses.class_risks(Z, S, PRIOR)
    np.testing.assert_allclose(found, wanted, atol=2e-6)


def test_the_complementary_prior_counts_every_class():
    np.testing.assert_allclose(losses.complementary_prior(S), [0.2, 0.2, 0.4, 0.2])


# Brute force: every formula once more, with loops over rows and classes.


def naive_softmax(row):
    exponents = [math.exp(value - max(row)) for value in row]
    return [value / sum(exponents) for value in exponents]


@cache
def naive(seed):
    """All formulas for one random batch, by name."""
    z, S, W = (part.tolist() for part in random_batch(seed))
    rows = []
    pairs = []
    q = len(z[0])
    for row, members, weights in zip(z, S, W, strict=True):
        p = naive_softmax(row)
        mass = sum(p[j] for j in range(q) if members[j])
        size = sum(members)
        factor = (q - 1) / (q - size) if size < q else 0.0
        squares = [sum((p[k] - (k == j)) ** 2 for k in range(q)) for j in range(q)]
        absolutes = [sum(abs(p[k] - (k == j)) for k in range(q)) for j in range(q)]
        powers = [(1 - p[j] ** 0.7) / 0.7 for j in range(q)]
        scale = (size - 1) / (q - size) if size < q else 0.0

        def unbiased(errors, members=members, scale=scale, size=size):
            inside = sum(errors[j] for j in range(q) if members[j])
            outside = sum(errors[j] for j in range(q) if not members[j])
            return (inside - scale * outside) if size < q else 0.0

        softmin = naive_softmax([-value for value in row])
        inverse = [1 / (value + 1e-18) + 1 for value in softmin]
        omega = naive_softmax(inverse)
        tilted = naive_softmax([1 - value for value in p])
        rows.append(
            {
                "weighted_cross_entropy": -sum(
                    weights[j] * math.log(p[j]) for j in range(q)
                ),
                "classifier_consistent": -math.log(mass),
                "log_bound": -factor * math.log(mass),
                "exp_bound": factor * math.exp(-mass),
                "mae_risk": factor * (1 - mass) if size < q else 0.0,
                "abs-mae": sum(weights[j] * absolutes[j] for j in range(q)),
                "abs-gce": sum(weights[j] * powers[j] for j in range(q)),
                "mcl-gce": unbiased(powers),
                "mcl-mse": unbiased(squares),
                "mcl-mae": unbiased([value / 2 for value in absolutes]),
                "lws": sum(
                    weights[j]
                    * (
                        1 / (1 + math.exp(row[j]))
                        if members[j]
                        else 2 / (1 + math.exp(-row[j]))
                    )
                    for j in range(q)
                ),
            }
        )
        pairs += [
            {
                "pairwise_comparison": sum(
                    1 / (1 + math.exp(row[j] - row[k])) for j in range(q)
                ),
                "forward_uniform": -math.log((1 - p[k]) / (q - 1)),
                "surrogate_exp": math.exp(p[k]),
                "surrogate_nl": -math.log(1 - p[k] + 1e-6),
                "weighted_discriminative": -(1 + (1 - p[k]) / (q - 1))
                * math.log(tilted[k]),
                "order_preserving": -(p[k] * omega[k] + 1e-6) * math.log(softmin[k]),
            }
            for k in range(q)
            if not members[k]
        ]
    found = {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}
    for name in pairs[0]:
        found[name] = sum(pair[name] for pair in pairs) / len(pairs)
    mean = found["pairwise_comparison"]
    found["pairwise_comparison"] = (q - 1) * mean - q * (q - 1) / 2 + (q - 1)
    return found


FORMULAS = {
    "weighted_cross_entropy": lambda z, S, W: losses.weighted_cross_entropy(z, W),
    "classifier_consistent": lambda z, S, W: losses.classifier_consistent(z, S),
    "log_bound": lambda z, S, W: losses.log_bound(z, S),
    "exp_bound": lambda z, S, W: losses.exp_bound(z, S),
    "mae_risk": lambda z, S, W: losses.mae_risk(z, S),
    "mcl-mae": lambda z, S, W: losses.mae_risk(z, S),
    "abs-mae": lambda z, S, W: losses.averaged(losses.absolute_errors(z), W),
    "abs-gce": lambda z, S, W: losses.averaged(gce(z), W),
    "mcl-gce": lambda z, S, W: losses.complementary_risk(gce(z), S),
    "mcl-mse": lambda z, S, W: losses.complementary_risk(losses.squared_errors(z), S),
    "lws": lambda z, S, W: losses.leveraged_weighted(z, S, W, 2.0),
    "pairwise_comparison": lambda z, S, W: losses.pairwise_comparison(z, S),
    "forward_uniform": lambda z, S, W: losses.forward_uniform(z, S),
    "surrogate_exp": lambda z, S, W: losses.surrogate_exp(z, S),
    "surrogate_nl": lambda z, S, W: losses.surrogate_nl(z, S),
    "weighted_discriminative": lambda z, S, W: losses.weighted_discriminative(z, S),
    "order_preserving": lambda z, S, W: losses.order_preserving(z, S),
}


def random_batch(seed):
    rng = np.random.default_rng(seed)
    rows, q = rng.integers(2, 7), rng.integers(2, 7)
    z = torch.tensor(rng.normal(scale=2.0, size=(rows, q)))
    S = torch.tensor(rng.random((rows, q)) < 0.5)
    S[torch.arange(rows), torch.tensor(rng.integers(0, q, rows))] = True
    S[0, 0], S[0, 1:] = True, False
    weights = torch.tensor(rng.random((rows, q)))
    return z, S, weights / weights.sum(1, keepdim=True)


@pytest.mark.parametrize("name", FORMULAS)
def test_the_loss_equals_its_formula_written_with_loops(name):
    for seed in range(15):
        z, S, W = random_batch(seed)
        wanted = naive(seed)[name]
        assert float(FORMULAS[name](z, S, W)) == pytest.approx(wanted, rel=1e-9)


def test_class_risks_equal_their_formula_written_with_loops():
    for seed, legacy in itertools.product(range(20), [False, True]):
        z, S, _ = random_batch(seed)
        q = S.shape[1]
        prior = losses.complementary_prior(S).double()
        p = [naive_softmax(row) for row in z.tolist()]
        A = np.zeros((q, q))
        for j, k in itertools.product(range(q), range(q)):
            terms = [-math.log(p[i][k]) for i in range(len(p)) if not S[i, j]]
            A[j, k] = sum(terms) / max(len(terms), 1)
        pi = prior.numpy()
        pulled = pi * A.sum(0) if legacy else pi @ A
        wanted = pulled - (q - 1) * pi * np.diag(A)
        found = losses.class_risks(z, S, prior, legacy=legacy)
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", FORMULAS)
def test_the_gradient_is_right(name):
    z, S, W = random_batch(3)
    z.requires_grad_(True)
    assert torch.autograd.gradcheck(lambda z: FORMULAS[name](z, S, W), z)


@pytest.mark.parametrize("name", FORMULAS)
def test_the_loss_does_not_depend_on_the_order_of_classes(name):
    z, S, W = random_batch(5)
    order = torch.randperm(S.shape[1], generator=torch.Generator().manual_seed(1))
    before = FORMULAS[name](z, S, W)
    after = FORMULAS[name](z[:, order], S[:, order], W[:, order])
    assert float(before) == pytest.approx(float(after), rel=1e-9)


EXTREMES = {
    **FORMULAS,
    "mcl-gce plench": lambda z, S, W: losses.inverted_complementary_risk(gce(z), S),
    "forward_transition": lambda z, S, W: losses.forward_transition(
        z, S, torch.full((S.shape[1], S.shape[1]), 1 / S.shape[1])
    ),
    "divergence": lambda z, S, W: losses.divergence(W, z),
    "exclusion_entropy": lambda z, S, W: losses.exclusion_entropy(z, S),
    "idgp": lambda z, S, W: generation_loss(z, S, W * S, W, 1.0),
}


@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("scale", [1.0, 30.0, 90.0])
@pytest.mark.parametrize("full", [False, True])
def test_extreme_logits_and_full_sets_give_finite_losses_and_gradients(
    name, scale, full
):
    z, S, W = random_batch(11)
    S = torch.ones_like(S) if full else S
    single = (scale * z).float().requires_grad_(True)
    loss = EXTREMES[name](single, S, W.float())
    loss.backward()
    assert torch.isfinite(loss)
    assert torch.isfinite(single.grad).all()


def test_forward_and_scl_nl_differ_by_a_constant():
    z, S, _ = random_batch(7)
    gap = losses.forward_uniform(z, S) - losses.surrogate_nl(z, S)
    assert float(gap) == pytest.approx(math.log(S.shape[1] - 1), abs=1e-4)


def test_forward_with_the_uniform_matrix_given_is_forward():
    z, S, _ = random_batch(7)
    q = S.shape[1]
    Q = (torch.ones(q, q, dtype=z.dtype) - torch.eye(q, dtype=z.dtype)) / (q - 1)
    found = losses.forward_transition(z, S, Q)
    assert float(found) == pytest.approx(float(losses.forward_uniform(z, S)), abs=1e-4)


def test_log_not_is_exact_where_a_probability_rounds_to_one():
    z = torch.tensor([[80.0, 0.0, -3.0]])
    wanted = math.log(math.exp(-80) + math.exp(-83))
    assert float(losses.log_not(z)[0, 0]) == pytest.approx(wanted, rel=1e-6)


def test_candidates_keep_their_softmax_where_their_mass_underflows():
    z = torch.tensor([[0.0, -200.0, -201.0]])
    S = torch.tensor([[False, True, True]])
    found = losses.candidate_softmax(z, S)
    np.testing.assert_allclose(found, [[0, 0.7310586, 0.2689414]], rtol=1e-6)


def test_leveraged_confidences_are_shares_within_either_side():
    z, S, _ = random_batch(2)
    p = z.softmax(1).numpy()
    found = losses.leveraged_confidences(z, S).numpy()
    eps = 1e-8 * S.shape[1]
    for i, j in itertools.product(*map(range, S.shape)):
        side = S[i].numpy() == bool(S[i, j])
        assert found[i, j] == pytest.approx(p[i, j] / (p[i, side].sum() + eps))


# Two networks: IDGP and VALEN.


def test_the_generation_posterior_is_the_formula_with_its_product():
    for seed in range(20):
        a, S, D = random_batch(seed)
        u = torch.sigmoid(a).numpy()
        members = S.numpy()
        wanted = np.zeros_like(u)
        for i in range(len(u)):
            c = int((D[i] * S[i]).argmax())
            flipped = u[i].copy()
            flipped[c] = 1 - u[i, c]
            product = np.prod(flipped[members[i]])
            wanted[i] = (1 - flipped) / (flipped + 1e-12) * product * members[i]
            wanted[i] /= wanted[i].sum() + 1e-12
        np.testing.assert_allclose(
            generation_posterior(a, S, D), wanted, rtol=1e-5, atol=1e-7
        )


def test_idgp_losses_equal_their_formulas():
    z, S, D = random_batch(4)
    a, _, r = random_batch(4)
    D, G = D * S, torch.sigmoid(a) * S
    p, u = z.softmax(1).numpy(), torch.sigmoid(a).numpy()
    d, g, s, rr = D.numpy(), G.numpy(), S.numpy(), r.numpy()
    ce = -(d * np.log(p + 1e-12)).sum(1).mean()
    be = -(g * np.log(u + 1e-12) + (1 - g) * np.log(1.0000001 - u)).sum(1).mean()
    assert float(cross_entropy(z, D)) == pytest.approx(ce)
    assert float(binary_entropy(a, G)) == pytest.approx(be)
    kl = np.where(d > 0, d * (np.log(np.where(d > 0, d, 1)) - np.log(p)), 0)
    both = ce - (rr * np.log(p + 1e-12)).sum(1).mean() + 0.3 * kl.sum(1).mean()
    assert float(label_loss(z, D, r, 0.3)) == pytest.approx(both)
    truth = -(rr * np.log(1.0000001 - u)).sum(1).mean()
    sets = -(s * np.log(u + 1e-12) + (1 - s) * np.log(1.0000001 - u)).sum(1).mean()
    con = np.where(g > 0, g * (np.log(np.where(g > 0, g, 1)) - np.log(u)), 0)
    total = be + truth + sets + 0.3 * con.sum(1).mean()
    assert float(generation_loss(a, S, G, r, 0.3)) == pytest.approx(total)


def test_the_dirichlet_divergence_is_that_of_torch():
    alpha = torch.tensor([[0.3, 2.0, 5.0], [1.0, 1.0, 1.0]], dtype=torch.float64)
    ones = torch.distributions.Dirichlet(torch.ones(3, dtype=torch.float64))
    wanted = torch.distributions.kl_divergence(
        torch.distributions.Dirichlet(alpha), ones
    ).mean()
    assert float(dirichlet_divergence(alpha)) == pytest.approx(float(wanted))


def test_the_graph_block_is_that_of_the_dense_matrix():
    rng = np.random.default_rng(0)
    n, k = 12, 3
    neighbours = np.array(
        [rng.permutation([j for j in range(n) if j != i])[:k] for i in range(n)]
    )
    dense = np.eye(n)
    dense[np.arange(n)[:, None], neighbours] = 1
    dense /= dense.sum(1, keepdims=True)
    rows = torch.tensor(rng.permutation(n)[:5])
    spots = torch.full((n,), -1)
    block = graph_block(torch.tensor(neighbours), rows, spots)
    np.testing.assert_allclose(block, dense[np.ix_(rows, rows)], rtol=1e-6)
    assert (spots == -1).all()


def test_evidence_is_positive_and_its_gradient_exists():
    a = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    O = torch.tensor([[1.0, 0, 0], [0.5, 0.5, 0], [0, 0.2, 0.8], [0.3, 0.3, 0.4]])  # noqa: E741
    found = evidence(a, O)
    found.sum().backward()
    assert (found >= 0.01).all()
    assert torch.isfinite(a.grad).all()
