"""Tables with one thing wrong with them, and their twins with nothing wrong."""

import numpy as np
import pandas as pd

ROWS = 480


def _signal(rng, rows=ROWS, columns=6, strength=1.0):
    """Draw columns that each say a little about a label."""
    y = rng.integers(0, 2, rows)
    X = rng.normal(size=(rows, columns)) + strength * 0.5 * y[:, None]
    noise = rng.normal(size=(rows, 6)) * 3
    names = [f"x{i}" for i in range(columns)] + [f"n{i}" for i in range(6)]
    return pd.DataFrame(np.hstack([X, noise]), columns=names), y


def leak(planted, seed=0):
    rng = np.random.default_rng(seed)
    frame, y = _signal(rng)
    told = y if planted else rng.integers(0, 2, ROWS)
    return frame.assign(refund=told * 10 + rng.normal(size=ROWS), y=y)


def shuffled_labels(planted, seed=0):
    rng = np.random.default_rng(seed)
    frame, y = _signal(rng, strength=2.0)
    return frame.assign(y=rng.permutation(y) if planted else y)


def vanishing(planted, seed=0):
    """One column says it all; its twin has it eight times over, with noise.

    Beside few others: with many, the model learns noise, and its first caveat is that
    it stays below the one column.
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, ROWS)
    frame = pd.DataFrame(rng.normal(size=(ROWS, 8)), columns=[*"abcdefgh"])
    strong = 1.7 * y + rng.normal(size=ROWS)
    if planted:
        return frame[["a", "b"]].assign(sensor=strong, y=y)
    copies = {f"sensor{i}": 1.2 * y + rng.normal(size=ROWS) for i in range(8)}
    return frame.assign(**copies, y=y)


def grouped_rows(planted, seed=0):
    """Patients with several rows each; planted: rows of a patient are alike."""
    rng = np.random.default_rng(seed)
    people, each = 60, 8
    who = np.repeat(np.arange(people), each)
    label = rng.integers(0, 2, people)
    own = rng.normal(size=(people, 6))
    if planted:
        X = own[who] + 0.1 * rng.normal(size=(people * each, 6))
        y = label[who]
    else:
        y = rng.integers(0, 2, people * each)
        X = rng.normal(size=(people * each, 6)) + 0.6 * y[:, None]
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(6)])
    codes = rng.permutation(900)[:people] + 100
    frame = frame.assign(patient=codes[who], y=y)
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


def time_trend(planted, seed=0):
    """Rows of one month share their luck, and the next month is another one."""
    rng = np.random.default_rng(seed)
    when = pd.date_range("2021-01-01", periods=ROWS, freq="D")
    luck = rng.permutation([0.08, 0.92] * 8)[np.arange(ROWS) // 30]
    chance = luck if planted else np.full(ROWS, 0.5)
    y = (rng.random(ROWS) < chance).astype(int)
    X = rng.normal(size=(ROWS, 6)) + 0.4 * y[:, None]
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(6)])
    frame = frame.assign(day=when.strftime("%Y-%m-%d"), y=y)
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


#: What is planted, and the kind and column of the caveat that has to come first.
PLANTED = {
    "leak": (leak, "leak", "refund"),
    "shuffled labels": (shuffled_labels, "chance", ""),
    "vanishing column": (vanishing, "vanish", "sensor"),
    "grouped rows": (grouped_rows, "group", "patient"),
    "time trend": (time_trend, "time", "day"),
}
