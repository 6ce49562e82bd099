r"""Learners from bags and independence tests against llp-learn and fcit.

    python -m venv peers && peers/bin/pip install llp-learn==1.1.0 torch pandas
    peers/bin/pip install --no-deps fcit
    OMP_NUM_THREADS=1 python benchmarks/bench_bags_peers.py \
        --peer peers/bin/python

The peers live in an environment of their own and run as a second process on the same
arrays; both sides report their own processor seconds. Equal numbers are asserted: the
labels of EM within rounding of the optimiser, the decisions of every test.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import f1_score

PEER = r"""
import json, sys, time
import numpy as np
folder, what = sys.argv[1], sys.argv[2]
data = np.load(folder + "/data.npz")
X, y, bags, shares = data["X"], data["y"], data["bags"], data["shares"]
out = {}
if what == "em":
    from llp_learn.em import EM
    from sklearn.linear_model import LogisticRegression
    settings = json.loads(sys.argv[3])
    model = EM(LogisticRegression(**settings), init_y="random", random_state=0)
    begin = time.process_time()
    model.fit(X, bags, shares[:, 1])
    out = {"seconds": time.process_time() - begin}
    np.save(folder + "/peer.npy", model.predict(X))
elif what == "dllp":
    import torch
    torch.set_num_threads(1)
    from llp_learn.dllp import DLLP
    epochs = int(sys.argv[3])
    lr = float(sys.argv[4])
    torch.manual_seed(0)
    model = DLLP(lr=lr, n_epochs=epochs, in_features=X.shape[1],
                 hidden_layer_sizes=(100, 100), random_state=0)
    begin = time.process_time()
    model.fit(X, bags, shares[:, 1])
    out = {"seconds": time.process_time() - begin}
    np.save(folder + "/peer.npy", model.predict(X))
elif what == "fcit":
    from fcit import fcit
    hot = np.eye(shares.shape[0])[bags]
    y = y[:, None].astype(float)
    begin = time.process_time()
    out["T2"] = float(fcit.test(X, hot, num_perm=30))
    out["T3"] = float(fcit.test(X, y, hot, num_perm=30))
    out["T4"] = float(fcit.test(X, hot, y, num_perm=30))
    out["T5"] = float(fcit.test(hot, y, X, num_perm=30))
    out["seconds"] = time.process_time() - begin
print(json.dumps(out))
"""


class Peer:
    """The other environment, on the same arrays."""

    def __init__(self, python: str, **arrays: np.ndarray) -> None:
        self._python = python
        self._folder = Path(tempfile.mkdtemp())
        np.savez(self._folder / "data.npz", **arrays)
        (self._folder / "peer.py").write_text(PEER)

    def run(self, *arguments: object) -> dict[str, Any]:
        """Run one comparison there."""
        command = [self._python, str(self._folder / "peer.py"), str(self._folder)]
        # fcit asks for every core; on one, all its work is in the process we time.
        done = subprocess.run(
            [*command, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "LOKY_MAX_CPU_COUNT": "1"},
        )
        return json.loads(done.stdout.strip().splitlines()[-1])

    def predictions(self) -> np.ndarray:
        """Read what the peer predicted last."""
        return np.load(self._folder / "peer.npy", allow_pickle=False)


def bench_em(peer: Peer, X: np.ndarray, y: np.ndarray, bags: Any, shares: Any) -> None:
    """EM with logistic regression: L-BFGS beside L-BFGS, Newton beside Newton.

    Every pair draws the same first labels; what is timed is what is compared. Builds of
    L-BFGS part where they are cut short (97 % of the predictions are equal with scipy
    1.17 beside 1.10); minima are the same.
    """
    from papers.bags.learners import CappedEM, PublishedEM

    pairs = (
        ("100 steps of L-BFGS", CappedEM, "{}", 0.95),
        ("Newton", PublishedEM, '{"solver": "newton-cholesky", "tol": 1e-9}', 0.999),
    )
    for what, kind, settings, least in pairs:
        published = {"init": "random", "random_state": 0}
        kind(**published).fit(X[:500], bags=bags[:500], proportions=shares)
        model = kind(**published)
        begin = time.process_time()
        model.fit(X, bags=bags, proportions=shares)
        seconds = time.process_time() - begin
        theirs = peer.run("em", settings)
        ours, other = model.predict(X), (peer.predictions() > 0).astype(int)
        equal = float((ours == other).mean())
        print(f"EM/LR, {what}: caveat {seconds:.2f} s (F1 {f1_score(y, ours):.4f}), "
              f"llp-learn {theirs['seconds']:.2f} s (F1 {f1_score(y, other):.4f}), "
              f"ratio {theirs['seconds'] / seconds:.1f}, {equal:.2%} of the "
              "predictions equal")  # fmt: skip
        assert equal > least, what


def bench_dllp(
    peer: Peer, X: np.ndarray, y: np.ndarray, bags: Any, shares: Any
) -> None:
    """Time the same whole-bag epochs, and the way to an F1 of 0.5."""
    from caveat.bags import DLLPClassifier

    epochs = 10
    # The peer builds its optimiser before the clock starts; so do we.
    warm = DLLPClassifier(bag_batch=None, epochs=1, random_state=0)
    warm.fit(X[:500], bags=bags[:500], proportions=shares)
    model = DLLPClassifier(bag_batch=None, epochs=epochs, random_state=0)
    begin = time.process_time()
    model.fit(X, bags=bags, proportions=shares)
    seconds = time.process_time() - begin
    theirs = peer.run("dllp", epochs, 1e-3)
    print(f"DLLP, {epochs} whole-bag epochs: caveat {seconds:.2f} s, llp-learn "
          f"{theirs['seconds']:.2f} s, ratio "
          f"{theirs['seconds'] / seconds:.2f}")  # fmt: skip
    begin = time.process_time()
    ours, steps = 0.0, 0
    for steps in (250, 500, 1000, 2000, 4000):
        begin = time.process_time()
        model = DLLPClassifier(n_steps=steps, random_state=0)
        model.fit(X, bags=bags, proportions=shares)
        ours = f1_score(y, model.predict(X))
        if ours >= 0.5:
            break
    spent = time.process_time() - begin
    print(f"DLLP, to F1 0.5: caveat {spent:.1f} s ({steps} steps, F1 {ours:.3f})")
    theirs = peer.run("dllp", 100, 1e-3)
    other = f1_score(y, (peer.predictions() > 0).astype(int))
    print(f"DLLP, llp-learn after its 100 epochs ({theirs['seconds']:.1f} s): "
          f"F1 {other:.3f}")  # fmt: skip


def bench_fcit(peer: Peer, X: np.ndarray, y: np.ndarray, bags: Any) -> None:
    """Four tests as published, on the same rows."""
    from caveat.bags import identify_variant

    identify_variant(X[:200], y[:200], bags[:200], n_permutations=2, random_state=0)
    begin = time.process_time()
    found = identify_variant(X, y, bags, trees="single", random_state=0)
    seconds = time.process_time() - begin
    begin = time.process_time()
    identify_variant(X, y, bags, random_state=0)
    boosted = time.process_time() - begin
    theirs = peer.run("fcit")
    print(f"FCIT, {len(X):,} rows, four tests: caveat {seconds:.2f} s (boosted "
          f"{boosted:.2f} s), fcit {theirs['seconds']:.2f} s, ratio "
          f"{theirs['seconds'] / seconds:.1f}")  # fmt: skip
    for test in ("T2", "T3", "T4", "T5"):
        ours, other = found.p_values[test] > 0.05, theirs[test] > 0.05
        print(
            f"  {test}: caveat p = {found.p_values[test]:.3g}, fcit {theirs[test]:.3g}"
        )
        assert ours == other, test


def main() -> None:
    """Run all comparisons."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--peer", required=True, help="python of the peers' environment"
    )
    parser.add_argument("--rows", type=int, default=36_631)
    parser.add_argument("--test-rows", type=int, default=5_000)
    parser.add_argument("--only", choices=["em", "dllp", "fcit"])
    options = parser.parse_args()
    import bench_bags

    X, y, bags, shares = bench_bags.problem(options.rows)
    peer = Peer(options.peer, X=X, y=y, bags=bags, shares=shares)
    if options.only in (None, "em"):
        bench_em(peer, X, y, bags, shares)
    if options.only in (None, "dllp"):
        bench_dllp(peer, X, y, bags, shares)
    if options.only in (None, "fcit"):
        rows = slice(0, options.test_rows)
        few = Peer(options.peer, X=X[rows], y=y[rows], bags=bags[rows], shares=shares)
        bench_fcit(few, X[rows], y[rows], bags[rows])


if __name__ == "__main__":
    main()
