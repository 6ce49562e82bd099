"""Partial-label algorithms against plain PyTorch loops of the usual shape.

Run it as ``OMP_NUM_THREADS=1 python benchmarks/bench_candidates.py [FOLDER [NAME]]``.
FOLDER holds lost.mat and italian.mat; without it tables of their shape are made up. The
plain loops use a DataLoader, torch.optim.Adam as it comes, a second forward pass where
the benchmark's code has one, and its tensors (pairs of rows and excluded labels spelt
out, a dense graph). Both sides see the same batches and random numbers and start from
the same weights. Losses must agree: the first hundred to four digits (Adam's fused
kernel rounds otherwise, and it grows). Both sides take turns. Printed are the least CPU
time of a run, and the tenth percentile of the CPU time of its steps: what a step takes
while nobody else empties the cache. Ratios are of both. What the parts of our step take
is told by torch's profiler, in a run of its own. PRODEN's step is also held against its
bare matrix products: two forth, three back, and two more where it passes twice; they
must give the gradients that autograd gives.
"""

from __future__ import annotations

import copy
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from caveat.candidates._classifier import make_algorithm
from caveat.candidates.learners._fredis import Fredis
from caveat.candidates.learners._valen import Valen
from caveat.training import Objective, adam, mlp, sandbox, train

TURNS = 3
RATE, DECAY, BATCH, SEED = 1e-3, 1e-5, 128, 0
# Both phases of the algorithms that have two are part of a run.
WARM = {"idgp": 1, "valen": 10}
PARTS = {
    "matrix products": ("aten::mm", "aten::addmm", "aten::bmm"),
    "Adam": ("aten::_fused_adam_", "aten::_foreach_addcdiv_", "aten::_foreach_sqrt"),
    "rows": ("aten::index", "aten::index_select", "aten::index_put_"),
    "elementwise": (
        *("aten::relu", "aten::threshold_backward", "aten::_softmax", "aten::mul"),
        *("aten::_log_softmax", "aten::sum", "aten::add", "aten::sub", "aten::div"),
        *("aten::exp", "aten::log", "aten::clamp_min_", "aten::mul_", "aten::sub_"),
    ),
}


class Order(Objective):
    """Finds out which rows the loop takes, and what a second network starts from."""

    def begin(self, run):
        """Forget what was seen."""
        self.rows = []

    def step(self, run, batch):
        """Write the rows down and learn nothing."""
        self.rows.append(batch.rows.tolist())
        return 0.0


class Plain:
    """The usual loop; subclasses are the usual implementations."""

    def __init__(self, network: nn.Module, x: Tensor, S: Tensor) -> None:
        self.network = network
        self.x, self.S = x, S.float()
        self.W = self.S / self.S.sum(1, keepdim=True)
        self.optimiser = torch.optim.Adam(
            network.parameters(), lr=RATE, weight_decay=DECAY
        )
        self.t = 0
        # Loss of a second network, where there is one.
        self.extra = 0.0

    def loss(self, x, S, rows):
        """Give the loss of a batch."""
        raise NotImplementedError

    def after(self, x, S, rows):
        """Do what follows a step."""

    def run(self, batches) -> list[float]:
        """Train."""
        data = TensorDataset(self.x, self.S, torch.arange(len(self.x)))
        self.per_epoch = len(self.x) // BATCH
        # A generator of its own: the loader draws a seed, and must not from torch's.
        loader = DataLoader(data, batch_sampler=batches, generator=torch.Generator())
        losses = []
        with sandbox(SEED):
            self.begin(len(batches))
            for x, S, rows in loader:
                loss = self.loss(x, S, rows)
                self.optimiser.zero_grad()
                loss.backward()
                self.optimiser.step()
                value = loss.item()
                self.after(x, S, rows)
                losses.append(value + self.extra)
                self.t += 1
        return losses

    def begin(self, steps: int) -> None:
        """Set up what a method needs besides."""


class PlainProden(Plain):
    """Cross-entropy against confidences; all rows are normalised at every step."""

    def loss(self, x, S, rows):
        """Weigh the log-probabilities."""
        p = torch.softmax(self.network(x), dim=1)
        return -(self.W[rows] * torch.log(p)).sum(1).mean()

    def after(self, x, S, rows):
        """Make a second pass for new confidences."""
        with torch.no_grad():
            p = torch.softmax(self.network(x), dim=1) * S
            self.W[rows] = p / p.sum(1, keepdim=True)
            self.W = self.W / self.W.sum(1, keepdim=True)


class PlainPop(PlainProden):
    """PRODEN with a memory of confidences and purification."""

    def after(self, x, S, rows):
        """Purify at the first step of an epoch."""
        super().after(x, S, rows)
        if not hasattr(self, "memory"):
            self.memory = torch.zeros(5, *self.W.shape)
            self.theta = 1e-3
        if self.t % self.per_epoch == 0:
            epoch = self.t // self.per_epoch
            self.memory[epoch % 5] = self.W
            if epoch >= 20:
                M = self.memory.mean(0)
                M = M / M.sum(1, keepdim=True)
                kept = (M / M.max(1, keepdim=True).values >= self.theta) * self.S
                changed = (kept != self.S).sum().item()
                self.W = M * kept / (M * kept).sum(1, keepdim=True)
                if self.theta < 0.4 and changed < 1e-4 * kept.numel():
                    self.theta *= 1.001


class PlainCc(Plain):
    """Minus the logarithm of the summed softmax."""

    def loss(self, x, S, rows):
        """Sum the candidates' probabilities."""
        p = torch.softmax(self.network(x), dim=1)
        return -torch.log((p * S).sum(1)).mean()


class PlainIdgp(Plain):
    """Two networks, two default optimisers; products over the sets spelt out."""

    def begin(self, steps: int) -> None:
        """Set the second network up."""
        self.other = copy.deepcopy(self.network)
        for part in self.other:
            if isinstance(part, nn.Linear):
                part.reset_parameters()
        self.adam = torch.optim.Adam(
            self.other.parameters(), lr=RATE, weight_decay=DECAY
        )
        self.G = self.S.clone()
        self.total = steps

    def loss(self, x, S, rows):
        """Give the label network's loss; the other network steps in `after`."""
        z, a = self.network(x), self.other(x)
        p, u = torch.softmax(z, dim=1), torch.sigmoid(a)
        D, G = self.W[rows], self.G[rows]
        loss = -(D * torch.log(p + 1e-12)).sum(1).mean()
        own = G * torch.log(u + 1e-12) + (1 - G) * torch.log(1.0000001 - u)
        self.second_loss = -own.sum(1).mean()
        if self.t > WARM["idgp"] * len(self.x) / len(x):
            weight = min(self.t / (0.2 * self.total), 1.0)
            top = nn.functional.one_hot((D * S).argmax(1), S.shape[1])
            flipped = torch.where(top > 0, 1 - u, u).detach()
            factors = torch.where(S > 0, flipped, torch.ones_like(flipped))
            v = (1 - flipped) / (flipped + 1e-12) * factors.prod(1, keepdim=True) * S
            v = v / (v.sum(1, keepdim=True) + 1e-12)
            r = (p * S / (p * S).sum(1, keepdim=True)).detach()
            kl = torch.xlogy(D, D) - D * torch.log(p)
            loss = loss - (v * torch.log(p + 1e-12)).sum(1).mean()
            loss = loss + weight * kl.sum(1).mean()
            sets = S * torch.log(u + 1e-12) + (1 - S) * torch.log(1.0000001 - u)
            same = torch.xlogy(G, G) - G * torch.log(u)
            truth = (r * torch.log(1.0000001 - u)).sum(1).mean()
            self.second_loss = self.second_loss - truth - sets.sum(1).mean()
            self.second_loss = self.second_loss + weight * same.sum(1).mean()
        self.now = (p.detach(), u.detach())
        return loss

    def after(self, x, S, rows):
        """Step the second network and keep both confidences."""
        self.adam.zero_grad()
        self.second_loss.backward()
        self.adam.step()
        self.extra = self.second_loss.item()
        p, u = self.now
        self.W[rows] = p * S / (p * S).sum(1, keepdim=True)
        self.G[rows] = u * S


class PlainSclNl(Plain):
    """Pairs of a row and an excluded label, with a row of logits for each."""

    def loss(self, x, S, rows):
        """Spell out all pairs."""
        z = self.network(x)
        pairs = (1 - S).nonzero()
        p = torch.softmax(z[pairs[:, 0]], dim=1)
        excluded = p.gather(1, pairs[:, 1:])[:, 0]
        return -torch.log(1 - excluded + 1e-6).mean()


class PlainValen(Plain):
    """Three networks, one default optimiser, and the graph as a dense matrix."""

    neighbours: Tensor

    def begin(self, steps: int) -> None:
        """Start with SGD; the matrix is there before the clock starts."""
        self.adam = self.optimiser
        self.optimiser = torch.optim.SGD(
            self.network.parameters(), lr=RATE, momentum=0.9, weight_decay=DECAY
        )
        self.D = self.W.clone()

    def loss(self, x, S, rows):
        """Identify first, then recover label distributions."""
        if self.t < WARM["valen"]:
            self.p = torch.softmax(self.network(x), dim=1)
            return -(self.W[rows] * torch.log(self.p + 1e-12)).sum(1).mean()
        if self.t == WARM["valen"]:
            self._build()
        self.p = torch.softmax(self.network(x), dim=1)
        a = self.encoder(x)
        e = torch.softmax(a, dim=1)
        O, D = self.W[rows], self.D[rows]  # noqa: E741
        s = e * (O > 0)
        s = s / s.sum(1, keepdim=True).detach() + 0.01
        self.d = torch.distributions.Dirichlet(s).rsample()
        alpha = torch.exp(a / 4).clamp(0.01, 30.0)
        prior = torch.distributions.Dirichlet(torch.ones_like(alpha))
        graph = self.graph[rows][:, rows]
        similar = torch.softmax(torch.sigmoid(self.d @ self.d.T), dim=1)
        both = torch.distributions.Dirichlet(alpha), prior
        return (
            0.01 * nn.functional.mse_loss(self.decoder(self.d), x)
            + 0.01 * nn.functional.binary_cross_entropy_with_logits(self.d, S)
            + nn.functional.mse_loss(similar, graph)
            + torch.distributions.kl_divergence(*both).mean()
            - (O * torch.log(e + 1e-12)).sum(1).mean()
            - (D * torch.log(self.p + 1e-12)).sum(1).mean()
        )

    def _build(self) -> None:
        columns, classes = self.x.shape[1], self.S.shape[1]
        self.encoder = copy.deepcopy(self.network)
        self.decoder = nn.Sequential(
            nn.Linear(classes, columns), nn.ReLU(), nn.Linear(columns, columns)
        )
        for weight in self.decoder.parameters():
            if weight.ndim == 1:
                nn.init.constant_(weight, 0.01)
            else:
                nn.init.xavier_normal_(weight)
        networks = [self.network, self.decoder, self.encoder]
        weights = [weight for part in networks for weight in part.parameters()]
        self.optimiser = torch.optim.Adam(weights, lr=RATE, weight_decay=DECAY)
        self.D = self.W.clone()

    def after(self, x, S, rows):
        """Keep both label distributions."""
        if self.t >= WARM["valen"]:
            d = (self.d.detach() + 1e-12) * S
            self.D[rows] = d / d.sum(1, keepdim=True)
        p = (self.p.detach() + 1e-12) * S
        self.W[rows] = p / p.sum(1, keepdim=True)


class PlainFredis(Plain):
    """PRODEN's confidences, a loss outside the sets, and a slow search."""

    def begin(self, steps: int) -> None:
        """Start from the sets as they are."""
        self.posterior = torch.full_like(self.S, 1 / self.S.shape[1])
        self.sets = self.S.clone()

    def loss(self, x, S, rows):
        """Divergence from the confidences, and entropy outside the sets."""
        p = torch.softmax(self.network(x), dim=1)
        W = self.W[rows]
        kl = torch.xlogy(W, W) - W * torch.log(p)
        outside = torch.log(1.0000001 - p) * (1 - self.sets[rows])
        return 10 * kl.sum(1).mean() - outside.sum(1).mean()

    def after(self, x, S, rows):
        """Make a second pass for new confidences."""
        with torch.no_grad():
            p = torch.softmax(self.network(x), dim=1)
            self.posterior[rows] = p
            kept = p * self.sets[rows]
            self.W[rows] = kept / kept.sum(1, keepdim=True)


CASES: dict[str, tuple[type[Plain], str]] = {
    "proden": (PlainProden, "plench"),
    "pop": (PlainPop, "plench"),
    "cc": (PlainCc, "paper"),
    "scl-nl": (PlainSclNl, "paper"),
    "idgp": (PlainIdgp, "paper"),
    "valen": (PlainValen, "paper"),
    "fredis": (PlainFredis, "paper"),
}


class Watch:
    """Writes down when steps begin."""

    def __init__(self) -> None:
        self.moments: list[float] = []

    def see(self, method: Callable) -> Callable:
        """Watch a method that is called once a step."""

        def watched(*args):
            self.moments.append(time.process_time())
            return method(*args)

        return watched

    @property
    def step(self) -> float:
        """Seconds of a step that was not interrupted."""
        return float(np.percentile(np.diff(self.moments), 10))


def bare(passes: int) -> str:
    """Name the bare products of a step with so many passes."""
    return f"bare matrix products, {5 if passes == 1 else 7} a step"


class Products:
    """The matrix products of a step of a network with one hidden layer, and no more."""

    def __init__(
        self, network: nn.Module, x: Tensor, S: Tensor, steps: int, passes: int
    ) -> None:
        self.first, self.last = (
            part for part in network if isinstance(part, nn.Linear)
        )
        self.steps, self.passes = steps, passes
        self.x = x[:BATCH].clone()
        W = S[:BATCH].float() / S[:BATCH].sum(1, keepdim=True)
        answer = network(self.x)
        loss = -(W * answer.log_softmax(1)).sum(1).mean()
        wanted = torch.autograd.grad(loss, [self.first.weight, self.last.weight])
        self.slope = ((answer.softmax(1) - W) / BATCH).detach()
        self.h = torch.empty(BATCH, self.first.out_features)
        self.z = torch.empty(BATCH, self.last.out_features)
        self.back = torch.empty_like(self.h)
        self.by_first = torch.empty_like(self.first.weight)
        self.by_last = torch.empty_like(self.last.weight)
        # What is timed is the work of a step: with the ReLU, the gradients are right.
        with torch.no_grad():
            self._forth(relu=True)
            torch.mm(self.slope.t(), self.h, out=self.by_last)
            torch.mm(self.slope, self.last.weight, out=self.back)
            self.back *= self.h > 0
            torch.mm(self.back.t(), self.x, out=self.by_first)
        torch.testing.assert_close((self.by_first, self.by_last), wanted)

    def run(self, watch: Watch) -> list[float]:
        """Multiply."""
        with torch.no_grad():
            for _ in range(self.steps):
                watch.moments.append(time.process_time())
                for _ in range(self.passes):
                    self._forth()
                torch.mm(self.slope.t(), self.h, out=self.by_last)
                torch.mm(self.slope, self.last.weight, out=self.back)
                torch.mm(self.back.t(), self.x, out=self.by_first)
        return []

    def _forth(self, *, relu: bool = False) -> None:
        torch.addmm(self.first.bias, self.x, self.first.weight.t(), out=self.h)
        if relu:
            self.h.relu_()
        torch.addmm(self.last.bias, self.h, self.last.weight.t(), out=self.z)


def in_turns(
    sides: dict[str, Callable[[Watch], list[float]]],
) -> tuple[dict[str, tuple[float, float]], dict[str, list[float]]]:
    """Let every side run several times; give its least times, and its losses."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
    losses = {}
    for _ in range(TURNS):
        for name, work in sides.items():
            watch = Watch()
            start = time.process_time()
            losses[name] = work(watch)
            found[name].append((time.process_time() - start, watch.step))
    least = {name: tuple(np.min(times, axis=0)) for name, times in found.items()}
    return least, losses


def measure(name: str, x: Tensor, S: Tensor, steps: int) -> None:
    """Time one algorithm on one table and print a line per way."""
    usual, variant = CASES[name]
    settings = {
        "steps": steps,
        "batch_size": BATCH,
        "drop_last": True,
        "seed": SEED,
        "optimiser": adam(RATE, weight_decay=DECAY),
    }
    order = Order()
    start = mlp(x.shape[1], [500], S.shape[1], seed=1)
    train(copy.deepcopy(start), order, {"x": x, "candidates": S}, **settings)
    graph = neighbours_of(x) if name == "valen" else None

    def ours(watch: Watch, variant: str) -> list[float]:
        params = {"warm_up": WARM[name]} if name in WARM else {}
        algorithm = make_algorithm(name, variant, params=params)
        if isinstance(algorithm, Valen):
            algorithm._neighbours = lambda run: graph
        algorithm.step = watch.see(algorithm.step)
        data = {"x": x, "candidates": S}
        return train(copy.deepcopy(start), algorithm, data, **settings).losses

    dense = None if graph is None else densified(graph)

    def theirs(watch: Watch) -> list[float]:
        loop = usual(copy.deepcopy(start), x, S)
        loop.loss = watch.see(loop.loss)
        if isinstance(loop, PlainValen):
            loop.graph = dense
        return loop.run(order.rows)

    same = f"caveat, {variant} (equal losses)"
    sides = {"usual loop": theirs, same: lambda watch: ours(watch, variant)}
    if variant == "plench":
        sides["caveat, paper: no second pass"] = lambda watch: ours(watch, "paper")
    if name == "proden":
        for passes in (1, 2):
            sides[bare(passes)] = Products(start, x, S, steps, passes).run
    seconds, losses = in_turns(sides)
    np.testing.assert_allclose(losses[same][:100], losses["usual loop"][:100], 1e-4)
    spent, step = seconds["usual loop"]
    print(f"{name}, {len(x)} x {x.shape[1]}, {S.shape[1]} classes, {steps} steps")
    for title, (own, each) in seconds.items():
        print(
            f"  {title:<34} {own:6.2f} s  ratio {spent / own:5.2f}"
            f"   a step {1e6 * each:6.0f} µs  ratio {step / each:5.2f}",
            flush=True,
        )
    if name == "proden":
        once = seconds["caveat, paper: no second pass"][1] / seconds[bare(1)][1]
        twice = seconds[same][1] / seconds[bare(2)][1]
        print(f"  our step by its bare products: paper {once:.2f}, plench {twice:.2f}")
    print(f"  of our step: {parts(lambda: ours(Watch(), variant), steps)}", flush=True)


def parts(run: Callable[[], object], steps: int) -> str:
    """Say what the parts of a step take that no loop can do without."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as p:
        run()
    told = []
    for title, names in PARTS.items():
        spent = sum(
            one.self_cpu_time_total for one in p.key_averages() if one.key in names
        )
        told.append(f"{title} {spent / steps:.0f} µs")
    return ", ".join(told)


def neighbours_of(x: Tensor, k: int = 3) -> Tensor:
    """Give every row some others: the search is the same for both sides."""
    generator = torch.Generator().manual_seed(0)
    ahead = torch.randperm(len(x) - 1, generator=generator)[:k] + 1
    return (torch.arange(len(x))[:, None] + ahead) % len(x)


def densified(graph: Tensor) -> Tensor:
    """Spell the row-normalised matrix of a graph out, with self-loops."""
    dense = torch.zeros(len(graph), len(graph))
    dense.scatter_(1, graph, 1.0).fill_diagonal_(1.0)
    return dense.div_(graph.shape[1] + 1)


def one_change() -> None:
    """Time one change of the sets of FREDIS against the threshold's linear search."""
    generator = torch.Generator().manual_seed(0)
    posterior = torch.rand(1122, 16, generator=generator).mul(8).softmax(1)
    S = torch.rand(1122, 16, generator=generator) < 0.3
    S[:, 0] = True
    needed = 400

    def sorted_out() -> int:
        fredis = Fredis()
        fredis.S, fredis.posterior, fredis.delta = S, posterior, 1.0
        gaps = posterior.amax(1, keepdim=True) - posterior
        return int(fredis._leaving(gaps, needed).sum())

    def searched() -> int:
        gaps = posterior.amax(1, keepdim=True) - posterior
        best = posterior.masked_fill(~S, -1.0).argmax(1, keepdim=True)
        free = S.scatter(1, best, False)
        delta = 1.0
        while int((free & (gaps > delta)).sum()) < needed:
            delta -= 1e-5
        return int((free & (gaps > delta)).sum())

    clocked = {}
    for title, work in (("linear search", searched), ("sorting", sorted_out)):
        start = time.process_time()
        clocked[title] = work(), time.process_time() - start
    (first, slow), (second, quick) = clocked.values()
    assert first == second == needed
    print(
        f"fredis, one change of the sets of 1122 x 16, {needed} labels leave: "
        f"{1e3 * slow:.0f} ms by linear search in steps of 1e-5, "
        f"{1e3 * quick:.1f} ms by sorting"
    )


def tables(folder: Path | None) -> list[tuple[str, Tensor, Tensor, int]]:
    """Give the two tables, or made-up ones of their shape."""
    found = []
    shapes = [("lost", 1122, 108, 16, 300), ("italian", 21878, 519, 90, 60)]
    for name, rows, columns, classes, steps in shapes:
        if folder is not None:
            from caveat.datasets import read

            dataset = read(folder / f"{name}.mat")
            values, S = dataset.X.to_numpy(dtype=float), dataset.candidates
        else:
            rng = np.random.default_rng(0)
            values = rng.normal(size=(rows, columns))
            S = rng.random((rows, classes)) < 1.5 / classes
            S[np.arange(rows), rng.integers(0, classes, rows)] = True
        values = (values - values.mean(0)) / (values.std(0) + 1e-6)
        x = torch.tensor(values, dtype=torch.float32)
        found.append((name, x, torch.tensor(np.array(S)), steps))
    return found


def memory() -> None:
    """Print what the algorithms keep for 50,000 items and 100 classes."""
    S = torch.rand(50_000, 100) < 0.05
    S[:, 0] = True
    data = {"x": torch.zeros(50_000, 2), "candidates": S}
    print("kept for 50,000 items x 100 classes, besides 5 MB of candidates:")
    for name in ("proden", "pop", "lws", "idgp", "valen", "fredis", "cc"):
        algorithm = make_algorithm(name)
        train(mlp(2, [4], 100), algorithm, data, steps=1, batch_size=8)
        kept = [getattr(algorithm, part) for part in algorithm.kept]
        size = sum(part.nbytes for part in kept if isinstance(part, Tensor))
        print(f"  {name:<8} {size / 1e6:6.0f} MB")


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, Python {platform.python_version()}, one thread")
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    only = sys.argv[2:]
    for _, x, S, steps in tables(where):
        for name in only or CASES:
            measure(name, x, S, steps)
    one_change()
    memory()
