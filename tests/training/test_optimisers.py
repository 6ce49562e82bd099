"""Adam's kernel, which torch may change or drop, and the way around it."""

import subprocess
import sys
import textwrap

import pytest
import torch

from caveat.training import _optimisers as optimisers
from caveat.training import adam, mlp, train
from caveat.training._optimisers import Adam, kernel_is_known


@pytest.fixture
def kernel(monkeypatch):
    """Put another kernel in place, as another torch would."""

    def replace(other):
        monkeypatch.setattr(optimisers, "_kernel", other)
        kernel_is_known.cache_clear()

    yield replace
    monkeypatch.undo()
    kernel_is_known.cache_clear()


def losses():
    x = torch.linspace(-1, 1, 64)[:, None]
    data = {"x": x, "y": (x[:, 0] > 0).long()}

    def loss(module, batch):
        return torch.nn.functional.cross_entropy(module(batch["x"]), batch["y"])

    recipe = adam(lr=0.05, weight_decay=1e-3)
    return train(mlp(1, [8], 2, seed=0), loss, data, steps=12, optimiser=recipe).losses


def of_another_signature(weights, grads, settings):
    raise AssertionError("never reached")


def of_other_numbers(weights, *_, **__):
    for weight in weights:
        weight.add_(1.0)


def that_is_not_for_this_machine(*_, **__):
    raise NotImplementedError("no kernel for this device")


def test_the_kernel_of_this_torch_is_known():
    kernel_is_known.cache_clear()
    assert kernel_is_known()


@pytest.mark.parametrize(
    "other",
    [
        None,
        of_another_signature,
        of_other_numbers,
        that_is_not_for_this_machine,
    ],
    ids=["missing", "signature", "numbers", "machine"],
)
def test_without_the_kernel_training_gives_the_same_numbers(kernel, other):
    expected = losses()
    kernel(other)
    assert not kernel_is_known()
    assert losses() == pytest.approx(expected, rel=1e-6)  # single precision


@pytest.mark.parametrize(
    "settings",
    [{"amsgrad": True}, {"fused": False}, {"lr": torch.tensor(0.01), "fused": True}],
    ids=["amsgrad", "unfused", "rate in a tensor"],
)
def test_what_the_kernel_is_not_called_for_steps_as_torch_does(settings):
    ways = []
    for kind, step in ((torch.optim.Adam, torch.optim.Adam.step), (Adam, Adam.advance)):
        weight = torch.nn.Parameter(torch.linspace(-1, 1, 5))
        optimiser = kind([weight], **settings)
        for number in range(4):
            weight.grad = weight.detach() ** 2 - number
            step(optimiser)
        ways.append(weight.detach())
    assert torch.equal(*ways)


def test_weights_of_several_kinds_are_left_to_torch():
    weights = [
        torch.nn.Parameter(torch.ones(3, dtype=kind))
        for kind in (torch.float32, torch.float64)
    ]
    optimiser = Adam(weights, lr=0.1, fused=True)
    for _ in range(3):
        for weight in weights:
            weight.grad = torch.ones_like(weight)
        optimiser.advance()
    assert weights[1][0].item() == pytest.approx(0.7, abs=1e-6)
    assert weights[0][0].item() == pytest.approx(0.7, abs=1e-6)


def test_what_adam_remembers_is_what_torch_remembers():
    ways = []
    for kind, step in ((torch.optim.Adam, torch.optim.Adam.step), (Adam, Adam.advance)):
        weights = [torch.nn.Parameter(torch.ones(size)) for size in ((2, 3), (3,))]
        optimiser = kind(weights, lr=0.1, weight_decay=0.01, fused=True)
        for number in range(3):
            for weight in weights:
                weight.grad = weight.detach() - number
            step(optimiser)
        ways.append(optimiser.state_dict())
    theirs, ours = ways
    assert ours["param_groups"] == theirs["param_groups"]
    for number, state in theirs["state"].items():
        assert list(state) == list(ours["state"][number])
        for name, value in state.items():
            same = ours["state"][number][name]
            assert same.dtype == value.dtype
            assert torch.equal(same, value)


@pytest.mark.thorough
def test_training_does_not_load_the_compiler():
    script = """
        import sys, torch
        from caveat.training import mlp, train
        x = torch.ones(8, 1)
        train(mlp(1, [2], 1), lambda m, b: m(b["x"]).mean(), {"x": x}, steps=2)
        print("torch._dynamo" in sys.modules)
        """
    words = [sys.executable, "-c", textwrap.dedent(script)]
    made = subprocess.run(words, capture_output=True, text=True, check=True)
    assert made.stdout == "False\n"
