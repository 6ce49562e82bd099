"""An interrupted run ends as if it had never been interrupted."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import log_softmax

from caveat.exceptions import DataError, InvalidInput
from caveat.training import Best, Objective, adam, sgd, train


class PowerCut(Exception):
    pass


class Confidences(Objective):
    """Has a state for every row, a second network, and two phases."""

    def __init__(self, cut_after=None):
        self.cut_after = cut_after

    def begin(self, run):
        self.weights = torch.full((len(run.data["x"]), 2), 0.5)
        self.teacher = nn.Linear(3, 2)
        self.second = sgd(lr=0.01)(self.teacher.parameters())
        self.phase = 1

    def step(self, run, batch):
        target = self.weights[batch.rows]
        taught = -(target * log_softmax(self.teacher(batch["x"]), 1)).sum(1).mean()
        run.descend(taught, self.second)
        answer = log_softmax(run.module(batch["x"]), 1)
        self.answer = answer.detach()
        return run.descend(-(target * answer).sum(1).mean())

    def after_step(self, run, batch):
        noise = 0.01 * torch.rand(len(batch), 2)
        self.weights[batch.rows] = self.answer.exp() + noise
        if run.updates + 1 == self.cut_after:
            raise PowerCut

    def after_epoch(self, run):
        if run.epoch == 2:
            self.phase = 2
            run.optimiser = adam(lr=0.02)(run.module.parameters())

    def state(self):
        return {
            "weights": self.weights,
            "phase": self.phase,
            "teacher": dict(self.teacher.state_dict()),
            "second": self.second.state_dict(),
        }

    def load_state(self, run, state):
        self.weights, self.phase = state["weights"], state["phase"]
        self.teacher.load_state_dict(state["teacher"])
        self.second.load_state_dict(state["second"])
        if self.phase == 2:
            run.optimiser = adam(lr=0.02)(run.module.parameters())


def network():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 2)
    )


def go(objective, **settings):
    module = network()
    x = np.random.default_rng(0).normal(size=(23, 3))
    training = train(
        module,
        objective,
        {"x": x},
        batch_size=5,
        optimiser=sgd(lr=0.1, momentum=0.9),
        clip=1.0,
        evaluate=lambda run: {"noise": float(torch.rand(1)), "nan": float("nan")},
        seed=3,
        **settings,
    )
    return module, training


@pytest.fixture(scope="module")
def whole():
    return go(Confidences(), epochs=4, best=Best("noise"))


@pytest.mark.parametrize(
    ("cut_after", "save_every"),
    [(1, None), (5, None), (6, None), (17, None), (7, 1), (4, 3), (11, 3), (20, 3)],
)
def test_a_resumed_run_is_the_same_to_the_last_bit(
    cut_after, save_every, whole, tmp_path
):
    settings = {
        "epochs": 4,
        "best": Best("noise"),
        "save_to": tmp_path / "run",
        "save_every": save_every,
    }
    with pytest.raises(PowerCut):
        go(Confidences(cut_after), **settings)

    module, training = go(Confidences(), **settings)

    expected_module, expected = whole
    assert training.losses == expected.losses
    assert repr(training.checkpoints) == repr(expected.checkpoints)
    assert (training.best, training.stopped) == (expected.best, expected.stopped)
    state, expected_state = module.state_dict(), expected_module.state_dict()
    assert all(torch.equal(state[name], expected_state[name]) for name in state)


def test_a_schedule_goes_on_as_well(tmp_path):
    def halved(optimiser):
        return torch.optim.lr_scheduler.StepLR(optimiser, 1, gamma=0.5)

    class Plain(Confidences):
        def after_epoch(self, run):
            pass

    settings = {"epochs": 4, "schedule": halved}
    with pytest.raises(PowerCut):
        go(Plain(13), save_to=tmp_path / "run", **settings)
    module, _ = go(Plain(), save_to=tmp_path / "run", **settings)
    expected, _ = go(Plain(), **settings)
    assert torch.equal(module[0].weight, expected[0].weight)


def test_a_finished_run_is_only_read(whole, tmp_path):
    settings = {"epochs": 4, "best": Best("noise"), "save_to": tmp_path / "run"}
    go(Confidences(), **settings)
    before = (tmp_path / "run").stat().st_mtime_ns
    module, training = go(Confidences(cut_after=1), **settings)
    assert (tmp_path / "run").stat().st_mtime_ns == before
    assert training.losses == whole[1].losses
    assert torch.equal(module[0].weight, whole[0][0].weight)


@pytest.mark.parametrize("other", [{"epochs": 5}, {"epochs": 4, "save_every": 0}])
def test_the_file_of_another_run_is_refused(other, tmp_path):
    go(Confidences(), epochs=4, save_to=tmp_path / "run")
    with pytest.raises((DataError, InvalidInput), match=r"epochs is 4|save_every is 0"):
        go(Confidences(), save_to=tmp_path / "run", **other)


def test_the_file_of_other_data_is_refused(tmp_path):
    def fit(value):
        train(
            network(),
            Confidences(),
            {"x": np.full((4, 3), value)},
            steps=1,
            save_to=tmp_path / "run",
        )

    fit(0.0)
    with pytest.raises(DataError, match="its data is"):
        fit(1.0)
