import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import xlogy

from caveat.bags import (
    LLPVAT,
    BagForwardNetwork,
    DLLPClassifier,
    EasyLLP,
    MixBag,
    TransportLLP,
)
from caveat.bags.learners._bag_batches import BagBatches
from caveat.bags.learners._dllp import KLLoss
from caveat.bags.learners._easy_llp import easy_coefficients
from caveat.bags.learners._forward_network import closest_prior, group_transitions
from caveat.bags.learners._mix_bag import MixBagLoss
from caveat.bags.learners._network import as_float32
from caveat.bags.learners._problem import BagProblem
from caveat.bags.learners._vat import VATLoss, ramp
from caveat.bags.losses import bag_log_means, mean_kl, unit_items
from caveat.exceptions import CaveatError
from caveat.training import adam, mlp, train

pytestmark = pytest.mark.thorough

NETWORKS = [DLLPClassifier, LLPVAT, EasyLLP, BagForwardNetwork, TransportLLP, MixBag]
# What has to be left out for the clean limit to be plain cross-entropy.
WITHOUT = {LLPVAT: {"alpha": 0.0}, MixBag: {"mix": 0.0}}


def probabilities(network, X):
    with torch.no_grad():
        return torch.softmax(network(as_float32(X)).double(), dim=1).numpy()


def weights(network):
    return torch.cat([w.detach().ravel() for w in network.parameters()]).numpy()


@given(st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_bag_means_are_those_of_a_plain_loop(seed):
    rng = np.random.default_rng(seed)
    log_h = torch.log_softmax(torch.as_tensor(rng.normal(size=(12, 3)) * 5), dim=1)
    bags = torch.as_tensor(rng.choice([0, 3, 7], 12))
    means, present = bag_log_means(log_h, bags)
    for bag, mean in zip(present.tolist(), means, strict=True):
        wanted = log_h[bags == bag].exp().mean(dim=0).log()
        torch.testing.assert_close(mean, wanted)


def test_the_bag_loss_is_that_of_a_brute_force_sum(bagged):
    network = mlp(4, [5], 2, seed=0)
    h = probabilities(network, bagged.X)
    total = []
    for bag in range(4):
        inside, p = h[bagged.bags == bag], bagged.shares[bag]
        total.append(sum(p * (np.log(p) - np.log(inside.mean(axis=0)))))
    found = KLLoss(bagged.shares).value(
        network, as_float32(bagged.X), torch.tensor(bagged.bags)
    )
    assert float(found.detach()) == pytest.approx(np.mean(total), rel=1e-4)


def supervised_twin(known, seed, steps, batch, lr=0.01):
    """Plain cross-entropy on the same batches, from the same weights."""
    network = mlp(4, [8], int(known.y.max()) + 1, seed=seed)

    def loss(module, batch):
        return torch.nn.functional.cross_entropy(module(batch["x"]), batch["y"])

    train(
        network,
        loss,
        {"x": known.X, "y": known.y},
        steps=steps,
        optimiser=adam(lr),
        seed=seed,
        **batch,
    )
    return network


@pytest.mark.parametrize("problem", ["bagged", "three_classes"])
@pytest.mark.parametrize("kind", NETWORKS)
def test_in_the_clean_limit_every_step_is_that_of_cross_entropy(kind, problem, request):
    known = request.getfixturevalue(problem)
    extra = WITHOUT.get(kind, {})
    model = kind(
        learning_rate=0.01, hidden=(8,), n_steps=25, random_state=5, **extra
    ).fit(known.X, known.y)
    seed = int(np.random.RandomState(5).randint(2**31))
    batch = {"sampler": BagBatches(np.arange(len(known.y)), 512)}
    if kind is BagForwardNetwork:
        batch = {"batch_size": 128}
    twin = supervised_twin(known, seed, 25, batch)
    np.testing.assert_allclose(weights(model.network_), weights(twin), atol=1e-6)


def test_mixed_items_are_not_cross_entropy_in_the_clean_limit(bagged):
    """Its docstring says so: a mixture of two items knows the mean label only."""
    settings_ = {"hidden": (8,), "n_steps": 25, "random_state": 5}
    plain, mixed = (
        MixBag(0.01, mix=mix, **settings_).fit(bagged.X, bagged.y) for mix in (0, 1)
    )
    assert np.abs(weights(plain.network_) - weights(mixed.network_)).max() > 1e-3


def mixed_by_hand(h, bags, p, mixtures, taken):
    """KL of every mixture's mean from the nearer end of its share, plain loops."""
    terms = []
    for mixture in mixtures:
        parts = [np.flatnonzero(taken & (bags == bag)) for bag in mixture]
        total = sum(map(len, parts))
        if total == 0:
            continue
        share = variance = 0.0
        for bag, part in zip(mixture, parts, strict=True):
            n, m = (bags == bag).sum(), len(part)
            share += m / total * p[bag]
            unsure = p[bag] * (1 - p[bag]) / max(m, 1) * (n - m) / max(n - 1, 1)
            variance += (m / total) ** 2 * unsure
        mean, half = h[np.concatenate(parts)].mean(), 1.96 * np.sqrt(variance)
        end = np.clip(mean, max(share - half, 0), min(share + half, 1))
        other = xlogy(1 - end, (1 - end) / (1 - mean))
        terms.append(xlogy(end, end / mean) + other)
    return np.mean(terms)


@pytest.mark.parametrize("seed", range(10))
def test_the_loss_of_mixed_bags_is_that_of_a_loop_over_the_mixtures(seed):
    """Five bags: two pairs and one alone. Margins of 1.5 sd would fail 7 of 10."""
    bags = np.repeat(np.arange(5), [9, 4, 6, 1, 7])
    normal = np.random.default_rng(seed).normal(size=(len(bags), 2))
    logits, p = torch.as_tensor(2 * normal), np.array([0.0, 1.0, 0.5, 1.0, 0.3])
    loss = MixBagLoss(np.column_stack([1 - p, p]), 1.0)
    loss.shares = loss.shares.double()
    torch.manual_seed(seed)
    found = loss.mixed(torch.nn.Identity(), logits, torch.as_tensor(bags))
    # The same draws in the same order: who is mixed with whom, how much of a bag.
    torch.manual_seed(seed)
    order, keep = torch.randperm(5).tolist(), torch.rand(5).clamp(0.1, 0.9).numpy()
    taken = torch.rand(len(bags)).numpy() < keep[bags]
    h = torch.softmax(logits, dim=1).numpy()[:, 1]
    pairs = (order[:2], order[2:4], order[4:])
    wanted = mixed_by_hand(h, bags, p, pairs, taken)
    # Shares are kept with 24 bits.
    assert float(found) == pytest.approx(wanted, rel=1e-5, abs=1e-7)


def test_bags_that_come_alone_are_not_mixed(bagged):
    """As the docstring warns: a step of fewer items than two bags has none to mix."""
    settings_ = {"hidden": (8,), "bag_batch": 16, "n_steps": 5, "random_state": 0}
    known = {"bags": bagged.bags, "proportions": bagged.shares}
    plain = DLLPClassifier(0.01, **settings_).fit(bagged.X, **known)
    mixed = MixBag(0.01, **settings_).fit(bagged.X, **known)
    # The two are written differently, in single precision.
    np.testing.assert_allclose(
        weights(mixed.network_), weights(plain.network_), atol=1e-6
    )


@pytest.mark.parametrize("problem", ["bagged", "three_classes"])
def test_without_its_adversarial_term_vat_is_dllp_step_by_step(problem, request):
    known = request.getfixturevalue(problem)
    settings_ = {"hidden": (8,), "bag_batch": 16, "n_steps": 25, "random_state": 5}
    given_ = {"bags": known.bags, "proportions": known.shares}
    plain = DLLPClassifier(0.01, **settings_).fit(known.X, **given_)
    vat = LLPVAT(0.01, alpha=0.0, **settings_).fit(known.X, **given_)
    np.testing.assert_allclose(
        weights(vat.network_), weights(plain.network_), atol=1e-6
    )
    gaps = np.array(vat.losses_) - np.array(plain.losses_)
    entropies = -(known.shares * np.log(known.shares)).sum(axis=1)
    assert np.abs(gaps[:, None] - entropies).min(axis=1).max() < 1e-5


@pytest.mark.parametrize("kind", [DLLPClassifier, LLPVAT, BagForwardNetwork])
def test_networks_learn_from_bags(bagged, kind):
    model = kind(learning_rate=0.01, hidden=(16,), n_steps=150, random_state=0)
    model.fit(bagged.X, bags=bagged.bags, proportions=bagged.shares)
    assert (model.predict(bagged.X) == bagged.y).mean() > 0.8
    assert model.n_steps_ == 150


def test_random_groups_learn_from_bags(bagged):
    model = BagForwardNetwork(
        0.01, groups="random", regroup_every=2, hidden=(16,), epochs=30, random_state=0
    )
    model.fit(bagged.X, bags=bagged.bags, proportions=bagged.shares)
    assert (model.predict(bagged.X) == bagged.y).mean() > 0.75


@pytest.mark.parametrize("kind", NETWORKS)
def test_sparse_items_train_like_dense_ones(bagged, kind):
    known = {"bags": bagged.bags, "proportions": bagged.shares}
    settings_ = {"hidden": (4,), "n_steps": 5, "random_state": 0}
    dense = kind(**settings_).fit(bagged.X, **known)
    thin = kind(**settings_).fit(sparse.csr_matrix(bagged.X), **known)
    np.testing.assert_allclose(
        weights(thin.network_), weights(dense.network_), rtol=1e-4, atol=1e-6
    )


def test_batches_hold_whole_bags_or_parts_of_large_ones():
    bags = np.repeat(np.arange(6), [100, 3, 3, 3, 3, 3])
    whole = BagBatches(bags, None).epoch(torch.Generator())
    assert sorted(len(rows) for rows in whole) == [3, 3, 3, 3, 3, 100]
    parts = BagBatches(bags, 6).epoch(torch.Generator())
    assert len(parts) == len(BagBatches(bags, 6)) == 3
    assert max(len(rows) for rows in parts) <= 12


def test_early_stopping_keeps_the_best_weights(bagged):
    model = DLLPClassifier(
        0.05, hidden=(8,), n_steps=200, early_stopping=True, patience=2, random_state=0
    )
    model.fit(bagged.X, bags=bagged.bags, proportions=bagged.shares)
    assert model.n_steps_ <= 200


def test_the_ramp_rises_to_one():
    assert ramp(0, 100) == pytest.approx(np.exp(-5))
    assert ramp(100, 100) == ramp(500, 100) == 1.0


def test_the_adversarial_direction_hurts_more_than_a_random_one(bagged):
    network = mlp(4, [16], 2, seed=1)
    loss = VATLoss(bagged.shares, 1.0, eps=0.5, xi=0.1, n_power=3)
    x = as_float32(bagged.X)
    torch.manual_seed(0)
    worst = loss.divergence(network, x)
    log_h = torch.log_softmax(network(x), dim=1)
    moved = torch.log_softmax(network(x + 0.5 * unit_items(torch.randn_like(x))), dim=1)
    assert float(worst.detach()) > float(mean_kl(log_h, moved).detach())


def test_easy_coefficients_are_right_on_average_in_random_bags():
    """The mean coefficient of class 1 over random bags is 1 for positives, 0 else."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [70, 30])
    found = []
    for _ in range(4000):
        bags = rng.permutation(np.repeat(np.arange(20), 5))
        shares = np.bincount(bags, y, minlength=20) / 5
        known = BagProblem(None, bags, np.column_stack([1 - shares, shares]))
        found.append(easy_coefficients(known, None)[bags, 1])
    mean = np.mean(found, axis=0)
    # Bags drawn without replacement from 100 items: the bias is of the order 5/100.
    assert np.abs(mean[y == 1] - 1).max() < 0.12
    assert np.abs(mean[y == 0]).max() < 0.12


def test_coefficients_are_capped_on_request():
    known = BagProblem(None, np.repeat([0, 1], 50), np.array([[0.9, 0.1], [0.1, 0.9]]))
    assert np.abs(easy_coefficients(known, None)).max() > 10
    assert np.abs(easy_coefficients(known, 2.0)).max() == 2


def test_groups_of_bags_guess_within_the_group():
    rng = np.random.default_rng(0)
    known = BagProblem(None, np.arange(40) % 5, rng.dirichlet(np.ones(2), size=5))
    logs, weight = group_transitions(known, np.array([4, 1, 0, 2, 3]), "uniform")
    for group in ([4, 1], [0, 2]):
        np.testing.assert_allclose(np.exp(logs[group]).sum(axis=0), 1)
        assert weight[group].sum() == pytest.approx(1)
    assert weight[3] == 0


def test_the_approximate_prior_mixes_bags_to_the_global_shares():
    table = np.array([[0.9, 0.1], [0.2, 0.8]])
    alpha = closest_prior(table, np.array([0.5, 0.5]))
    np.testing.assert_allclose(alpha @ table, [0.5, 0.5], atol=1e-8)
    corner = closest_prior(table, np.array([1.0, 0.0]))
    np.testing.assert_allclose(corner, [1.0, 0.0], atol=1e-8)


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        (DLLPClassifier, {"learning_rate": 0}),
        (DLLPClassifier, {"hidden": (0,)}),
        (DLLPClassifier, {"bag_batch": 0}),
        (DLLPClassifier, {"n_steps": 0}),
        (DLLPClassifier, {"n_steps": None}),
        (LLPVAT, {"alpha": -1}),
        (EasyLLP, {"c_max": 0}),
        (BagForwardNetwork, {"groups": "pairs"}),
        (BagForwardNetwork, {"batch_size": 0}),
    ],
)
def test_bad_parameters_are_named(bagged, kind, params):
    with pytest.raises(CaveatError) as caught:
        kind(**params).fit(bagged.X, bagged.y)
    (name,) = params
    assert name in str(caught.value)
