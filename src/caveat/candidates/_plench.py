"""The PLENCH benchmark's protocol: its seeds, splits, scaling and random search.

Written from the published description and behaviour, so that its tables can be put
beside ours. Not the default: its scaler sees the test rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import md5
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from caveat._registry import Entry

#: How the benchmark spells the data sets, which its seeds depend on.
DATASETS = {
    "lost": "Lost",
    "msrcv2": "MSRCv2",
    "birdsong": "Birdsong",
    "italian": "Italian",
    "mirflickr": "Mirflickr",
    "malagasy": "Malagasy",
    "soccer-player": "SoccerPlayer",
    "yahoo-news": "YahooNews",
    "english": "English",
    "plcifar10-aggregate": "PLCIFAR10_Aggregate",
    "plcifar10-vaguest": "PLCIFAR10_Vaguest",
}

#: Mean and deviation of red, green and blue that it normalises CIFAR-10 with.
CIFAR_MEAN, CIFAR_STD = (0.4922, 0.4832, 0.4486), (0.2456, 0.2419, 0.2605)

#: How many times as long it trains on some data sets.
LONGER = {"soccer-player": 2, "italian": 2, "yahoo-news": 2, "english": 2}

#: How it spells parameters, which the draws of its random search depend on.
NAMES = {
    "learning_rate": "lr",
    "window": "rollWindow",
    "leverage": "lw_weight",
    "neighbours": "knn",
    ("idgp", "warm_up"): "warm_up_epoch",
    "width": "feat_dim",
    "queue": "moco_queue",
    "prototype_momentum": "proto_m",
    ("pico", "momentum"): "moco_m",
    ("pico", "weight"): "loss_weight",
    ("alim", "momentum"): "moco_m",
    ("alim", "weight"): "loss_weight",
    ("pico+", "momentum"): "moco_m",
    ("pico+", "weight"): "loss_weight",
    ("pico+", "start"): "prot_start",
    "neighbours_start": "knn_start",
    ("pico+", "neighbours"): "chosen_neighbors",
    "guess_temperature": "temperature_guess",
    "unreliable_weight": "ur_weight",
    "label_weight": "cls_weight",
    ("able", "weight"): "loss_weight",
    ("dirk", "temperature"): "feat_temperature",
    "label_temperature": "dist_temperature",
}


def plench_hash(*parts: Any) -> int:
    """Give the seed that the benchmark derives from some values.

    Examples
    --------
    >>> plench_hash(0), plench_hash("Lost", "PRODEN", 0, 0)
    (1003224347, 973119192)
    """
    text = str(tuple(parts)).encode()
    return int(md5(text, usedforsecurity=False).hexdigest(), 16) % 2**31


@dataclass(frozen=True)
class PlenchSplit:
    """Row numbers of the three parts, in the benchmark's order."""

    train: NDArray[np.intp]
    validation: NDArray[np.intp]
    test: NDArray[np.intp]


def plench_split(n_rows: int, trial: int, n_test: int = 0) -> PlenchSplit:
    """Divide rows as the benchmark does: a tenth for the test, a tenth of the rest.

    Parameters
    ----------
    n_rows : int
    trial : int
        Number of the repeat, from 0.
    n_test : int, default=0
        How many of the last rows are a published test part, as CIFAR-10 has one:
        then these are the test, in every trial.

    Examples
    --------
    >>> split = plench_split(1122, 0)
    >>> len(split.train), len(split.validation), split.test[:3].tolist()
    (909, 100, [80, 261, 1105])
    """
    seed = plench_hash(trial)
    if n_test:
        order, count = np.arange(n_rows), n_rows - n_test
    else:
        order, count = _shuffled(n_rows, seed), int(n_rows * (1 - 0.1))
    rest, test = order[:count], order[count:]
    inner = _shuffled(count, seed)
    held = int(0.1 * count)
    return PlenchSplit(rest[inner[held:]], rest[inner[:held]], test)


def _shuffled(count: int, seed: int) -> NDArray[np.intp]:
    keys = list(range(count))
    np.random.RandomState(seed).shuffle(keys)
    return np.array(keys, dtype=np.intp)


def plench_draw(entry: Entry, index: int, trial: int) -> dict[str, Any]:
    """Draw configuration number `index` of the benchmark's random search.

    Number 0 are the defaults. Values depend on the number, the trial and the
    parameter's name, so algorithms share learning rates.

    Examples
    --------
    >>> from caveat.candidates.registry import LEARNERS
    >>> drawn = plench_draw(LEARNERS["proden"], 1, 0)
    >>> f"{drawn['learning_rate']:.6e}", drawn["batch_size"]
    ('1.190616e-04', 128)
    """
    if index == 0:
        return {}
    drawn = {}
    for name, distribution in entry.space.items():
        known: Mapping[Any, str] = NAMES
        spelt = known.get((entry.name, name), known.get(name, name))
        rng = np.random.RandomState(plench_hash(plench_hash(index, trial), spelt))
        drawn[name] = _value(name, distribution, rng)
    return drawn


def _value(
    name: str, distribution: Mapping[str, Any], rng: np.random.RandomState
) -> Any:
    if name == "batch_size":
        return int(2 ** int(rng.uniform(5, 8)))
    if "log10-uniform" in distribution:
        return float(10 ** rng.uniform(*distribution["log10-uniform"]))
    return rng.choice(distribution["choice"]).item()


def plench_checkpoints(steps: int, every: int) -> list[int]:
    """Say after how many updates the benchmark looks at its models.

    It looks after the update of step 0, `every`, 2 `every`, ... and of the last; what
    it finds after the first update it drops before selecting.

    Examples
    --------
    >>> plench_checkpoints(3000, 1000)
    [1001, 2001, 3000]
    """
    return [*range(every + 1, steps, every), steps]


class PlenchScaler:
    """Standardise by all rows it is shown, with 1e-6 added to deviations.

    Warnings
    --------
    The benchmark shows it the test rows too.
    """

    def fit(self, X: ArrayLike) -> PlenchScaler:
        """Learn means and population deviations."""
        values = np.asarray(X, dtype=np.float64)
        self.mean_ = values.mean(axis=0)
        self.scale_ = values.std(axis=0) + 1e-6
        self.n_features_in_ = values.shape[1]
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Centre and scale."""
        return (np.asarray(X, dtype=np.float64) - self.mean_) / self.scale_


def plench_approximated_accuracy(logits: ArrayLike, candidates: ArrayLike) -> float:
    """Approximated accuracy as the benchmark computes it.

    ``1 - sum over candidates other than the prediction``, guarded by 1e-12: it gives 1
    instead of 0 where the candidates' probability underflows.

    Examples
    --------
    >>> plench_approximated_accuracy([[0.0, 0.0, 200.0]], [[1, 1, 0]])
    1.0
    """
    scores, allowed = softmax(np.asarray(logits), axis=1), np.asarray(candidates)
    shares = scores * allowed
    shares /= shares.sum(axis=1, keepdims=True) + 1e-12
    np.put_along_axis(shares, scores.argmax(axis=1)[:, None], 0.0, axis=1)
    return float((1.0 - shares.sum(axis=1)).mean())
