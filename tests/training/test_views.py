"""Views, bytes, second batches and added networks."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from caveat.exceptions import InvalidInput, UnknownName
from caveat.training import (
    Diverged,
    Objective,
    Paired,
    Shuffled,
    adam,
    fresh_copy,
    mlp,
    outputs,
    seeded,
    sgd,
    train,
)
from caveat.training._run import Run


def pictures():
    rng = np.random.default_rng(0)
    return {"x": rng.integers(0, 256, (12, 2, 2), dtype=np.uint8), "y": [0, 1] * 6}


def numbers(x, generator):
    return x.flatten(1).float() / 255


def noisy(x, generator):
    noise = torch.rand(x.shape, generator=generator)
    return (x.float() / 255 + noise).flatten(1)


class TwoViews(Objective):
    views = ("plain", "strong")

    def begin(self, run):
        self.kind = run.data["x"].dtype
        self.seen = []

    def loss(self, run, batch):
        first, again = batch.view("strong"), batch.view("strong")
        assert first is again
        self.seen.append(first.clone())
        answers = run.module(batch.view("plain")) + run.module(first)
        return cross_entropy(answers, batch["y"])

    def after_step(self, run, batch):
        assert torch.equal(batch.view("strong"), self.seen[-1])


def run_views(seed=0, steps=4):
    objective = TwoViews()
    views = {"plain": numbers, "strong": noisy}
    module = mlp(4, [5], 2, seed=0)
    settings = {"steps": steps, "batch_size": 5, "views": views, "seed": seed}
    train(module, objective, pictures(), **settings)
    return objective, module


def test_bytes_stay_bytes_until_a_view_makes_numbers_of_them():
    objective, _ = run_views()
    assert objective.kind is torch.uint8
    assert all(seen.dtype is torch.float32 for seen in objective.seen)


def test_views_follow_the_seed_and_differ_from_step_to_step():
    one, two, other = run_views()[0], run_views()[0], run_views(seed=1)[0]
    assert all(map(torch.equal, one.seen, two.seen))
    assert not any(map(torch.equal, one.seen, other.seen))


def test_a_resumed_run_sees_the_views_that_it_would_have_seen(tmp_path):
    _, whole = run_views(steps=7)
    file = tmp_path / "run"
    halted = TwoViews()
    halted.after_epoch = lambda run: (_ for _ in ()).throw(KeyboardInterrupt)
    module = mlp(4, [5], 2, seed=0)
    settings = {"views": {"plain": numbers, "strong": noisy}, "batch_size": 5}
    settings |= {"steps": 7, "save_to": file, "save_every": 1}
    with pytest.raises(KeyboardInterrupt):
        train(module, halted, pictures(), **settings)
    module = mlp(4, [5], 2, seed=0)
    train(module, TwoViews(), pictures(), **settings)
    for a, b in zip(whole.parameters(), module.parameters(), strict=True):
        assert torch.equal(a, b)


def test_a_view_that_nobody_makes_or_asked_for_is_refused():
    with pytest.raises(InvalidInput, match="needs the view 'strong'"):
        train(mlp(4, [], 2), TwoViews(), pictures(), steps=1)
    with pytest.raises(UnknownName, match="no view is called 'stronk'"):
        train(mlp(4, [], 2), TwoViews(), pictures(), steps=1, views={"stronk": noisy})

    def curious(module, batch):
        return module(batch.view("weak")).sum()

    views = {"plain": numbers, "weak": noisy}
    with pytest.raises(UnknownName, match="'weak' was not asked for"):
        train(mlp(4, [], 2), curious, pictures(), steps=1, views=views)


def test_a_second_batch_goes_beside_the_first():
    seen = []

    def loss(module, batch):
        seen.append((batch.rows.tolist(), batch.beside.rows.tolist()))
        torch.testing.assert_close(batch.beside["x"][:, 0], batch.beside.rows.float())
        return module(batch["x"]).square().mean()

    data = {"x": torch.arange(6.0)[:, None]}
    sampler = Paired(Shuffled(6, 2), Shuffled(4, 3))
    train(mlp(1, [], 1, seed=0), loss, data, epochs=2, sampler=sampler)
    assert sorted(row for first, _ in seen[:3] for row in first) == list(range(6))
    assert sorted(seen[0][1] + seen[1][1]) == list(range(4))
    assert [len(second) for _, second in seen] == [3, 1, 3, 3, 1, 3]


class WithHeads(Objective):
    """Two heads: one follows the run's optimiser, one its own."""

    def begin(self, run):
        with seeded(3):
            self.near = run.add("near", nn.Linear(3, 2))
            self.far = run.add("far", nn.Linear(3, 2), sgd(0.1))

    def loss(self, run, batch):
        return cross_entropy(self.near(run.module(batch["x"])), batch["y"])

    def after_step(self, run, batch):
        told = run.module(batch["x"]).detach()
        loss = cross_entropy(self.far(told), batch["y"])
        run.descend(loss, run.optimisers["far"])


def headed(**settings):
    rng = np.random.default_rng(0)
    data = {"x": rng.normal(size=(20, 2)), "y": rng.integers(0, 2, 20)}
    objective = WithHeads()
    train(mlp(2, [4], 3, seed=0), objective, data, batch_size=8, **settings)
    return torch.cat([w.ravel() for w in [*objective.near.parameters()]]), torch.cat(
        [w.ravel() for w in objective.far.parameters()]
    )


def test_added_heads_learn_and_are_resumed_with_the_run(tmp_path):
    short, whole = headed(steps=1), headed(steps=8)
    for before, after in zip(short, whole, strict=True):
        assert not torch.equal(before, after)
    settings = {"steps": 8, "save_to": tmp_path / "run", "save_every": 1}

    class Halt(Exception):
        pass

    def stop(updates, total):
        raise Halt

    with pytest.raises(Halt):
        headed(progress=stop, **settings)
    for a, b in zip(whole, headed(**settings), strict=True):
        assert torch.equal(a, b)


def test_losses_that_are_read_late_are_the_same_losses(monkeypatch):
    rng = np.random.default_rng(0)
    data = {"x": rng.normal(size=(20, 2)), "y": rng.integers(0, 2, 20)}

    def loss(module, batch):
        return cross_entropy(module(batch["x"]), batch["y"])

    def losses():
        return train(mlp(2, [4], 2, seed=0), loss, data, epochs=3, batch_size=8).losses

    at_once = losses()
    monkeypatch.setattr(Run, "reads_late", True)
    assert losses() == at_once

    def broken(module, batch):
        return loss(module, batch) * (float("nan") if 3 in batch.rows else 1.0)

    with pytest.raises(Diverged, match="loss is nan"):
        train(mlp(2, [4], 2, seed=0), broken, data, epochs=1, batch_size=8)


def test_a_fresh_copy_starts_as_its_network_does():
    class Small(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(50, 50)
            self.reset_parameters()

        def reset_parameters(self):
            nn.init.normal_(self.inner.weight, std=1e-4)

    first = Small()
    twin = fresh_copy(first)
    assert not torch.equal(first.inner.weight, twin.inner.weight)
    assert twin.inner.weight.abs().max() < 1e-3

    class Stubborn(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(2))

    with pytest.raises(InvalidInput, match="Stubborn has weights of its own"):
        fresh_copy(Stubborn())


def test_answers_come_in_the_precision_of_the_network_and_from_several_inputs():
    class Sum(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 1)

        def forward(self, x, code):
            return self.layer(x) + code[:, None]

    module = Sum()
    x, code = torch.rand(7, 2), torch.arange(7)
    found = outputs(module, x, code, batch_size=3)
    assert found.dtype is torch.float32
    torch.testing.assert_close(found, module(x, code).detach())


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_device_that_is_not_there_is_one_sentence():
    with pytest.raises(InvalidInput, match="'cuda' cannot be used here"):
        train(mlp(1, [], 1), WithHeads(), {"x": [[1.0]]}, steps=1, device="cuda")
    with pytest.raises(InvalidInput, match="'gpu9' cannot be used here"):
        train(
            mlp(1, [], 1),
            WithHeads(),
            {"x": [[1.0]]},
            steps=1,
            device="gpu9",
            optimiser=adam(),
        )


def test_half_the_width_learns_nearly_the_same():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 4))
    data = {"x": x, "y": (x[:, 0] > 0).astype(int)}
    seen = []

    class Watching(Objective):
        def loss(self, run, batch):
            z = run.forward(batch["x"])
            seen.append(z.dtype)
            return cross_entropy(z, batch["y"])

    losses = {}
    for precision in ("float32", "bfloat16"):
        module = mlp(4, [16], 2, seed=0)
        settings = {"optimiser": adam(0.02), "epochs": 10, "batch_size": 20}
        found = train(module, Watching(), data, precision=precision, **settings)
        losses[precision] = found.losses
        assert {weight.dtype for weight in module.parameters()} == {torch.float32}
    assert set(seen) == {torch.float32, torch.bfloat16}
    # Eight bits of mantissa: about two digits.
    np.testing.assert_allclose(losses["bfloat16"], losses["float32"], atol=0.02)
    with pytest.raises(UnknownName, match="no precision is called 'float8'"):
        train(mlp(4, [], 2), Watching(), data, steps=1, precision="float8")


def test_convolutions_can_be_laid_out_for_a_gpu():
    network = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(64, 2))
    data = {"x": torch.randn(8, 3, 6, 6), "y": [0, 1] * 4}

    def loss(module, batch):
        return cross_entropy(module(batch["x"]), batch["y"])

    train(network, loss, data, steps=2, channels_last=True)
    assert network[0].weight.is_contiguous(memory_format=torch.channels_last)
