"""Runs that train together against the same runs alone."""

import pytest
import torch

from caveat.training import Best, Diverged, Job, Objective, adam, mlp, train_all
from caveat.training._stack import LARGEST, _kind

X = torch.randn(60, 5, generator=torch.Generator().manual_seed(0))
Y = (X[:, 0] > 0).long()
DATA = {"x": X, "y": Y}


class Noisy(Objective):
    """Cross-entropy with noise in every place where a learner may draw."""

    stacks = True

    def begin(self, run):
        self.scale = torch.rand(())

    def answer(self, z, batch):
        p = z.softmax(1)
        target = torch.nn.functional.one_hot(batch["y"], z.shape[1])
        target = (target + 0.1 * torch.rand(z.shape)) * self.scale
        loss = -(target * z.log_softmax(1)).sum(1).mean()
        return loss, (p * target.sum(1, keepdim=True) - target) / len(z)

    def step(self, run, batch):
        z = run.forward(batch["x"])
        return run.follow(z, *self.answer(z.detach(), batch))

    def after_step(self, run, batch):
        self.scale = 0.9 * self.scale + 0.1 * torch.rand(())

    def after_epoch(self, run):
        self.scale = self.scale + 0.01 * torch.rand(())


class Idle(Noisy):
    """Leaves every third batch out."""

    def answer(self, z, batch):
        return None if int(batch.rows[0]) % 3 == 0 else super().answer(z, batch)

    def step(self, run, batch):
        z = run.forward(batch["x"])
        found = self.answer(z.detach(), batch)
        return 0.0 if found is None else run.follow(z, *found)


def evaluate(run):
    return {"size": sum(w.abs().sum() for w in run.module.parameters())}


def jobs(kind=Noisy, *, hidden=(7,), activation="relu", rates=(0.01, 0.1, 0.3), **more):
    return [
        Job(
            module=mlp(5, hidden, 2, activation=activation, seed=number),
            objective=kind(),
            data=DATA,
            batch_size=16,
            optimiser=adam(rate, weight_decay=0.01 * number),
            seed=number,
            **{"steps": 20 + 5 * number, "evaluate": evaluate, **more},
        )
        for number, rate in enumerate(rates)
    ]


def outcome(job, training):
    weights = [w.detach().clone() for w in job.module.parameters()]
    return training.losses, training.checkpoints, training.best, weights


def assert_same(alone, together):
    for (*ours, first), (*theirs, second) in zip(together, alone, strict=True):
        torch.testing.assert_close(first, second, rtol=1e-4, atol=1e-5)
        assert ours[0] == pytest.approx(theirs[0], rel=1e-4)
        assert ours[1] == [pytest.approx(row, rel=1e-4) for row in theirs[1]]
        assert ours[2] == theirs[2]


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [Noisy, Idle])
@pytest.mark.parametrize("hidden", [(), (7,), (6, 4)], ids=str)
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_together_is_as_alone(kind, hidden, activation):
    how = {"hidden": hidden, "activation": activation}
    alone = [outcome(job, job.train()) for job in jobs(kind, **how)]
    runs = jobs(kind, **how)
    assert len({_kind(job) for job in runs}) == 1
    assert_same(alone, list(map(outcome, runs, train_all(runs))))


def test_early_stopping_and_the_best_weights_are_each_runs_own():
    how = {"best": Best("size", "min", patience=2), "checkpoints": 2, "steps": 60}
    alone = [outcome(job, job.train()) for job in jobs(**how)]
    runs = jobs(**how)
    found = train_all(runs)
    assert_same(alone, list(map(outcome, runs, found)))
    assert len({training.updates for training in found}) > 1


def test_a_diverging_run_leaves_the_others_alone():
    rates = (0.01, 1e30, 0.1)
    expected = [outcome(job, job.train()) for job in jobs(rates=rates)[::2]]
    runs = jobs(rates=rates)
    first, second, third = train_all(runs)
    assert isinstance(second, Diverged)
    with pytest.raises(Diverged) as alone:
        jobs(rates=rates)[1].train()
    assert str(second) == str(alone.value)
    assert_same(expected, [outcome(runs[0], first), outcome(runs[2], third)])


def test_networks_own_their_weights_again_afterwards():
    runs = jobs()
    train_all(runs)
    for job in runs:
        for weight in job.module.parameters():
            assert weight.untyped_storage().nbytes() == weight.nbytes
            assert weight.grad is None


def test_an_error_in_one_run_is_raised_and_weights_are_given_back():
    def fail(run):
        raise ValueError("no score")

    runs = jobs(evaluate=fail)
    with pytest.raises(ValueError, match="no score"):
        train_all(runs)
    weight = runs[0].module[0].weight
    assert weight.untyped_storage().nbytes() == weight.nbytes


def test_torchs_own_generator_and_threads_stay_as_they_were():
    before = torch.get_rng_state(), torch.get_num_threads()
    train_all(jobs())
    assert torch.equal(torch.get_rng_state(), before[0])
    assert torch.get_num_threads() == before[1]


class Alone(Noisy):
    stacks = False


@pytest.mark.parametrize(
    "change",
    [
        {"objective": Alone()},
        {"objective": lambda module, batch: module(batch["x"]).mean()},
        {"module": mlp(5, [7], 2, dropout=0.5)},
        {"clip": 1.0},
        {"schedule": lambda o: torch.optim.lr_scheduler.StepLR(o, 1)},
        {"save_to": "state"},
        {"device": "meta"},
        {"batch_size": LARGEST},
        {"data": {"features": X}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_cannot_be_stacked_is_left_alone(change):
    usual = {"module": mlp(5, [7], 2), "objective": Noisy(), "data": DATA, "steps": 3}
    assert _kind(Job(**usual)) is not None
    assert _kind(Job(**{**usual, **change})) is None


def test_runs_of_different_kinds_come_back_in_their_order():
    runs = [*jobs(), *jobs(Alone), *jobs(hidden=(3,))]
    mixed = [runs[i] for i in (0, 3, 6, 1, 4, 7, 2, 5, 8)]
    found = train_all(mixed)
    for job, training in zip(mixed, found, strict=True):
        assert training.updates == job.steps
    assert found[0].losses == pytest.approx(found[1].losses, rel=1e-4)
