"""The compiled measures against Table 1 of the paper, written down literally."""

from itertools import permutations

import numpy as np
import pytest

from caveat.multilabel import evaluate

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

TIE_RULES = ["half", "paper", "sklearn"]


def literal(Y, S, H, rules=TIE_RULES):
    """Table 1 over all pairs, by tie rule; what has nothing to compare is left out."""
    m, n_labels = Y.shape
    rows = [i for i in range(m) if 0 < Y[i].sum() < n_labels]
    some = [i for i in range(m) if Y[i].sum() > 0]
    labels = [j for j in range(n_labels) if 0 < Y[:, j].sum() < m]
    decided = {
        "hamming_loss": np.mean(H != Y),
        "macro_f1": mean(f1(Y[:, j], H[:, j]) for j in range(n_labels)),
        "instance_f1": mean(f1(Y[i], H[i]) for i in range(m)),
        "micro_f1": f1(Y.ravel(), H.ravel()),
    }
    in_rows = [order(S[i][Y[i] == 1], S[i][Y[i] == 0]) for i in rows]
    in_labels = [order(S[:, j][Y[:, j] == 1], S[:, j][Y[:, j] == 0]) for j in labels]
    pooled = [order(S[Y == 1], S[Y == 0])] if 0 < Y.sum() < Y.size else []
    found = {}
    for ties in rules:
        wrong = {"half": 0.5, "paper": 1.0, "sklearn": 1.0}[ties]
        right = {"half": 0.5, "paper": 1.0, "sklearn": 0.5}[ties]
        found[ties] = decided | {
            "ranking_loss": mean(c + wrong * b for _, b, c in in_rows),
            "one_error": mean(one_error_of_row(Y[i], S[i], ties) for i in some),
            "coverage": mean(coverage_of_row(Y[i], S[i], ties) for i in some),
            "average_precision": mean(precision_of_row(Y[i], S[i], ties) for i in rows),
            "macro_auc": mean(a + right * b for a, b, _ in in_labels),
            "instance_auc": mean(a + right * b for a, b, _ in in_rows),
            "micro_auc": mean(a + right * b for a, b, _ in pooled),
        }
    return found


def order(positive, negative):
    """Shares of pairs in right order, tied, reversed."""
    gap = positive[:, None] - negative[None, :]
    return (gap > 0).mean(), (gap == 0).mean(), (gap < 0).mean()


def mean(terms):
    terms = list(terms)
    return sum(terms) / len(terms) if terms else np.nan


def f1(y, h):
    return 2 * (y & h).sum() / max(1, y.sum() + h.sum())


def one_error_of_row(y, s, ties):
    relevant = y[s == s.max()]
    return {
        "paper": float(not relevant.any()),
        "half": 1 - relevant.mean(),
        "sklearn": 1.0 - y[np.argmax(s)],
    }[ties]


def coverage_of_row(y, s, ties):
    lowest = s[y == 1].min()
    above, group = (s > lowest).sum(), s == lowest
    g, r = group.sum(), (group & (y == 1)).sum()
    return {
        "paper": above,
        "half": above + r * (g + 1) / (r + 1) - 1,
        "sklearn": above + g - 1,
    }[ties]


def precision_of_row(y, s, ties):
    if ties == "half":
        return expected_precision(y, s)
    at_least = s[None, :] >= s[:, None]
    precision = (at_least & (y == 1)).sum(axis=1) / at_least.sum(axis=1)
    return precision[y == 1].mean()


ORDERS = {n: np.array(list(permutations(range(n)))) for n in range(1, 6)}


def expected_precision(y, s):
    """Mean over every order of the labels as a tie-breaker."""
    breakers = ORDERS[len(y)]
    order = np.argsort(-s[breakers], axis=1, kind="stable")
    ranked = y[np.take_along_axis(breakers, order, axis=1)]
    hits = np.cumsum(ranked, axis=1)
    precision = hits / np.arange(1, len(y) + 1)
    return ((precision * ranked).sum(axis=1) / y.sum()).mean()


def random_case(rng):
    """Few levels make ties, odd densities make empty and full rows and labels."""
    shape = rng.integers(1, 8), rng.integers(1, 6)
    density = rng.choice([0.1, 0.5, 0.9])
    Y = (rng.random(shape) < density).astype(int)
    S = rng.integers(0, rng.choice([2, 4, 1000]), size=shape) / 7.0
    H = (rng.random(shape) < rng.choice([0.0, 0.3, 0.7])).astype(int)
    return Y, S, H


# The first seeds are always tried; all of them together are 4,000 cases.
SEEDS = [
    *range(2),
    *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 20)),
]


@pytest.mark.thorough
@pytest.mark.parametrize("seed", SEEDS)
def test_measures_equal_table_1_over_all_pairs_under_every_tie_rule(seed):
    rng = np.random.default_rng(seed)
    for _ in range(200):
        Y, S, H = random_case(rng)
        result = evaluate(Y, S, H)
        for ties, expected in literal(Y, S, H).items():
            found = {**result, **result.alt[ties]}
            np.testing.assert_allclose(
                [found[name] for name in expected],
                list(expected.values()),
                rtol=0,
                atol=1e-12,
            )


@pytest.mark.parametrize("shape", [(40, 60), (700, 9), (3, 150)])
@pytest.mark.parametrize("levels", [5, 10**6])
def test_larger_matrices_take_the_search_paths_and_still_agree(shape, levels):
    rng = np.random.default_rng(7)
    Y = (rng.random(shape) < rng.choice([0.2, 0.6, 0.9])).astype(int)
    S = np.exp(rng.integers(0, levels, size=shape) / levels * 20)  # uneven spacing
    H = (rng.random(shape) < 0.4).astype(int)
    result = evaluate(Y, S, H, ties="paper")
    expected = literal(Y, S, H, ["paper"])["paper"]
    for name, value in expected.items():
        assert result[name] == pytest.approx(value, abs=1e-12, rel=0), name


def test_half_is_the_mean_over_random_tie_breaking():
    rng = np.random.default_rng(3)
    Y = (rng.random((6, 7)) < 0.4).astype(int)
    S = rng.integers(0, 3, size=Y.shape).astype(float)
    half = evaluate(Y, S, ties="half")
    broken = [evaluate(Y, S + 1e-6 * rng.random(Y.shape)) for _ in range(150)]
    for name, value in half.items():
        draws = np.array([result[name] for result in broken])
        assert abs(draws.mean() - value) < 4.5 * draws.std() / np.sqrt(len(draws))
