"""Learning from bags: a grid of configurations, one fit, many items.

    OMP_NUM_THREADS=1 python benchmarks/bench_bags.py           all, minutes
    OMP_NUM_THREADS=1 python benchmarks/bench_bags.py grid      only this
    OMP_NUM_THREADS=1 python benchmarks/bench_bags.py memory    a million items
    OMP_NUM_THREADS=1 python benchmarks/bench_bags.py amm CHECKOUT
    OMP_NUM_THREADS=1 python benchmarks/bench_bags.py vat [STEPS]

**grid**: 36 configurations of the Laplacian mean map on two splits of 36,631 x 179
items (one-hot columns and numbers as in Adult, scaled to [-1, 1]) and on all of them,
against a plain loop of the same dense fits. Five times; the criteria and coefficients
of both sides, as they were timed, are asserted to be equal, and every run to be at
least 20 times as fast.
**amm CHECKOUT**: a search of the alternating mean map, 36 configurations, here and in
another checkout of this project; coefficients are asserted to be equal, and the median
of five runs to be no slower than there (5 % are noise).
**vat [STEPS]**: a search of LLP-VAT, nine configurations on two splits and on all of
36,631 x 179 items, against one fit after another by a plain loop with autograd and
torch's Adam: the same networks, batches and directions. Losses of the networks on all
items are asserted to be equal over the first 20 steps (rounding grows after that),
criteria to differ by no more than .05. 200 steps unless told; the registered learner
makes 2,000, and costs ten times as much on both sides.
**linear**: what twice and four times as many items cost, in units of once.
**variant**: which variant 1,500 items in 14 groups are, per call; asserted to be found.
**memory**: peak memory of fits to 1,000,000 x 200 items, dense and sparse.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import json
import math
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numba
import numpy as np
import scipy
import sklearn
import torch
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

import caveat
from caveat.bags import (
    LLPVAT,
    AlternatingMeanMap,
    BagForwardCorrection,
    DLLPClassifier,
    EMLogisticRegression,
    InverseCalibration,
    LaplacianMeanMap,
    MeanMap,
    SplitBagShuffle,
    bag_proportions,
    identify_variant,
    make_bags,
    search,
)
from caveat.bags.criteria import bag_l1
from caveat.bags.learners._bag_batches import BagBatches
from caveat.bags.losses import consistency, proportion_cross_entropy
from caveat.training import mlp, sandbox

GRID = {"lam": [0, 1, 10, 100], "gamma": [0.01, 0.1, 1.0], "sigma": [0.25, 0.5, 1.0]}
LEVELS = (74, 9, 16, 7, 15, 6, 5, 42)


def items_like_adult(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Eight one-hot blocks and five numbers, scaled to [-1, 1]; labels follow some."""
    rng = np.random.default_rng(seed)
    blocks, score = [], np.full(n, -1.6)
    for levels in LEVELS:
        shares = rng.dirichlet(np.full(levels, 0.4))
        level = rng.choice(levels, size=n, p=shares)
        blocks.append(np.eye(levels)[level])
        score += 0.8 * rng.normal(size=levels)[level]
    rare = np.where(rng.random((n, 2)) < 0.06, rng.random((n, 2)), 0.0)
    numbers = [
        rng.random(n),
        rng.integers(0, 2, n),
        *rare.T,
        rng.integers(0, 60, n) / 60,
    ]
    score += 2.0 * rare.sum(axis=1) + numbers[4]
    y = (rng.random(n) < 1 / (1 + np.exp(-score))).astype(int)
    return 2.0 * np.column_stack([*numbers, *blocks]) - 1.0, y


def problem(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Items, labels, bags of the Simple variant and their proportions."""
    X, y = items_like_adult(n)
    bags = make_bags(
        None, y, variant="simple", n_bags=5, proportions="close-global", random_state=0
    ).assignment
    return X, y, bags, bag_proportions(y, bags)


def plain_fit(
    X: np.ndarray,
    bags: np.ndarray,
    p: np.ndarray,
    lam: float,
    gamma: float,
    sigma: float,
) -> np.ndarray:
    """One Laplacian mean map as one would write it down: dense, alone, from zero."""
    n, d = X.shape
    L = len(p)
    sizes = np.bincount(bags, minlength=L)
    means = np.array([X[bags == bag].mean(axis=0) for bag in range(L)])
    alike = np.exp(-np.linalg.norm(means[:, None] - means[None], axis=2) / sigma)
    np.fill_diagonal(alike, 0.0)
    laplacian = np.diag(alike.sum(axis=1)) - alike
    Pi = np.hstack([np.diag(p), np.diag(1 - p)])
    V = np.linalg.solve(Pi.T @ Pi + gamma * np.kron(np.eye(2), laplacian), Pi.T @ means)
    q = sizes @ p / n
    a, c = sizes * p / (sizes @ p), sizes * (1 - p) / (sizes @ (1 - p))
    linear = n * (q * a @ V[:L] - (1 - q) * c @ V[L:])
    # Without a penalty: the smallest for which the minimum is well defined.
    ridge = max(lam, 1e-6 * n * float((X * X).mean()))

    def evaluate(w: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        z = X @ w
        value = np.logaddexp(z, -z).sum() - linear @ w + 0.5 * ridge * w @ w
        tanh = np.tanh(z)
        return float(value), X.T @ tanh - linear + ridge * w, 1.0 - tanh * tanh

    w = np.zeros(d)
    value, gradient, curvature = evaluate(w)
    for _ in range(500):
        hessian = X.T @ (curvature[:, None] * X) + ridge * np.eye(d)
        step = cho_solve(cho_factor(hessian), gradient)
        decrement, size = float(gradient @ step), 1.0
        noise = 1e-12 * max(1.0, abs(value))
        while True:
            found = evaluate(w - size * step)
            if found[0] <= value - 1e-4 * size * decrement + 1e-3 * noise:
                break
            size *= 0.5
        w = w - size * step
        value, gradient, curvature = found
        if decrement <= noise:
            break
    return w


def bench_grid(n: int = 36_631, runs: int = 5) -> None:
    """36 configurations on two splits and on all items, together and one by one."""
    X, _, bags, shares = problem(n)
    warm = slice(0, 2000)
    strategy = {"strategies": ["split-bag-shuffle"], "n_splits": 2, "random_state": 0}
    learner = LaplacianMeanMap(fit_intercept=False)
    search(learner, {"lam": [1]}, X[warm], bags[warm], shares, **strategy)
    splitter = SplitBagShuffle(2, random_state=0)
    splits = list(splitter.split(None, None, bags, shares))
    say("grid", f"{n:,} x {X.shape[1]}, 36 configurations on two splits and on all")
    for run in range(runs):
        begin = time.process_time()
        found = search(learner, GRID, X, bags, shares, **strategy)
        together = time.process_time() - begin
        begin = time.process_time()
        plain = []
        for params in found.configurations:
            gaps = []
            for train, held in splits:
                w = plain_fit(X[train], bags[train], shares[:, 1], **params)
                answers = (X[held] @ w >= 0).astype(int)
                gaps.append(bag_l1(answers, bags[held], shares))
            whole = plain_fit(X, bags, shares[:, 1], **params)
            plain.append((np.mean(gaps), whole))
        alone = time.process_time() - begin
        worst = 0.0
        # What was timed is compared: mean criteria of the splits, models of all.
        table = found.table["split-bag-shuffle"]
        for ours, model, (criterion, w) in zip(table, found.models, plain, strict=True):
            assert abs(ours - criterion) < 1e-3, (ours, criterion)
            worst = max(worst, np.abs(model.coef_[0] - w).max() / np.abs(w).max())
        assert worst < 1e-4, worst
        assert alone >= 20 * together, (alone, together)
        say(
            f"  run {run + 1} of {runs}",
            f"together {together:.1f} s, one by one {alone:.1f} s, "
            f"{alone / together:.1f} times as long; coefficients equal to {worst:.1e}",
        )


def bench_amm(before: str, runs: int = 5) -> None:
    """Search the alternating mean map here and in another checkout."""
    folders = {"here": str(Path(__file__).parents[1]), "before": before}
    ratios = []
    for run in range(runs):
        told = {}
        for name, folder in folders.items():
            out = subprocess.run(
                [sys.executable, __file__, "one-amm"],
                env={**os.environ, "PYTHONPATH": str(Path(folder) / "src")},
                capture_output=True,
                text=True,
                check=True,
            )
            told[name] = json.loads(out.stdout)
            assert told[name]["from"].startswith(str(Path(folder).resolve()))
        here, old = (np.array(told[name]["coef"]) for name in folders)
        apart = np.abs(here - old).max() / np.abs(old).max()
        assert apart < 1e-4, apart
        ratios.append(told["here"]["seconds"] / told["before"]["seconds"])
        say(
            f"amm, run {run + 1} of {runs}",
            f"here {told['here']['seconds']:.1f} s, before "
            f"{told['before']['seconds']:.1f} s; coefficients equal to {apart:.1e}",
        )
    assert np.median(ratios) <= 1.05, ratios


def one_amm(n: int = 3000) -> None:
    """Search once and print seconds and coefficients."""
    X, _, bags, shares = problem(n)
    learner = AlternatingMeanMap(fit_intercept=False)
    few = {"strategies": ["split-bag-shuffle"], "n_splits": 2, "random_state": 0}
    search(learner, {"lam": [1]}, X[:500], bags[:500], shares, **few)
    begin = time.process_time()
    found = search(learner, GRID, X, bags, shares, **few)
    seconds = time.process_time() - begin
    coef = [model.coef_[0].tolist() for model in found.models]
    print(json.dumps({"seconds": seconds, "coef": coef, "from": caveat.__file__}))


def plain_vat(
    X: np.ndarray,
    bags: np.ndarray,
    shares: np.ndarray,
    learning_rate: float,
    eps: float,
    steps: int,
    random_state: int,
) -> tuple[torch.nn.Module, list[float]]:
    """One LLP-VAT as one would write it down: autograd, torch's Adam, five passes."""
    seed = int(np.random.RandomState(random_state).randint(2**31))
    x, numbers = torch.tensor(X, dtype=torch.float32), torch.as_tensor(bags)
    known = torch.tensor(shares, dtype=torch.float32)
    network = mlp(X.shape[1], [100, 100], 2, seed=seed)
    optimiser = torch.optim.Adam(network.parameters(), lr=learning_rate, fused=True)
    sampler, losses, batches = BagBatches(bags, 512), [], []
    with sandbox(seed) as generator:
        for step in range(steps):
            batches = batches or list(sampler.epoch(generator))
            rows = batches.pop(0)
            ramp = math.exp(-5 * (1 - min(step / (0.4 * steps), 1)) ** 2)
            optimiser.zero_grad()
            loss = proportion_cross_entropy(network(x[rows]), numbers[rows], known)
            loss = loss + 0.05 * ramp * consistency(network, x[rows], eps=eps)
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
    return network.eval(), losses


def bench_vat(n: int = 36_631, steps: int = 200) -> None:
    """Nine configurations of LLP-VAT on two splits and on all items."""
    X, _, bags, shares = problem(n)
    grid = {"learning_rate": [1e-2, 1e-3, 1e-4], "eps": [0.25, 0.5, 1.0]}
    strategy = {"strategies": ["split-bag-shuffle"], "n_splits": 2, "random_state": 0}
    learner = LLPVAT(n_steps=steps, random_state=0)
    # Compile, or load what was compiled.
    warm = LLPVAT(n_steps=2, random_state=0)
    search(warm, {"eps": [1.0]}, X, bags, shares, **strategy)
    begin = time.process_time()
    found = search(learner, grid, X, bags, shares, **strategy)
    together = time.process_time() - begin
    splits = list(SplitBagShuffle(2, random_state=0).split(None, None, bags, shares))
    begin = time.process_time()
    plain = []
    for params in found.configurations:
        gaps = []
        for train, held in splits:
            fitted, _ = plain_vat(
                X[train], bags[train], shares, steps=steps, random_state=0, **params
            )
            with torch.no_grad():
                scores = fitted(torch.tensor(X[held], dtype=torch.float32))
            gaps.append(bag_l1(scores.argmax(dim=1).numpy(), bags[held], shares))
        whole = plain_vat(X, bags, shares, steps=steps, random_state=0, **params)
        plain.append((np.mean(gaps), whole[1]))
    alone = time.process_time() - begin
    worst, apart = 0.0, 0.0
    table = found.table["split-bag-shuffle"]
    for ours, model, (gap, losses) in zip(table, found.models, plain, strict=True):
        early = np.array(model.losses_[:20]) - np.array(losses[:20])
        worst, apart = max(worst, np.abs(early).max()), max(apart, abs(ours - gap))
    assert worst < 1e-4, worst
    assert apart < 0.05, apart
    fits = 3 * len(table)
    say(
        f"vat, {steps} steps",
        f"{n:,} x {X.shape[1]}, {fits} fits: together {together:.1f} s "
        f"({1e3 * together / fits / steps:.2f} ms a step), one by one {alone:.1f} s "
        f"({1e3 * alone / fits / steps:.2f} ms), {alone / together:.1f} times as long; "
        f"losses equal to {worst:.1e}, criteria to {apart:.1e}; torch "
        f"{torch.__version__}",
    )


def bench_linear(sizes: Sequence[int] = (40_000, 80_000, 160_000)) -> None:
    """Cost of n, 2n and 4n items with the same number of passes over them."""
    learners: list[Any] = [
        MeanMap(),
        LaplacianMeanMap(),
        AlternatingMeanMap(max_rounds=2, tol=0.0),
        EMLogisticRegression(max_rounds=3, tol=0.0),
        BagForwardCorrection(max_iter=30),
        InverseCalibration(),
        DLLPClassifier(epochs=3, bag_batch=None, random_state=0),
    ]
    problems = [problem(n) for n in sizes]
    for learner in learners:
        cells = []
        for X, _, bags, shares in problems:
            few = slice(0, 500)
            learner.fit(X[few], bags=bags[few], proportions=shares)
            begin = time.process_time()
            learner.fit(X, bags=bags, proportions=shares)
            cells.append(time.process_time() - begin)
        ratios = " ".join(f"{cell / cells[0]:5.2f}" for cell in cells)
        say(
            f"linear, {type(learner).__name__}",
            f"{1e6 * cells[-1] / sizes[-1]:6.1f} µs an item; n, 2n, 4n cost {ratios}",
        )


def bench_variant(n: int = 1500, n_groups: int = 14) -> None:
    """Five tests of a small table with many groups."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 4)) + y[:, None] * (np.arange(4) < 2)
    identify_variant(X[:200], y[:200], np.arange(200) % 3, n_permutations=2)
    for variant in ("naive", "simple", "intermediate", "hard"):
        bags = make_bags(X, y, variant=variant, n_bags=n_groups, random_state=0)
        begin = time.process_time()
        found = identify_variant(X, y, bags.assignment, random_state=0)
        seconds = time.process_time() - begin
        assert found.variant == variant, found
        say(f"variant, {variant}", f"{n:,} x 4, {n_groups} groups {seconds:8.2f} s")


def bench_memory() -> None:
    """Peak memory of a fit to a million items, each in a process of its own."""
    for kind in ("dense", "sparse"):
        for learner in ("MeanMap", "LaplacianMeanMap", "EMLogisticRegression",
                        "BagForwardCorrection"):  # fmt: skip
            command = [sys.executable, __file__, "one-fit", kind, learner]
            out = subprocess.run(command, capture_output=True, text=True, check=True)
            say(f"memory, {kind}, {learner}", out.stdout.strip())


def one_fit(kind: str, learner: str, n: int = 1_000_000, d: int = 200) -> None:
    """Fit once and print seconds and peak memory."""
    rng = np.random.default_rng(0)
    bags = rng.integers(0, 50, n)
    if kind == "dense":
        X: Any = rng.normal(size=(n, d))
    else:
        hot = [20 * block + rng.integers(0, 20, n) for block in range(10)]
        X = sparse.csr_matrix(
            (
                np.ones(10 * n),
                np.column_stack(hot).ravel(),
                np.arange(0, 10 * n + 1, 10),
            ),
            shape=(n, d),
        )
    shares = np.linspace(0.1, 0.9, 50)
    models = {
        "MeanMap": MeanMap(),
        "LaplacianMeanMap": LaplacianMeanMap(),
        "EMLogisticRegression": EMLogisticRegression(max_rounds=2),
        "BagForwardCorrection": BagForwardCorrection(max_iter=20),
    }
    begin = time.process_time()
    models[learner].fit(X, bags=bags, proportions=shares)
    seconds = time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    limit = 8.0 if kind == "dense" else 2.0
    assert peak < limit, peak
    print(f"{seconds:6.1f} s, peak {peak:.2f} GB (limit {limit:.0f})")


def say(what: str, value: str) -> None:
    """Print one line."""
    print(f"{what:40s} {value}", flush=True)


def main() -> None:
    """Run what is asked for, or everything."""
    asked = sys.argv[1:]
    if asked[:1] == ["one-fit"]:
        one_fit(*asked[1:])
        return
    if asked[:1] == ["one-amm"]:
        one_amm()
        return
    say("versions", f"caveat {caveat.__version__}, numpy {np.__version__}, scipy "
        f"{scipy.__version__}, scikit-learn {sklearn.__version__}, numba "
        f"{numba.__version__}, Python {platform.python_version()}")  # fmt: skip
    if not asked or "grid" in asked:
        bench_grid()
    if asked[:1] == ["amm"]:
        bench_amm(asked[1])
    if not asked or asked[:1] == ["vat"]:
        bench_vat(steps=int(asked[1]) if asked[1:] else 200)
    if not asked or "linear" in asked:
        bench_linear()
    if not asked or "variant" in asked:
        bench_variant()
    if not asked or "memory" in asked:
        bench_memory()


if __name__ == "__main__":
    main()
