"""Samples that are one table: loans, patients, sensors, songs.

What each plants is written into its story, so that a reader can check what caveat says.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from caveat.datasets.samples._write import Sample


def _logit(score: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw yes and no with the probability that a score stands for."""
    return rng.random(len(score)) < 1 / (1 + np.exp(-score))


def loans(rng: np.random.Generator) -> Sample:
    """Loans: `collection_calls` are made after a default, not before."""
    n = 1200
    income = rng.lognormal(10.4, 0.45, n)
    debt = rng.gamma(2.0, 0.15, n)
    age = rng.integers(21, 75, n)
    history = np.clip(rng.normal(680, 70, n), 350, 850)
    region = rng.choice(["north", "south", "east", "west"], n, p=[0.4, 0.3, 0.2, 0.1])
    score = -2.2 + 2.4 * debt - 0.012 * (history - 680) - 0.5 * np.log(income / 33_000)
    default = _logit(score, rng)
    calls = rng.poisson(np.where(default, 2.2, 0.15))
    years = rng.gamma(2, 3, n).round(1).astype(object)
    years[rng.random(n) < np.where(default, 0.25, 0.08)] = ""
    table = pd.DataFrame(
        {
            "loan_id": [f"L{number:05d}" for number in rng.permutation(n) + 10_000],
            "applied": _days("2024-01-01", rng.integers(0, 600, n)),
            "region": region,
            "age": age,
            "income": income.round(-1).astype(int),
            "debt_ratio": debt.round(3),
            "credit_history": history.round().astype(int),
            "employer_years": years,
            "collection_calls": calls,
            "default": np.where(default, "yes", "no"),
        }
    )
    story = (
        "1,200 loans. `collection_calls` leaks: people are called after they default. "
        "`employer_years` is missing more often among defaults. `loan_id` and "
        "`applied` name rows and days; nothing changes over time."
    )
    return Sample({"loans.csv": table}, story)


def patients(rng: np.random.Generator) -> Sample:
    """Patients: six visits each, so that a random split tests on people it knows."""
    people, visits = 150, 6
    ill = rng.random(people) < 0.35
    marker = rng.normal(0, 1, people) + 0.55 * ill
    traits = rng.normal(0, 1, (people, 3))
    person = np.repeat(np.arange(people), visits)
    n = people * visits
    code = np.where(
        ill[person], rng.choice(["K5", "K6"], n), rng.choice(["A1", "B2"], n)
    )
    kept = rng.random(n) < 0.9
    table = pd.DataFrame(
        {
            "patient": [f"P{number:03d}" for number in person],
            "visit": _days("2023-03-01", rng.integers(0, 700, n)),
            "age": rng.integers(20, 85, people)[person],
            "marker": (marker[person] + rng.normal(0, 0.4, n)).round(2),
            "pressure": (125 + 12 * traits[person, 0] + rng.normal(0, 3, n)).round(),
            "weight": (75 + 11 * traits[person, 1] + rng.normal(0, 0.8, n)).round(1),
            "pulse": (72 + 8 * traits[person, 2] + rng.normal(0, 2, n)).round(),
            "billing_code": np.where(kept, code, "A1"),
            "ill": np.where(ill[person], "yes", "no"),
        }
    )
    story = (
        "150 patients with six visits each. Pressure, weight and pulse say who "
        "somebody is, not whether they are ill: split by rows, a model knows them. "
        "`billing_code` is written after the diagnosis. What is left is `marker`."
    )
    return Sample({"patients.csv": table.sample(frac=1, random_state=7)}, story)


def sensors(rng: np.random.Generator) -> Sample:
    """Sensors: vibration and current vanish together when their cable breaks."""
    n = 1000
    load = np.clip(np.sin(np.arange(n) / 12) + rng.normal(0, 0.3, n), -2, 2)
    wear = np.linspace(0, 1, n)
    strain = 0.8 * load + 1.6 * wear + rng.normal(0, 1.0, n)
    # Both err as much, so neither can be done without more easily than the other.
    vibration = strain + rng.normal(0, 0.25, n)
    current = strain + rng.normal(0, 0.25, n)
    heat = 0.7 * load + 0.8 * wear + rng.normal(0, 0.6, n)
    fault = _logit(-3.2 + 2.0 * strain + 0.3 * heat, rng)
    hours = pd.date_range("2025-02-01", periods=n, freq="h")
    table = pd.DataFrame(
        {
            "time": hours.strftime("%Y-%m-%d %H:%M"),
            "site": rng.choice(["mill", "quarry"], n),
            "load": load.round(3),
            "vibration": vibration.round(3),
            "current": current.round(3),
            "heat": heat.round(3),
            "fault": np.where(fault, "yes", "no"),
        }
    )
    story = (
        "1,000 hours of a machine. `vibration` and `current` both feel the strain that "
        "breaks it, each with an error of its own: losing one costs a model little, "
        "losing both nearly half of what it knows beyond a constant answer. The "
        "machine wears, so later hours have more faults."
    )
    return Sample({"sensors.csv": table}, story)


def songs(rng: np.random.Generator) -> Sample:
    """Songs: four moods of unequal frequency, and scores of two models for them."""
    n = 600
    features = rng.normal(size=(n, 6))
    weights = rng.normal(size=(6, 4)) * 1.1
    offsets = np.array([-0.2, -1.2, -0.6, -2.4])
    clear = features @ weights + offsets
    moods = _logit(clear.ravel(), rng).reshape(n, 4).astype(int)
    names = ["calm", "sad", "happy", "angry"]
    table = pd.DataFrame(
        features.round(3),
        columns=["tempo", "energy", "key", "voice", "strings", "drums"],
    )
    for place, name in enumerate(names):
        table[name] = moods[:, place]
    good = clear + rng.normal(0, 1.0, clear.shape)
    # The second model orders the moods of a song well, and songs of a mood badly.
    shifted = clear + rng.normal(0, 1.0, clear.shape) + rng.normal(0, 4.0, (n, 1))
    scores = {
        "songs-scores-steady.csv": pd.DataFrame(good.round(3), columns=names),
        "songs-scores-moody.csv": pd.DataFrame(shifted.round(3), columns=names),
    }
    story = (
        "600 songs; `angry` is rare. The steady model orders songs and moods alike, "
        "the moody one orders the moods within a song but not the songs within a mood: "
        "measures by label and by song disagree about it."
    )
    return Sample({"songs.csv": table, **scores}, story)


def _days(start: str, offsets: np.ndarray) -> list[str]:
    dates = pd.Timestamp(start) + pd.to_timedelta(np.asarray(offsets), unit="D")
    return dates.strftime("%Y-%m-%d").tolist()
