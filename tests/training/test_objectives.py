"""The loop under the learners that it was made for, each in its smallest form."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.cluster import KMeans
from torch.nn.functional import kl_div

from caveat.training import Best, Objective, adam, mlp, outputs, train


@pytest.fixture
def clusters():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    x = np.eye(3)[y] * 3 + rng.normal(size=(90, 3))
    return x, y


class Proden(Objective):
    """Lv et al. (2020): weights of the candidates follow the network."""

    def begin(self, run):
        sets = run.data["candidates"].float()
        self.weights = sets / sets.sum(1, keepdim=True)

    def loss(self, run, batch):
        logits = run.module(batch["x"])
        self.logits = logits.detach()
        return -(self.weights[batch.rows] * logits.log_softmax(1)).sum(1).mean()

    def after_step(self, run, batch):
        inside = self.logits.masked_fill(~batch["candidates"], -torch.inf)
        self.weights[batch.rows] = inside.softmax(1)


def test_candidate_sets_are_disambiguated_row_by_row(clusters):
    x, y = clusters
    extra = np.random.default_rng(1).random((90, 3)) < 0.4
    candidates = np.eye(3, dtype=bool)[y] | extra
    module, objective = mlp(3, [20], 3, seed=0), Proden()

    training = train(
        module,
        objective,
        {"x": x, "candidates": candidates},
        steps=200,
        batch_size=32,
        drop_last=True,
        optimiser=adam(lr=0.02),
        checkpoints=range(1, 200, 50),
        evaluate=lambda run: {"steps": run.updates},
    )

    assert [row["steps"] for row in training.checkpoints] == [1, 51, 101, 151, 200]
    answers = outputs(module, torch.tensor(x, dtype=torch.float32)).argmax(1)
    assert (answers.numpy() == y).mean() > 0.9
    weights = objective.weights.numpy()
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-5)
    assert (weights[~candidates] == 0).all()


def test_the_first_update_of_the_weights_is_the_formula(clusters):
    x, y = clusters
    candidates = np.eye(3, dtype=bool)[y]
    candidates[:, 0] = True
    module, objective = mlp(3, [], 3, seed=0), Proden()
    logits = outputs(module, torch.tensor(x, dtype=torch.float32)).numpy()
    train(
        module,
        objective,
        {"x": x, "candidates": candidates},
        steps=1,
        batch_size=90,
    )
    shares = np.exp(logits) * candidates
    expected = shares / shares.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(objective.weights.numpy(), expected, rtol=1e-4)


class OneBag:
    """A batch for every bag, the bags in random order."""

    def __init__(self, bags):
        self.bags = torch.tensor(bags)

    def __len__(self):
        return int(self.bags.max()) + 1

    def epoch(self, generator):
        order = torch.randperm(len(self), generator=generator).tolist()
        return [torch.nonzero(self.bags == bag)[:, 0] for bag in order]


class Shares(Objective):
    """Ardehaly & Culotta (2017): the mean prediction of a bag meets its shares."""

    def loss(self, run, batch):
        mean = run.module(batch["x"]).softmax(1).mean(0)
        return kl_div(mean.log(), batch["share"][0], reduction="sum")


def test_shares_of_bags_teach_a_classifier_of_items(clusters):
    x, y = clusters
    bags = (np.random.default_rng(2).random(90) * 2 + y).astype(int)
    table = np.array([np.bincount(y[bags == bag], minlength=3) for bag in range(4)])
    share = (table / table.sum(axis=1, keepdims=True))[bags]
    module = mlp(3, [20], 3, seed=0)
    train(
        module,
        Shares(),
        {"x": x, "share": share},
        epochs=60,
        sampler=OneBag(bags),
        optimiser=adam(lr=0.02),
    )
    answers = outputs(module, torch.tensor(x, dtype=torch.float32)).argmax(1)
    assert (answers.numpy() == y).mean() > 0.7


class KMeansAutoencoder(Objective):
    """Yang et al. (2017): reconstruction, pulled towards centroids between epochs."""

    def __init__(self, decoder):
        self.decoder = decoder

    def begin(self, run):
        self.codes = self.centroids = None
        self.after_epoch(run)

    def loss(self, run, batch):
        z = run.module(batch["x"])
        pull = torch.cdist(z, self.centroids).min(1).values.square().mean()
        spread = (z - z.mean(0)).square().sum(1).mean() + 1e-8
        error = (self.decoder(z) - batch["x"]).square().mean()
        return error + 0.01 * pull / spread

    def after_epoch(self, run):
        z = outputs(run.module, run.data["x"]).numpy()
        start = "k-means++" if self.centroids is None else self.centroids.numpy()
        found = KMeans(3, init=start, n_init=1, max_iter=10, random_state=0).fit(z)
        before, self.codes = self.codes, found.labels_
        self.centroids = torch.tensor(found.cluster_centers_)
        if before is not None and (before == self.codes).all():
            run.stop()


def test_clusters_between_epochs_end_the_run_when_nothing_moves(clusters):
    x, y = clusters
    encoder, decoder = mlp(3, [16], 2, seed=0), mlp(2, [16], 3, seed=1)
    weights = [*encoder.parameters(), *decoder.parameters()]
    pretrained = train(
        encoder,
        lambda module, batch: (
            (decoder(module(batch["x"])) - batch["x"]).square().mean()
        ),
        {"x": x},
        epochs=50,
        batch_size=30,
        optimiser=adam(lr=0.01)(weights),
        best=Best("loss", patience=5, tolerance=1e-3, restore=False),
    )
    objective = KMeansAutoencoder(decoder)
    training = train(
        encoder, objective, {"x": x}, epochs=20, optimiser=adam(lr=1e-3)(weights)
    )
    assert pretrained.losses[-1] < 0.5 * pretrained.losses[0]
    assert training.stopped == "objective"
    table = np.array(
        [[(objective.codes[y == c] == k).sum() for k in range(3)] for c in range(3)]
    )
    assert table.max(axis=1).sum() > 80
