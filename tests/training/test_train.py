"""The loop against plain loops, formulas and itself."""

from __future__ import annotations

import copy
from itertools import chain

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from caveat.exceptions import InvalidInput, UnknownName
from caveat.training import (
    Best,
    Diverged,
    Objective,
    Shuffled,
    adam,
    adamw,
    mlp,
    output_shape,
    outputs,
    rmsprop,
    seeded,
    sgd,
    suggest_batch_size,
    train,
)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 4))
    return {"x": x, "y": (x[:, 0] + x[:, 1] > 0).astype(int)}


def classify(module, batch):
    return cross_entropy(module(batch["x"]), batch["y"])


class BatchOrder(Objective):
    """Writes down which rows it saw."""

    def begin(self, run):
        self.seen = []
        self.epochs = []

    def loss(self, run, batch):
        return run.module(batch["x"]).square().mean()

    def after_step(self, run, batch):
        self.seen.append(batch.rows.tolist())

    def after_epoch(self, run):
        self.epochs.append(run.updates)


def test_losses_and_weights_are_those_of_a_plain_loop(table):
    ours, theirs = mlp(4, [8], 2, seed=0), mlp(4, [8], 2, seed=0)
    order = BatchOrder()
    train(mlp(4, [8], 2), order, table, epochs=3, batch_size=16, seed=5)

    training = train(ours, classify, table, epochs=3, batch_size=16, seed=5)

    x = torch.tensor(table["x"], dtype=torch.float32)
    y = torch.tensor(table["y"])
    optimiser = torch.optim.Adam(theirs.parameters(), lr=1e-3, fused=True)
    losses = []
    for rows in order.seen:
        optimiser.zero_grad()
        loss = cross_entropy(theirs(x[rows]), y[rows])
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    # The same steps in single precision; another order of rows differs by far more.
    assert training.losses == pytest.approx(losses, rel=1e-5)
    for mine, plain in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(mine, plain, rtol=1e-5, atol=1e-6)


def test_full_batches_of_gradient_descent_follow_the_formula():
    x = np.array([[1.0], [2.0], [3.0]])
    y = np.array([2.0, 4.0, 7.0])
    module = mlp(1, [], 1, seed=0)
    slope, shift = (w.item() for w in module.parameters())

    train(
        module,
        lambda net, batch: (net(batch["x"])[:, 0] - batch["y"]).square().mean(),
        {"x": x, "y": y},
        steps=5,
        batch_size=3,
        optimiser=sgd(lr=0.05),
    )

    for _ in range(5):
        error = slope * x[:, 0] + shift - y
        slope -= 0.05 * 2 * (error * x[:, 0]).mean()
        shift -= 0.05 * 2 * error.mean()
    np.testing.assert_allclose([w.item() for w in module.parameters()], [slope, shift])


@pytest.mark.parametrize("recipe", [adam(), adamw(), sgd(0.1, momentum=0.9), rmsprop()])
def test_the_fused_form_agrees_with_the_plain_one(recipe, table):
    fast, plain = mlp(4, [8], 2, seed=0), mlp(4, [8], 2, seed=0)
    settings = {
        name: value
        for name, value in recipe(mlp(1, [], 1).parameters()).defaults.items()
        if name in ("lr", "momentum", "betas", "eps", "weight_decay", "alpha")
    }
    kind = type(recipe(mlp(1, [], 1).parameters()))

    train(fast, classify, table, steps=20, optimiser=recipe)
    train(
        plain,
        classify,
        table,
        steps=20,
        optimiser=lambda weights: kind(weights, foreach=False, **settings),
    )

    for a, b in zip(fast.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-6)


def test_same_seed_same_weights_another_seed_others(table):
    def weights(seed):
        module = mlp(4, [8], 2, dropout=0.5, seed=0)
        train(module, classify, table, steps=10, batch_size=8, seed=seed)
        return torch.cat([w.ravel() for w in module.parameters()])

    assert torch.equal(weights(1), weights(1))
    assert not torch.equal(weights(1), weights(2))


def test_global_generator_and_threads_are_left_alone(table):
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    numbers = np.random.get_state()[1].copy()  # noqa: NPY002

    train(mlp(4, [8], 2, dropout=0.1, seed=0), classify, table, steps=3)

    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_num_threads() == threads
    assert (np.random.get_state()[1] == numbers).all()  # noqa: NPY002


def test_global_state_comes_back_after_an_error_too(table):
    state, threads = torch.get_rng_state(), torch.get_num_threads()

    def fail(module, batch):
        torch.rand(3)
        raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        train(mlp(4, [], 2, seed=0), fail, table, steps=3, threads=3)
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_num_threads() == threads


def test_every_epoch_sees_every_row_once_in_another_order(table):
    order = BatchOrder()
    train(mlp(4, [], 1, seed=0), order, table, epochs=2, batch_size=16)
    first, second = order.seen[:4], order.seen[4:]
    assert [len(rows) for rows in first] == [16, 16, 16, 2]
    assert sorted(chain.from_iterable(first)) == list(range(50))
    assert sorted(chain.from_iterable(second)) == list(range(50))
    assert first != second
    assert order.epochs == [4, 8]


def test_the_last_incomplete_batch_can_be_left_out(table):
    order = BatchOrder()
    training = train(
        mlp(4, [], 1, seed=0), order, table, steps=7, batch_size=16, drop_last=True
    )
    assert [len(rows) for rows in order.seen] == [16] * 7
    assert (training.updates, training.epochs) == (7, 2)


def test_a_batch_is_at_most_all_rows(table):
    order = BatchOrder()
    train(mlp(4, [], 1), order, table, steps=2, batch_size=128, drop_last=True)
    assert [len(rows) for rows in order.seen] == [50, 50]


def test_a_sampler_of_ones_own_decides_the_batches(table):
    class OneBagAtATime:
        bags = torch.arange(50) % 3

        def __len__(self):
            return 3

        def epoch(self, generator):
            bags = torch.randperm(3, generator=generator).tolist()
            return [torch.nonzero(self.bags == bag)[:, 0] for bag in bags]

    order = BatchOrder()
    train(mlp(4, [], 1), order, table, epochs=2, sampler=OneBagAtATime())
    assert all(len({row % 3 for row in rows}) == 1 for rows in order.seen)
    assert sorted(rows[0] for rows in order.seen[:3]) == [0, 1, 2]


def test_an_epoch_without_batches_is_refused(table):
    class Nothing:
        def __len__(self):
            return 1

        def epoch(self, generator):
            return []

    with pytest.raises(InvalidInput, match="no batch"):
        train(mlp(4, [], 2), classify, table, epochs=1, sampler=Nothing())


def test_checkpoints_come_when_asked_for_and_at_the_end(table):
    def updates(**budget):
        training = train(
            mlp(4, [], 2, seed=0),
            classify,
            table,
            batch_size=10,
            evaluate=lambda run: {"seen": run.updates},
            **budget,
        )
        return [row["updates"] for row in training.checkpoints]

    assert updates(steps=7, checkpoints=3) == [3, 6, 7]
    assert updates(steps=12, checkpoints=[1, 11]) == [1, 11, 12]
    assert updates(steps=20) == list(range(2, 21, 2))
    assert updates(epochs=3) == [5, 10, 15]
    assert updates(epochs=3, checkpoints=2) == [10, 15]
    assert updates(epochs=4, checkpoints={1, 3}) == [5, 15, 20]


def test_a_checkpoint_holds_the_mean_loss_since_the_one_before(table):
    training = train(
        mlp(4, [], 2, seed=0),
        classify,
        table,
        steps=6,
        batch_size=10,
        checkpoints=4,
        evaluate=lambda run: {},
    )
    first, second = training.checkpoints
    assert first["loss"] == pytest.approx(np.mean(training.losses[:4]))
    assert second["loss"] == pytest.approx(np.mean(training.losses[4:]))
    assert "epoch" in first


def test_evaluation_happens_without_dropout_and_gradients(table):
    module = mlp(4, [8], 2, dropout=0.5, seed=0)
    modes = []

    def evaluate(run):
        modes.append((run.module.training, torch.is_grad_enabled()))
        return {}

    train(module, classify, table, epochs=2, evaluate=evaluate)
    assert modes == [(False, False)] * 2
    assert not module.training


def scripted(values):
    """Scores that come in a given order, whatever the module does."""
    remaining = iter(values)
    return lambda run: {"score": next(remaining)}


def test_patience_ends_a_run_and_the_best_weights_come_back(table):
    kept = []

    def evaluate(run):
        kept.append(copy.deepcopy(run.module.state_dict()))
        return {"score": [3.0, 1.0, 2.0, 2.0, 9.0][len(kept) - 1]}

    module = mlp(4, [], 2, seed=0)
    training = train(
        module,
        classify,
        table,
        epochs=9,
        evaluate=evaluate,
        best=Best("score", patience=2),
    )
    assert (training.stopped, training.epochs, training.best) == ("patience", 4, 1)
    for name, weight in module.state_dict().items():
        assert torch.equal(weight, kept[1][name])


@pytest.mark.parametrize(
    ("rule", "scores", "best", "epochs"),
    [
        (Best("score", "max"), [1, 3, 2, 3], 1, 4),
        (Best("score", "min"), [float("nan"), 2, 2, 1], 3, 4),
        (Best("score", patience=1), [1.0, 1.0, 0.5, 0.1], 0, 2),
        (Best("score", patience=2, tolerance=0.1), [1, 0.95, 0.91, 0], 0, 3),
        (Best("score", patience=2, tolerance=0.1), [1, 0.95, 0.89, 0.88], 2, 4),
    ],
)
def test_only_a_better_score_is_better(rule, scores, best, epochs, table):
    training = train(
        mlp(4, [], 2, seed=0),
        classify,
        table,
        epochs=4,
        evaluate=scripted(scores),
        best=rule,
    )
    assert (training.best, training.epochs) == (best, epochs)


def test_training_loss_can_be_the_criterion(table):
    training = train(
        mlp(4, [8], 2, seed=0),
        classify,
        table,
        epochs=30,
        optimiser=sgd(lr=1e-9),
        best=Best("loss", patience=3, tolerance=1e-3, restore=False),
    )
    assert (training.stopped, training.best, training.epochs) == ("patience", 0, 4)


def test_a_criterion_that_is_not_evaluated_is_named(table):
    with pytest.raises(UnknownName, match=r"'score'.*'loss'"):
        train(mlp(4, [], 2), classify, table, epochs=1, best=Best("score"))


def test_an_objective_can_stop_the_run(table):
    class Impatient(BatchOrder):
        def after_epoch(self, run):
            run.stop()

    training = train(mlp(4, [], 1), Impatient(), table, epochs=9, batch_size=25)
    assert (training.stopped, training.updates) == ("objective", 2)


def test_a_loss_that_is_not_finite_names_the_step(table):
    class Explodes(BatchOrder):
        def loss(self, run, batch):
            return super().loss(run, batch) / (1 - run.updates // 3)

    with pytest.raises(Diverged, match="the loss is inf after 3 updates") as caught:
        train(mlp(4, [], 1, seed=0), Explodes(), table, steps=9)
    assert caught.value.step == 3


def test_a_weight_that_is_not_finite_is_found_even_in_the_last_step(table):
    class InfiniteSlope(Objective):
        def loss(self, run, batch):
            return torch.sqrt(run.module(batch["x"]).sum() * 0.0)

    with pytest.raises(Diverged, match="is not finite after 1 update"):
        train(mlp(4, [], 1, seed=0), InfiniteSlope(), table, steps=1)


def test_long_gradients_are_clipped(table):
    before = mlp(4, [], 1, seed=0)
    after = copy.deepcopy(before)
    train(
        after,
        lambda net, batch: 1e3 * net(batch["x"]).sum(),
        table,
        steps=1,
        optimiser=sgd(lr=1.0),
        clip=0.5,
    )
    pairs = zip(before.parameters(), after.parameters(), strict=True)
    moved = torch.cat([(a - b).ravel() for a, b in pairs])
    assert moved.norm().item() == pytest.approx(0.5, rel=1e-4)


def test_a_schedule_steps_every_epoch(table):
    rates = []
    train(
        mlp(4, [], 2, seed=0),
        classify,
        table,
        epochs=3,
        batch_size=10,
        optimiser=sgd(lr=1.0),
        schedule=lambda made: torch.optim.lr_scheduler.StepLR(made, 1, gamma=0.5),
        evaluate=lambda run: rates.append(run.optimiser.param_groups[0]["lr"]) or {},
    )
    assert rates == [0.5, 0.25, 0.125]


def test_several_networks_have_an_optimiser_each(table):
    class Two(Objective):
        def begin(self, run):
            self.other = mlp(4, [], 1, seed=1)
            self.optimiser = sgd(lr=0.1)(self.other.parameters())

        def step(self, run, batch):
            first = run.descend(run.module(batch["x"]).square().mean())
            second = self.other(batch["x"]).square().mean()
            return first + run.descend(second, self.optimiser)

    both = Two()
    training = train(mlp(4, [], 1, seed=0), both, table, epochs=60, optimiser=sgd(0.1))
    assert training.losses[-1] < 0.01 * training.losses[0]


def test_an_optimiser_of_ones_own_goes_on_where_it_was(table):
    module = mlp(4, [8], 2, seed=0)
    optimiser = adam()(module.parameters())
    train(module, classify, table, steps=3, optimiser=optimiser)
    train(module, classify, table, steps=4, optimiser=optimiser)
    assert optimiser.state_dict()["state"][0]["step"] == 7


def test_progress_is_told(table):
    told = []
    train(
        mlp(4, [], 2),
        classify,
        table,
        epochs=2,
        batch_size=25,
        progress=lambda done, total: told.append((done, total)),
    )
    assert told == [(2, 4), (4, 4)]


def test_share_runs_from_zero_to_one(table):
    shares = []

    class Ramp(BatchOrder):
        def loss(self, run, batch):
            shares.append(run.share)
            return super().loss(run, batch)

    train(mlp(4, [], 1), Ramp(), table, epochs=2, batch_size=25)
    assert shares == [0, 0.25, 0.5, 0.75]


def test_data_become_float32_int64_and_bool(table):
    kinds = {}

    def look(module, batch):
        kinds.update({name: batch[name].dtype for name in batch.tensors})
        assert len(batch) == 50
        return module(batch["x"]).mean()

    data = {
        "x": table["x"],
        "y": table["y"].astype(np.int8),
        "mask": table["y"] == 1,
        "t": torch.zeros(50, dtype=torch.float16),
    }
    train(mlp(4, [], 1), look, data, steps=1)
    assert kinds == {
        "x": torch.float32,
        "y": torch.int64,
        "mask": torch.bool,
        "t": torch.float32,
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"steps": 1, "epochs": 1}, "give one of the two"),
        ({"steps": None}, "give one of the two"),
        ({"steps": 0}, "budget is 0"),
        ({"batch_size": 0}, "batch_size is 0"),
        ({"checkpoints": 0}, "checkpoints is 0"),
        ({"data": {}}, "no data"),
        ({"data": {"x": np.zeros((0, 4))}}, "0 rows"),
        ({"data": {"x": np.zeros((3, 4)), "y": [0, 1]}}, "'x': 3, 'y': 2"),
    ],
)
def test_what_cannot_be_done_is_refused(changes, message, table):
    arguments = {"data": table, "steps": 1, **changes}
    data = arguments.pop("data")
    with pytest.raises(InvalidInput, match=message):
        train(mlp(4, [], 2), classify, data, evaluate=lambda run: {}, **arguments)


def test_a_network_without_weights_is_refused(table):
    with pytest.raises(InvalidInput, match="nothing to train"):
        train(nn.Identity(), classify, table, steps=1)


@pytest.mark.parametrize("wrong", [{"direction": "up"}, {"patience": 0}])
def test_a_rule_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(InvalidInput):
        Best(**wrong)


def test_input_data_are_not_changed(table):
    before = {name: value.copy() for name, value in table.items()}
    train(mlp(4, [8], 2), classify, table, steps=3)
    for name, value in table.items():
        np.testing.assert_array_equal(value, before[name])


def test_read_only_arrays_are_welcome(table):
    table["x"].flags.writeable = False
    train(mlp(4, [], 2), classify, table, steps=1)


def test_mlp_starts_as_pytorch_starts_it():
    with seeded(3):
        first, last = nn.Linear(7, 5), nn.Linear(5, 2)
    module = mlp(7, [5], 2, seed=3)
    assert torch.equal(module[0].weight, first.weight)
    assert torch.equal(module[2].bias, last.bias)
    assert module[0].weight.abs().max() <= 1 / np.sqrt(7)


def test_mlp_has_the_layers_that_were_asked_for():
    names = [type(layer).__name__ for layer in mlp(3, [4, 4], 2, dropout=0.1)]
    assert names == ["Linear", "ReLU", "Dropout"] * 2 + ["Linear"]
    assert type(mlp(3, [4], 2, activation="selu")[1]).__name__ == "SELU"


@pytest.mark.parametrize("wrong", [{"hidden": [0]}, {"dropout": 1.0}])
def test_mlp_refuses_what_makes_no_sense(wrong):
    with pytest.raises(InvalidInput):
        mlp(3, wrong.get("hidden", [4]), 2, dropout=wrong.get("dropout", 0.0))


def test_mlp_names_the_nearest_activation():
    with pytest.raises(UnknownName, match="did you mean 'relu'"):
        mlp(3, [4], 2, activation="rely")


@pytest.mark.parametrize("hidden", [[], [500], [100, 100], [384, 384]])
def test_shapes_are_known_without_computing(hidden):
    module = mlp(108, hidden, 16, dropout=0.1)
    assert output_shape(module, (1000, 108)) == (1000, 16)
    assert next(module.parameters()).device.type == "cpu"


def test_a_network_of_a_billion_weights_is_shaped_at_once():
    with torch.device("meta"):
        module = mlp(40_000, [40_000], 3)
    assert output_shape(module, (8, 40_000)) == (8, 3)


def test_outputs_do_not_depend_on_the_mode_and_come_in_batches():
    module = mlp(3, [8], 2, dropout=0.5, seed=0)
    x = torch.randn(10, 3, generator=torch.Generator().manual_seed(0))
    whole = outputs(module, x)
    assert module.training
    assert not whole.requires_grad
    torch.testing.assert_close(whole, outputs(module, x, batch_size=3))
    assert torch.equal(whole, outputs(module.eval(), x))


def test_suggested_batches_give_small_tables_several_steps():
    assert [suggest_batch_size(n) for n in (1, 128, 129, 734, 4096, 10**6)] == [
        32,
        32,
        64,
        256,
        1024,
        1024,
    ]


def test_a_shuffled_epoch_knows_its_length():
    generator = torch.Generator().manual_seed(0)
    for n_rows, size, drop in [(10, 3, False), (10, 3, True), (2, 9, True)]:
        sampler = Shuffled(n_rows, size, drop_last=drop)
        assert len(sampler.epoch(generator)) == len(sampler)
