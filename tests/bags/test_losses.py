"""The PyTorch layer: losses against plain sums, in the clean limit, on any network."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from sklearn.base import clone  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.data import DataLoader, TensorDataset  # noqa: E402

from caveat.bags import DLLPClassifier, MixBag, TransportLLP, losses  # noqa: E402
from caveat.bags.learners._mix_bag import mixed_margins  # noqa: E402
from caveat.bags.learners._transport import transported  # noqa: E402
from caveat.exceptions import InvalidInput  # noqa: E402
from caveat.training.images import small_cnn  # noqa: E402

SIZES = [5, 3, 8]
BAGS = torch.tensor(np.repeat([0, 1, 2], SIZES))
SHARES = torch.tensor([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0], [0.1, 0.6, 0.3]])


@pytest.fixture
def logits():
    generator = torch.Generator().manual_seed(0)
    return torch.randn(16, 3, generator=generator, dtype=torch.float64)


def softmax(logits):
    e = np.exp(logits.numpy())
    return e / e.sum(axis=1, keepdims=True)


def by_hand(name, logits):
    h, p = softmax(logits), SHARES.numpy().astype(float)
    b, s = BAGS.numpy(), np.array(SIZES, dtype=float)
    means = np.array([h[b == k].mean(axis=0) for k in range(3)])
    overall = s @ p / s.sum()
    if name == "proportion_cross_entropy":
        return -(p * np.log(means)).sum(axis=1).mean()
    if name == "proportion_kl":
        entropy = np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0)
        return (entropy - p * np.log(means)).sum(axis=1).mean()
    if name == "proportion_l1":
        return np.abs(p - means).sum(axis=1).mean()
    if name == "easy_llp":
        weights = s[:, None] * (p - overall) + overall
        return -(weights[b] * np.log(h)).sum(axis=1).mean()
    transition = (s[:, None] / s.sum()) * p / overall
    return -np.log((transition[b] * h).sum(axis=1)).mean()


SIZED = ("easy_llp", "forward_correction")
NAMES = ("proportion_cross_entropy", "proportion_kl", "proportion_l1", *SIZED)
MODULES = {
    "proportion_cross_entropy": losses.ProportionCrossEntropy,
    "proportion_kl": losses.ProportionKL,
    "proportion_l1": losses.ProportionL1,
    "easy_llp": losses.EasyLLPLoss,
    "forward_correction": losses.ForwardCorrectionLoss,
}


@pytest.mark.parametrize("name", NAMES)
def test_a_loss_is_its_formula_and_its_module_the_same(name, logits):
    more = (torch.tensor(SIZES, dtype=torch.float32),) if name in SIZED else ()
    found = getattr(losses, name)(logits, BAGS, SHARES, *more)
    assert float(found) == pytest.approx(by_hand(name, logits), rel=1e-5)
    module = MODULES[name](SHARES, *more)
    assert float(module(logits, BAGS)) == pytest.approx(float(found), rel=1e-6)


@pytest.mark.parametrize("name", ["proportion_cross_entropy", "proportion_kl"])
def test_bags_of_one_item_are_plain_classification(name, logits):
    y = torch.arange(16) % 3
    alone = getattr(losses, name)(logits, torch.arange(16), torch.eye(3)[y])
    twin = nn.functional.cross_entropy(logits, y)
    assert float(alone) == pytest.approx(float(twin), rel=1e-6)


def test_consistency_takes_pictures():
    network = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.Linear(8, 2))
    x = torch.randn(5, 1, 4, 4, generator=torch.Generator().manual_seed(1))
    loss = losses.ConsistencyLoss(eps=0.5)(network, x)
    loss.backward()
    assert float(loss.detach()) >= 0
    assert network[0].weight.grad is not None


@pytest.mark.parametrize("training", [True, False])
def test_consistency_leaves_the_statistics_of_batch_norm_alone(training):
    network = small_cnn((8, 8, 1), 2).train(training)
    x = torch.randn(6, 1, 8, 8, generator=torch.Generator().manual_seed(1))
    kept = {name: value.clone() for name, value in network.named_buffers()}
    losses.consistency(network, x, eps=0.5).backward()
    assert len(kept) == 9
    for name, value in network.named_buffers():
        assert torch.equal(value, kept[name]), name
    # They are watched again afterwards, where the network is in training.
    network(x)
    moved = [not torch.equal(v, kept[name]) for name, v in network.named_buffers()]
    assert all(moved) if training else not any(moved)


@pytest.mark.parametrize(
    ("wrong", "given_"),
    [
        ("bags_per_batch", {"bags_per_batch": 0}),
        ("bags_per_batch", {"bags_per_batch": 1.5}),
        ("items_per_bag", {"items_per_bag": 0}),
        ("bags", {"bags": []}),
        ("bags", {"bags": torch.zeros(3, 2)}),
    ],
)
def test_the_sampler_names_what_it_cannot_use(wrong, given_):
    with pytest.raises(InvalidInput, match=f"^{wrong}: found .*; expected "):
        losses.BagSampler(**{"bags": BAGS, **given_})


def test_the_sampler_keeps_bags_whole_in_a_data_loader():
    data = TensorDataset(torch.arange(16), BAGS)
    sampler = losses.BagSampler(BAGS, bags_per_batch=2)
    batches = list(DataLoader(data, batch_sampler=sampler))
    assert len(batches) == len(sampler) == 2
    for _, bags in batches:
        for bag in torch.unique(bags):
            assert int((bags == bag).sum()) == SIZES[int(bag)]
    rows = torch.cat([rows for rows, _ in batches])
    assert sorted(rows.tolist()) == list(range(16))


def test_transported_labels_meet_the_shares_and_sum_to_one(logits):
    log_h = torch.log_softmax(logits, dim=1)
    labels = transported(log_h, BAGS, SHARES.double(), n_iter=400)
    np.testing.assert_allclose(labels.sum(dim=1), 1)
    for bag in range(3):
        np.testing.assert_allclose(
            labels[bag == BAGS].mean(dim=0), SHARES[bag], atol=1e-4
        )


def test_transported_labels_are_those_of_a_plain_sinkhorn():
    """One bag, two classes: alternate dividing rows and columns of exp(-cost/reg)."""
    log_h = torch.log_softmax(
        torch.randn(6, 2, generator=torch.Generator().manual_seed(2)).double(), dim=1
    )
    plan = np.exp(log_h.numpy() / 0.2)
    for _ in range(2000):
        plan /= plan.sum(axis=1, keepdims=True)
        plan *= 6 * np.array([0.25, 0.75]) / plan.sum(axis=0)
    bags = torch.zeros(6, dtype=torch.int64)
    shares = torch.tensor([[0.25, 0.75]]).double()
    found = transported(log_h, bags, shares, 0.2, 2000)
    np.testing.assert_allclose(found, plan, atol=1e-6)


def test_transport_of_single_items_gives_their_labels(logits):
    y = torch.arange(16) % 3
    log_h = torch.log_softmax(logits, dim=1)
    found = transported(log_h, torch.arange(16), torch.eye(3)[y].double())
    np.testing.assert_allclose(found, torch.eye(3)[y], atol=1e-6)


def test_margins_of_mixtures_are_those_of_draws_without_replacement():
    """Nine of fifteen and four of ten items, drawn ten thousand times."""
    rng = np.random.default_rng(0)
    one, other = np.repeat([1, 0], [6, 9]), np.repeat([1, 0], [7, 3])
    shares = torch.tensor([[9 / 15, 6 / 15], [3 / 10, 7 / 10]])
    low, high = mixed_margins(
        shares,
        torch.tensor([15.0, 10.0]),
        torch.tensor([9.0, 4.0]),
        torch.tensor([0, 0]),
    )
    drawn = [
        np.concatenate([rng.permutation(one)[:9], rng.permutation(other)[:4]]).mean()
        for _ in range(10_000)
    ]
    assert float((low + high)[0, 1] / 2) == pytest.approx(np.mean(drawn), abs=0.005)
    assert float((high - low)[0, 1] / 3.92) == pytest.approx(np.std(drawn), rel=0.05)


def test_mixing_nothing_is_dllp():
    rng = np.random.default_rng(3)
    X, bags = rng.normal(size=(60, 2)), np.repeat(np.arange(6), 10)
    shares = rng.random(6)
    plain = DLLPClassifier(n_steps=30, random_state=0)
    mixed = MixBag(n_steps=30, mix=0.0, random_state=0)
    for model in (plain, mixed):
        model.fit(X, bags=bags, proportions=shares)
    # Their passes are written differently: equal up to rounding of single precision.
    np.testing.assert_allclose(
        plain.predict_proba(X), mixed.predict_proba(X), rtol=1e-4
    )


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [DLLPClassifier, MixBag, TransportLLP])
def test_any_network_learns_from_pictures(kind):
    """Bright left or bright right halves of 4 x 4 pictures, in bags of eight."""
    rng = np.random.default_rng(4)
    bags = np.repeat(np.arange(20), 8)
    y = (rng.random(160) < rng.random(20)[bags]).astype(int)
    X = rng.normal(0, 0.3, (160, 4, 4))
    X[y == 0, :, :2] += 1
    X[y == 1, :, 2:] += 1
    shares = np.array([y[bags == k].mean() for k in range(20)])
    network = nn.Sequential(
        nn.Unflatten(1, (1, 4, 4)), nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(),
        nn.Linear(16, 2),
    )  # fmt: skip
    before = [weight.clone() for weight in network.parameters()]
    model = kind(learning_rate=0.01, n_steps=300, network=network, random_state=0)
    flat = X.reshape(160, -1)
    clone(model).fit(flat, bags=bags, proportions=shares)
    model.fit(flat, bags=bags, proportions=shares)
    assert (model.predict(flat) == y).mean() > 0.85
    for old, new in zip(before, network.parameters(), strict=True):
        assert torch.equal(old, new)


def test_a_network_of_another_shape_is_refused():
    with pytest.raises(InvalidInput, match="score for each of 2 classes"):
        DLLPClassifier(network=nn.Linear(2, 5)).fit(
            np.zeros((4, 2)), bags=[0, 0, 1, 1], proportions=[0.2, 0.8]
        )
