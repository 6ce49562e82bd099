"""Parts of contrastive algorithms, against loops that spell them out."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from caveat.candidates._classifier import make_algorithm
from caveat.candidates.learners._able import partner_weights
from caveat.candidates.learners._contrast import (
    Ring,
    first_full_step,
    follow,
    instance_loss,
    log_shares,
    mean_over,
    move_prototypes,
)
from caveat.candidates.learners._dirk import rectified
from caveat.candidates.learners._mixup import Draws, larger_share
from caveat.candidates.registry import LEARNERS
from caveat.exceptions import InvalidInput, UnknownName
from caveat.training import Paired, Shuffled, train

GENERATOR = torch.Generator().manual_seed(0)


def unit(rows, width=5):
    drawn = torch.randn(rows, width, generator=GENERATOR)
    return nn.functional.normalize(drawn, dim=1)


def test_prototypes_in_closed_form_are_those_of_the_loop():
    start, h = unit(4), unit(9)
    c = torch.tensor([0, 2, 0, 0, 1, 2, 0, 2, 1])
    slow = start.clone()
    for row, label in zip(h, c, strict=True):
        slow[label] = 0.7 * slow[label] + 0.3 * row
    found = start.clone()
    move_prototypes(found, h, c, 0.7)
    torch.testing.assert_close(found, nn.functional.normalize(slow, dim=1))
    move_prototypes(found, h[:0], c[:0], 0.7)
    torch.testing.assert_close(found, nn.functional.normalize(slow, dim=1))


def test_log_shares_and_means_are_those_of_the_loop():
    h, others, tau = unit(4), unit(6), 0.2
    F = torch.cat([h, others])
    positives = torch.rand(4, 10, generator=GENERATOR) < 0.4
    positives[2] = False
    shares = log_shares(h, others, tau)
    means = mean_over(shares, positives)
    for i in range(4):
        scores = [float(h[i] @ F[a]) / tau for a in range(10)]
        total = sum(math.exp(s) for a, s in enumerate(scores) if a != i)
        logs = [s - math.log(total) for s in scores]
        chosen = [logs[a] for a in range(10) if positives[i, a] and a != i]
        wanted = sum(chosen) / len(chosen) if chosen else 0.0
        assert means[i] == pytest.approx(wanted, abs=1e-5)
        assert shares[i, i] == 0


def test_the_batch_learns_as_anchor_and_as_column_and_others_do_not():
    h, others = unit(3).requires_grad_(), unit(4).requires_grad_()
    log_shares(h, others, 0.1)[0].sum().backward()
    assert others.grad is None
    # Rows 1 and 2 are no anchors of that sum, but columns of it.
    assert (h.grad.abs().sum(1) > 0).all()


def test_telling_ones_own_key_is_a_softmax_over_it_and_the_queue():
    h, k, queue = unit(3), unit(3), unit(7)
    wanted = 0.0
    for i in range(3):
        scores = [float(h[i] @ k[i]) / 0.1, *(float(h[i] @ q) / 0.1 for q in queue)]
        wanted -= math.log(math.exp(scores[0]) / sum(map(math.exp, scores))) / 3
    assert float(instance_loss(h, k, queue, 0.1)) == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("sizes", [[2, 2, 2], [3, 3], [4, 1, 4], [7], [12, 2]])
def test_a_ring_keeps_the_last_items_whatever_the_batches(sizes):
    ring, seen = Ring(x=torch.full((5,), -1)), []
    for size in sizes:
        items = torch.arange(len(seen), len(seen) + size)
        ring.push(x=items)
        seen += items.tolist()
    wanted = [-1] * 5
    for number, item in enumerate(seen):
        wanted[number % 5] = item
    assert ring["x"].tolist() == wanted
    assert ring.pointer == len(seen) % 5


def test_a_follower_moves_its_weights_and_not_its_statistics():
    slow, fast = (nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)) for _ in range(2))
    before = slow[0].weight.detach().clone()
    fast[1].running_mean += 5
    follow(slow, fast, 0.9)
    torch.testing.assert_close(slow[0].weight, 0.9 * before + 0.1 * fast[0].weight)
    assert (slow[1].running_mean == 0).all()


def test_rectified_labels_put_candidates_first_and_keep_their_order():
    z = 6 * torch.randn(200, 6, generator=GENERATOR)
    S = torch.rand(200, 6, generator=GENERATOR) < 0.4
    S[:, 0] = True
    S[0] = True
    r = rectified(z, S)
    torch.testing.assert_close(r.sum(1), torch.ones(200))
    inside = r.masked_fill(~S, 9.0).amin(1)
    outside = r.masked_fill(S, 0.0).amax(1)
    assert (inside >= outside - 1e-6).all()
    torch.testing.assert_close(r[0], z[0].softmax(0))
    order = z.masked_fill(~S, -99.0).argmax(1)
    assert (r.argmax(1) == order).all()
    extreme = rectified(
        torch.tensor([[300.0, 0.0, -300.0]]), torch.tensor([[0, 1, 1]]) > 0
    )
    assert extreme.isfinite().all()


def test_partner_weights_are_those_of_the_loop():
    believed = torch.rand(4, 3, generator=GENERATOR)
    c = torch.tensor([0, 2, 2, 0])
    found = partner_weights(believed, c)
    counts = np.bincount(c, minlength=3)
    for i in range(8):
        for a in range(8):
            label = int(c[a % 4])
            wanted = 0.0 if i == a else believed[i % 4, label] / counts[label]
            assert found[i, a] == pytest.approx(float(wanted))


def test_mixing_gives_the_first_the_larger_part():
    assert larger_share(0.2) == 0.8
    with torch.random.fork_rng():
        torch.manual_seed(0)
        drawn = [Draws(4.0).share(0) for _ in range(500)]
    # Beta(4, 4): mean 1/2, deviation 1/6.
    assert abs(np.mean(drawn) - 0.5) < 5 / 6 / math.sqrt(500)
    assert abs(np.std(drawn) - 1 / 6) < 0.03


def begun(name, **params):
    """An algorithm after a step on a table whose views are all alike."""
    S = torch.rand(12, 4, generator=GENERATOR) < 0.4
    S[:, 1] = True
    x = torch.randn(12, 3, generator=GENERATOR)
    given = {**LEARNERS[name].quick, **params}
    algorithm = make_algorithm(name, params=given)
    views = {view: lambda x, generator: x for view in algorithm.views}
    pair = Paired(Shuffled(12, 6), Shuffled(12, 6))
    train(
        nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 4)),
        algorithm,
        {"x": x, "candidates": S},
        steps=2,
        sampler=pair if algorithm.needs_second_batch else Shuffled(12, 6),
        views=views,
    )
    return algorithm


def test_alim_lets_labels_in_by_the_quantile_of_the_margins():
    margins = torch.tensor([0.2, 0.5, 0.9, 1.1, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
    assert begun("alim", noise_rate=0.2)._quantile(margins) == pytest.approx(0.9)
    assert begun("alim", noise_rate=0.5)._quantile(margins) == 1.0
    uncapped = begun("alim", noise_rate=0.5, cap=False)
    assert uncapped._quantile(margins) == pytest.approx(3.0)
    # Estimated: three of ten margins are below 1.
    guessed = begun("alim", noise_rate=None, cap=False)
    assert guessed._quantile(margins) == pytest.approx(1.1)


def test_pico_plus_trusts_the_nearest_and_the_unseen():
    algorithm = begun("pico+", pure_ratio=0.5)
    algorithm.distance = torch.linspace(1, 0, 12)
    algorithm.distance[0] = -math.inf
    algorithm.choose()
    assert algorithm.reliable.nonzero()[:, 0].tolist() == [0, 7, 8, 9, 10, 11]
    algorithm.distance.zero_()
    algorithm.choose()
    assert algorithm.reliable.nonzero()[:, 0].tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("name", ["pico", "dirk", "alim", "pico+"])
def test_the_first_phase_is_an_epoch_unless_the_benchmark_is_asked_for(name):
    short = SimpleNamespace(batches_per_epoch=7)
    assert first_full_step(make_algorithm(name), short) == 7
    assert first_full_step(make_algorithm(name, "plench"), short) == 178
    given = make_algorithm(name, "plench", params={"start": 3})
    assert first_full_step(given, short) == 3
    with pytest.raises(InvalidInput, match="start is -1"):
        make_algorithm(name, params={"start": -1})


def test_parameters_out_of_range_are_refused():
    with pytest.raises(UnknownName, match="did you mean 'step'"):
        make_algorithm("pico+", params={"every": "steps"})
    with pytest.raises(InvalidInput, match="n_views is 4"):
        make_algorithm("crdpll", params={"n_views": 4})
    with pytest.raises(InvalidInput, match="noise_rate is 2"):
        make_algorithm("alim", params={"noise_rate": 2})


def test_crdpll_takes_the_image_as_it_is_for_a_third_view():
    assert make_algorithm("crdpll", params={"n_views": 3}).views[2] == "plain"
