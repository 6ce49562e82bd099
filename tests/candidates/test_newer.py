"""PaPi and SoLar, against loops that spell their papers out."""

import math
from copy import deepcopy

import numpy as np
import pytest
import torch
from torch import nn

from caveat.candidates import PartialLabelClassifier, flip_candidates
from caveat.candidates.learners._papi import Papi
from caveat.candidates.learners._solar import Solar, dealt, plausible
from caveat.exceptions import InvalidInput
from caveat.training import Shuffled, train

CLASSES, ROWS, SHARE = 4, 12, 0.3
VIEWS = {"weak": lambda x, _: x, "strong": lambda x, _: 1.0 - 0.5 * x}


class Fixed:
    """Mixing that leaves nothing to chance."""

    def share(self, step):
        return SHARE

    def order(self, step, count):
        return torch.arange(count - 1, -1, -1)


def watched(kind, **params):
    """Run a few steps on a table; note what went into every step, and its loss."""
    notes = []

    class Noted(kind):
        def loss(self, run, batch):
            before = {name: deepcopy(getattr(self, name)) for name in self.kept}
            network = deepcopy(run.module)
            head = deepcopy(run.parts.get("head"))
            earlier = self.ring["opinions"].clone() if hasattr(self, "ring") else None
            loss = super().loss(run, batch)
            notes.append((before, network, head, earlier, batch, run.epoch, run.share))
            notes[-1] += (
                float(loss.detach()),
                deepcopy({n: getattr(self, n) for n in before}),
            )
            return loss

    generator = torch.Generator().manual_seed(5)
    S = torch.rand(ROWS, CLASSES, generator=generator) < 0.4
    S[:, 1] = True
    x = torch.randn(ROWS, 3, generator=generator)
    algorithm = Noted(allow_identical_views=True, **params)
    algorithm.draws = Fixed()
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, CLASSES))
        train(
            network,
            algorithm,
            {"x": x, "candidates": S},
            steps=6,
            sampler=Shuffled(ROWS, 6),
            views=VIEWS,
        )
    return notes


def softmax(scores):
    powers = np.exp(scores - np.max(scores))
    return powers / powers.sum()


def within(scores, allowed):
    shares = softmax(scores) * allowed
    return shares / shares.sum()


def features(network, x):
    return network[1](network[0](x))


def numbers(tensor):
    return tensor.detach().double().numpy()


def test_papi_takes_the_steps_of_its_paper():
    for before, network, head, _, batch, epoch, share, loss, after in watched(
        Papi, width=3, ramp=2, temperature=0.4
    ):
        S = batch["candidates"].numpy()
        weak, strong = batch.view("weak"), batch.view("strong")
        z, h = numbers(network(weak)), numbers(head(features(network, weak)))
        z2, h2 = numbers(network(strong)), numbers(head(features(network, strong)))
        old = numbers(before["prototypes"])
        moved, momentum = old.copy(), 0.9 + share * (0.5 - 0.9)
        for logits, found in ((z, h), (z2, h2)):
            for i in range(6):
                label = np.where(S[i], logits[i], -np.inf).argmax()
                moved[label] = momentum * moved[label] + (1 - momentum) * found[i]
            lengths = np.linalg.norm(moved, axis=1, keepdims=True)
            moved = np.where(lengths > 0, moved / np.maximum(lengths, 1e-12), 0)
        np.testing.assert_allclose(numbers(after["prototypes"]), moved, atol=1e-5)
        phi = 0.95 + share * (0.8 - 0.95)
        W = [
            phi * w + (1 - phi) * within(z[i], S[i])
            for i, w in enumerate(numbers(before["W"][batch.rows]))
        ]
        np.testing.assert_allclose(numbers(after["W"][batch.rows]), W, atol=1e-6)
        cls = -np.mean([W[i] @ np.log(softmax(z[i])) for i in range(6)])
        sim = 0.0
        for x in (weak, strong):
            mixed = SHARE * x + (1 - SHARE) * x.flip(0)
            g = numbers(head(features(network, mixed)))
            for i in range(6):
                s = np.log(softmax(old @ g[i] / 0.4))
                for part, w in ((SHARE, W[i]), (1 - SHARE, W[5 - i])):
                    sim += part * sum(
                        p * (math.log(p) - s[j]) for j, p in enumerate(w) if p > 0
                    )
        wanted = cls + min(1, epoch / 2) * sim / 6
        assert loss == pytest.approx(wanted, rel=1e-5)


def test_solar_takes_the_steps_of_its_paper():
    notes = watched(Solar, ramp=2, queue=8, first_ratio=0.2, last_ratio=0.8)
    for before, network, _, earlier, batch, epoch, _, loss, _ in notes:
        S = batch["candidates"].numpy()
        weak = batch.view("weak")
        z, z2 = numbers(network(weak)), numbers(network(batch.view("strong")))
        own = np.array([within(z[i], S[i]) for i in range(6)])
        kept = numbers(earlier[: before["filled"]])
        everything = torch.tensor(np.concatenate([kept, own]))
        prior = numbers(before["prior"])
        labels = numbers(dealt(everything, torch.tensor(prior), sharpness=3.0))[-6:]
        errors = [-labels[i] @ np.log(softmax(z[i])) for i in range(6)]
        rest = [
            -w @ np.log(softmax(z[i]))
            for i, w in enumerate(numbers(before["W"][batch.rows]))
        ]
        ramp = min(1, epoch / 2)
        chosen = []
        for j in range(CLASSES):
            mine = [i for i in range(6) if labels[i].argmax() == j]
            most = max(1, math.ceil(6 * prior[j] * (0.2 + ramp * 0.6) - 1e-6))
            chosen += sorted(mine, key=lambda i: errors[i])[:most]
        chosen = sorted(chosen)
        others = [i for i in range(6) if i not in chosen]
        if epoch < 1:
            assert loss == pytest.approx(np.mean(rest), rel=1e-5)
            continue
        mixed = SHARE_LARGER * weak[chosen] + (1 - SHARE_LARGER) * weak[chosen[::-1]]
        z3 = numbers(network(mixed))
        goal = SHARE_LARGER * labels[chosen] + (1 - SHARE_LARGER) * labels[chosen[::-1]]
        sin = np.mean([errors[i] for i in chosen])
        cons = np.mean([-labels[i] @ np.log(softmax(z2[i])) for i in chosen])
        mix = np.mean([-g @ np.log(softmax(s)) for g, s in zip(goal, z3, strict=True)])
        if len(chosen) < 2:
            mix = 0.0
        left = np.mean([rest[i] for i in others]) if others else 0.0
        eta = 0.9 * ramp
        wanted = eta * (sin + cons + mix) + (1 - eta) * left
        assert loss == pytest.approx(wanted, rel=1e-4)


#: Of a mix, the first item has the larger part.
SHARE_LARGER = 1 - SHARE


def test_labels_are_dealt_as_transport_with_entropy_has_it():
    generator = torch.Generator().manual_seed(1)
    allowed = torch.rand(60, 5, generator=generator) < 0.5
    allowed[:, 0] = True
    opinions = torch.rand(60, 5, generator=generator, dtype=torch.float64) * allowed
    prior = torch.tensor([0.4, 0.15, 0.15, 0.15, 0.15], dtype=torch.float64)
    found = dealt(opinions, prior, sharpness=3.0)
    torch.testing.assert_close(found.sum(1), torch.ones(60, dtype=torch.float64))
    torch.testing.assert_close(found.sum(0), 60 * prior, rtol=1e-4, atol=0)
    assert (found[~allowed] == 0).all()
    # The one solution with these sums is the power of the opinions, times a factor for
    # every item and one for every class.
    logs = (found.log() - 3 * opinions.log()).numpy()
    for i in range(1, 60):
        both = (allowed[0] & allowed[i]).numpy()
        gap = (logs[i] - logs[0])[both]
        np.testing.assert_allclose(gap, gap[0], atol=1e-8)


def test_a_class_that_nobody_may_have_is_dealt_nothing():
    opinions = torch.tensor([[0.7, 0.3, 0.0], [1.0, 0.0, 0.0]])
    found = dealt(opinions, torch.full((3,), 1 / 3), sharpness=3.0)
    assert found.isfinite().all()
    torch.testing.assert_close(found.sum(1), torch.ones(2))
    # An item whose only class has the share 0 keeps its opinion.
    alone = dealt(torch.eye(2), torch.tensor([1.0, 0.0]), sharpness=3.0)
    torch.testing.assert_close(alone, torch.eye(2))


def test_the_most_plausible_of_every_class_are_chosen_ties_by_row():
    labels = torch.eye(3)[[0, 0, 0, 1, 1, 0]]
    losses = torch.tensor([0.5, 0.1, 0.5, 0.9, 0.2, 0.05])
    shares = torch.tensor([0.5, 0.01, 0.4])
    chosen = plausible(labels, losses, shares)
    assert chosen.tolist() == [True, True, False, False, True, True]


@pytest.mark.thorough
def test_solar_learns_how_frequent_the_classes_are():
    rng = np.random.default_rng(0)
    y = rng.choice(3, size=300, p=[0.7, 0.2, 0.1])
    X = np.eye(3)[y] * 3 + rng.normal(size=(300, 3)) * 0.5
    sets = flip_candidates(y, 3, rate=0.3, random_state=0)
    model = PartialLabelClassifier(
        "solar",
        params={"allow_identical_views": True, "ramp": 4, "prior_momentum": 0.5},
        hidden=(16,),
        learning_rate=0.02,
        batch_size=50,
        max_steps=120,
        random_state=0,
    ).fit(X, sets)
    assert model.score(X, y) > 0.95
    np.testing.assert_allclose(model.algorithm_.prior, np.bincount(y) / 300, atol=0.05)


def test_numbers_out_of_range_are_refused():
    with pytest.raises(InvalidInput, match="temperature is 0"):
        Papi(temperature=0)
    with pytest.raises(InvalidInput, match="last_ratio is 2"):
        Solar(last_ratio=2)
