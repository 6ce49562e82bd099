"""Passes that are written out against autograd."""

import pytest
import torch
from torch import nn

from caveat.exceptions import InvalidInput
from caveat.training import Diverged, Objective, adam, mlp, train
from caveat.training._dense import DenseChain
from caveat.training._optimisers import Adam


def rows(count, columns, seed=0):
    return torch.randn(count, columns, generator=torch.Generator().manual_seed(seed))


def gradients(network):
    return [weight.grad.clone() for weight in network.parameters()]


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("hidden", [[], [7], [9, 5], [4, 6, 3]], ids=str)
@pytest.mark.parametrize("kind", [torch.float32, torch.float64], ids=str)
def test_outputs_and_gradients_are_those_of_autograd(hidden, activation, kind):
    network = mlp(6, hidden, 3, activation=activation, seed=1).to(kind)
    x, slope = rows(20, 6).to(kind), rows(20, 3, seed=1).to(kind)
    network(x).backward(slope)
    wanted = gradients(network)
    network.zero_grad()
    chain = DenseChain.of(network)
    answer = chain.forward(x)
    chain.backward(answer, slope)
    torch.testing.assert_close(answer.z, network(x).detach(), rtol=1e-6, atol=1e-7)
    for found, known in zip(gradients(network), wanted, strict=True):
        torch.testing.assert_close(found, known, rtol=1e-6, atol=1e-6)


def plain(answer, run, batch):
    return nn.functional.cross_entropy(answer(batch["x"]), batch["y"])


def penalised(answer, run, batch):
    penalty = run.module[0].weight.square().sum()
    return plain(answer, run, batch) + 0.1 * penalty


def of_two_views(answer, run, batch):
    other = answer(-batch["x"])
    return plain(answer, run, batch) + other.square().mean()


class Case(Objective):
    """A loss; the network's passes are written out, or left to autograd."""

    def __init__(self, formula, written_out):
        self.formula = formula
        self.written_out = written_out

    def answering(self, run):
        return run.forward if self.written_out else run.module

    def loss(self, run, batch):
        return self.formula(self.answering(run), run, batch)


class Known(Case):
    """The derivative of the loss by the logits is given."""

    def step(self, run, batch):
        z = self.answering(run)(batch["x"])
        p = z.detach().softmax(1)
        slope = (p - nn.functional.one_hot(batch["y"], 3)) / len(batch)
        loss = nn.functional.cross_entropy(z.detach(), batch["y"])
        return run.follow(z, loss, slope)


def trained(objective, network=None, **settings):
    x = rows(40, 5)
    data = {"x": x, "y": (x[:, 0] > 0).long() + (x[:, 1] > 0).long()}
    network = network or mlp(5, [8], 3, seed=0)
    how = {"steps": 25, "batch_size": 16, "optimiser": adam(0.01), **settings}
    training = train(network, objective, data, **how)
    return training.losses, [weight.detach() for weight in network.parameters()]


@pytest.mark.parametrize("kind", [Case, Known], ids=["loss", "slope"])
@pytest.mark.parametrize("formula", [plain, penalised, of_two_views])
@pytest.mark.parametrize("clip", [None, 0.1])
def test_a_run_ends_where_autograd_ends(formula, kind, clip):
    wanted = trained(kind(formula, written_out=False), clip=clip)
    found = trained(kind(formula, written_out=True), clip=clip)
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-6)


def test_the_slope_and_the_loss_lead_to_the_same_weights():
    by_loss, by_slope = (
        trained(kind(plain, written_out=True)) for kind in (Case, Known)
    )
    torch.testing.assert_close(by_slope, by_loss, rtol=1e-4, atol=1e-5)


class Own(nn.Sequential):
    """A class of somebody's, which may do anything."""


def hooked():
    network = mlp(5, [8], 3, seed=0)
    network[1].register_forward_hook(lambda part, given, out: 2 * out)
    return network


def frozen():
    network = mlp(5, [8], 3, seed=0)
    network[0].weight.requires_grad_(False)
    return network


OTHERS = {
    "dropout": lambda: mlp(5, [8], 3, dropout=0.5, seed=0),
    "another activation": lambda: mlp(5, [8], 3, activation="gelu", seed=0),
    "one layer by itself": lambda: nn.Linear(5, 3),
    "no bias": lambda: nn.Sequential(nn.Linear(5, 3, bias=False)),
    "an activation last": lambda: nn.Sequential(nn.Linear(5, 3), nn.ReLU()),
    "a subclass": lambda: Own(nn.Linear(5, 3)),
    "nothing": nn.Sequential,
    "hooks": hooked,
    "frozen weights": frozen,
    "another device": lambda: mlp(5, [8], 3).to("meta"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_every_other_network_is_left_to_autograd(name):
    assert DenseChain.of(OTHERS[name]()) is None


def test_a_hook_on_a_layer_is_heeded():
    wanted = trained(Case(plain, written_out=False), hooked())
    assert trained(Case(plain, written_out=True), hooked())[0] == wanted[0]


def test_frozen_weights_stay():
    before = frozen()[0].weight
    _, weights = trained(Case(plain, written_out=True), frozen())
    torch.testing.assert_close(weights[0], before.detach())


def test_an_answer_from_before_an_update_is_not_followed():
    class Late(Objective):
        def step(self, run, batch):
            first, second = run.forward(batch["x"]), run.forward(batch["x"])
            run.descend(first.square().mean())
            return run.descend(second.square().mean())

    with pytest.raises(InvalidInput, match=r"call run\.forward again"):
        trained(Late())


def test_answers_that_no_loss_uses_are_forgotten():
    held = []

    class Unused(Objective):
        def loss(self, run, batch):
            run.forward(batch["x"])
            held.append(len(run.answers))
            return run.forward(batch["x"]).square().mean()

    trained(Unused(), steps=4)
    assert held == [1, 1, 1, 1]


@pytest.mark.parametrize("kind", [Case, Known], ids=["loss", "slope"])
def test_a_run_that_diverges_says_so(kind):
    network = mlp(5, [8], 3, seed=0)
    with torch.no_grad():
        network[0].weight[0, 0] = float("nan")
    with pytest.raises(Diverged, match="the loss is nan after 0 updates"):
        trained(kind(plain, written_out=True), network)


def steps_of(optimiser, weights, step, count, seed=0):
    """Make updates along drawn gradients; every third one leaves a weight out."""
    generator = torch.Generator().manual_seed(seed)
    for number in range(count):
        for weight in weights:
            weight.grad = torch.randn(weight.shape, generator=generator)
        weights[0].grad = None if number % 3 == 2 else weights[0].grad
        step(optimiser)


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_the_short_way_to_step_is_torchs_adam_to_the_last_bit(decay):
    ways = []
    for kind, step in ((torch.optim.Adam, torch.optim.Adam.step), (Adam, Adam.advance)):
        weights = list(mlp(4, [8], 2, seed=0).parameters())
        settings = {"lr": 0.01, "weight_decay": decay, "fused": True}
        first = kind(weights, **settings)
        steps_of(first, weights, step, 7)
        again = kind(weights, **settings)
        again.load_state_dict(first.state_dict())
        again.param_groups[0]["lr"] = 0.001
        steps_of(again, weights, step, 5, seed=1)
        ways.append([weight.detach() for weight in weights])
    torch.testing.assert_close(ways[1], ways[0], rtol=0, atol=0)
