"""Do our labels of a crowd hold? Simulations whose truth is known.

Run: ``OMP_NUM_THREADS=1 python -m benchmarks.crowd_simulation [SEEDS]``. Every cell
draws 20 crowds, unless told otherwise, by seeds from 200 on: our default was settled
on crowds of the seeds 1000 to 1019. Our default (what ``caveat candidates`` suggests
where there are no features), the vote and Dawid-Skene (ours, and a plain one without
any prior, which is here) label the same answers. A finished crowd is a row of
crowd_simulation_runs.csv in the folder where it runs, and is not drawn again;
papers/candidates/crowds.csv has a row per cell:

- ``ours``, ``vote``, ``dawid_skene``, ``plain``: shares of right labels;
- ``best``: the better one of vote and both Dawid-Skenes, by their means in the cell;
- ``difference``, ``low``, ``high``: ours minus the best, in points, paired over crowds
  (95 %, Student's t);
- ``calibration``: expected calibration error of our probabilities, ten bins, over all
  items of the cell;
- ``precision``, ``recall``: of people who are called spammer or adversary.

Nobody's answers follow a model exactly. Errors prefer some labels, half by everybody's
common taste and half by one's own; the skill of a person differs between classes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from scipy.stats import t

from benchmarks import crowd_other_kinds
from caveat.candidates.crowd import (
    Answers,
    DawidSkene,
    MajorityVote,
    PooledCrowd,
    as_answers,
    decide,
    leave_out,
)

TABLE = Path(__file__).parents[1] / "papers/candidates/crowds.csv"
RUNS = Path("crowd_simulation_runs.csv")
SEEDS, FIRST = 20, 200
OTHER = "other kinds"
FLAGS = ("spammer", "adversary")


@dataclass(frozen=True)
class Cell:
    """One kind of crowd.

    Attributes
    ----------
    factor, level : str
        What the cell varies, and how.
    people, each : int
        Annotators, and how many of them answer an item.
    skill, spread : float
        Mean and standard deviation of the chance to be right.
    spammers, adversaries : float
        Shares of the people who guess (half of them one label always), and who name
        wrong labels on purpose.
    pairs, triples : float
        Shares of answers that are sets of two or three labels.
    missing : float
        Share of answers that are lost.
    hard : float
        Share of items on which everybody is half as good.
    skewed : bool
        Whether classes are unequally frequent, by 1, 1/2, 1/3, ...
    """

    factor: str
    level: str
    items: int = 300
    classes: int = 4
    people: int = 5
    each: int = 5
    skill: float = 0.65
    spread: float = 0.12
    spammers: float = 0.0
    adversaries: float = 0.0
    pairs: float = 0.0
    triples: float = 0.0
    missing: float = 0.0
    hard: float = 0.0
    skewed: bool = False


def cells() -> list[Cell]:
    """Give all kinds of crowds, one factor at a time."""
    base, many = Cell("", ""), Cell("", "", people=20)
    wide = replace(base, people=10, each=10)
    found = [replace(base, factor="centre", level="5 people answer all")]
    found += [_people(base, n) for n in (2, 3, 10, 20)]
    found += _vary(many, "redundancy (of 20 people)", "each", (1, 2, 3, 5, 10))
    found += _vary(base, "spread of skill", "spread", (0.0, 0.2, 0.3))
    found += _vary(base, "mean skill", "skill", (0.4, 0.5, 0.8))
    found += _vary(wide, "spammers (of 10 people)", "spammers", (0.2, 0.4, 0.6))
    found += _vary(many, "spammers (of 20, 5 each)", "spammers", (0.2, 0.4))
    found += _vary(wide, "adversaries (of 10 people)", "adversaries", (0.1, 0.2, 0.3))
    found += _vary(replace(base, classes=6), "pairs (6 classes)", "pairs", (0.3, 0.7))
    vague = replace(base, classes=6, pairs=0.3)
    found += _vary(vague, "triples beside pairs", "triples", (0.3, 0.6))
    found += _vary(base, "missing answers", "missing", (0.2, 0.5, 0.7))
    found += _vary(base, "classes", "classes", (2, 3, 10))
    found += _vary(base, "items", "items", (30, 100, 600))
    found += _vary(base, "hard items", "hard", (0.3,))
    found += [replace(base, factor="frequencies", level="1 to 1/4", skewed=True)]
    return found + [Cell(OTHER, kind) for kind in crowd_other_kinds.KINDS]


def _vary(base: Cell, factor: str, name: str, levels: tuple) -> Iterator[Cell]:
    for level in levels:
        yield replace(base, factor=factor, level=str(level), **{name: level})


def _people(base: Cell, many: int) -> Cell:
    return replace(base, factor="people", level=str(many), people=many, each=many)


def draw(cell: Cell, seed: int) -> tuple[pd.DataFrame, NDArray, set[str]]:
    """Draw a crowd: its answers, the truth, and who guesses or works against it."""
    if cell.factor == OTHER:
        item, who, told, truth = crowd_other_kinds.draw(cell.level, seed)
        frame = pd.DataFrame({"item": item, "annotator": [f"p{n}" for n in who]})
        sets = [one if isinstance(one, tuple) else (one,) for one in told]
        labels = ["|".join(f"c{code}" for code in one) for one in sets]
        return frame.assign(label=labels), truth, set()
    rng = np.random.default_rng([seed, 47])
    share = 1.0 / np.arange(1, cell.classes + 1) if cell.skewed else None
    share = np.full(cell.classes, 1.0) if share is None else share
    truth = rng.choice(cell.classes, cell.items, p=share / share.sum())
    tables, names, bad = _people_of(cell, rng)
    easy = rng.random(cell.items) >= cell.hard
    asked = rng.random((cell.items, cell.people)).argsort(axis=1)[:, : cell.each]
    item = np.repeat(np.arange(cell.items), cell.each)
    who = np.sort(asked, axis=1).ravel()
    chance = tables[who, truth[item]]
    mixed = 0.5 * chance + 0.5 / cell.classes
    chance = np.where(easy[item, None], chance, mixed)
    # The largest of shares with exponential noise are a draw without replacement.
    order = (np.log(chance) + rng.gumbel(size=chance.shape)).argsort(axis=1)[:, ::-1]
    luck = rng.random(len(item))
    size = 1 + (luck < cell.pairs + cell.triples) + (luck < cell.triples)
    told = rng.random(len(item)) >= cell.missing
    labels = [
        "|".join(f"c{code}" for code in codes[:many])
        for codes, many in zip(order[told], size[told], strict=True)
    ]
    names_ = np.array(names)[who[told]]
    answers = pd.DataFrame({"item": item[told], "annotator": names_, "label": labels})
    return answers, truth, bad


def _people_of(cell: Cell, rng: np.random.Generator) -> tuple[NDArray, list, set]:
    """Draw what everybody names, given the truth; nobody is certain of anything."""
    classes = cell.classes
    least, most = 1.15 / classes, 0.98
    skill = np.clip(rng.normal(cell.skill, cell.spread, cell.people), least, most)
    common = rng.dirichlet(np.ones(classes), classes)
    spam = round(cell.spammers * cell.people)
    against = round(cell.adversaries * cell.people)
    tables, names, bad = [], [], set()
    for who in range(cell.people):
        name = f"p{who}"
        own = np.clip(rng.normal(skill[who], 0.05, classes), least, most)
        taste = 0.5 * common + 0.5 * rng.dirichlet(np.ones(classes), classes)
        if who < spam:
            one = (
                np.eye(classes)[rng.integers(classes)]
                if who % 2
                else np.ones(classes) / classes
            )
            table = np.tile(0.96 * one + 0.04 / classes, (classes, 1))
        else:
            own = own if who >= spam + against else np.full(classes, 0.3 / classes)
            wrong = taste * (1 - np.eye(classes)) + 1e-9
            wrong /= wrong.sum(axis=1, keepdims=True)
            table = own[:, None] * np.eye(classes) + (1 - own)[:, None] * wrong
        if who < spam + against:
            bad.add(name)
        tables.append(np.clip(table, 1e-4, None))
        names.append(name)
    found = np.array(tables)
    return found / found.sum(axis=2, keepdims=True), names, bad


def plain_dawid_skene(answers: Answers, rounds: int = 50) -> NDArray:
    """Label by the model of 1979: no prior; a set is one of its labels, unknown which.

    Returns items by classes.
    """
    items, people, classes = answers.shape
    said = np.zeros((len(answers), classes))
    said[answers.answer, answers.label] = 1.0
    posterior = answers.votes() + 1e-9
    posterior /= posterior.sum(axis=1, keepdims=True)
    meant = np.tile(said[:, None] / said.sum(axis=1)[:, None, None], (classes, 1))
    rows = np.arange(len(answers))
    whose = sparse.csr_array(
        (np.ones(len(rows)), (answers.annotator, rows)), (people, len(rows))
    )
    for _ in range(rounds):
        joint = posterior[answers.item][:, :, None] * meant
        table = (whose @ joint.reshape(len(rows), -1)).reshape(-1, classes, classes)
        table += 0.01
        table /= table.sum(axis=2, keepdims=True)
        likely = table[answers.annotator] * said[:, None]
        score = np.tile(np.log(posterior.mean(axis=0) + 1e-9), (items, 1))
        np.add.at(score, answers.item, np.log(likely.sum(axis=2)))
        posterior = np.exp(score - score.max(axis=1, keepdims=True))
        posterior /= posterior.sum(axis=1, keepdims=True)
        meant = likely / likely.sum(axis=2, keepdims=True)
    return posterior


def calibration_bins(proba: NDArray, codes: NDArray, right: NDArray) -> NDArray:
    """Sum up, by tenths of probability, how often labels are right beyond it."""
    sure = proba[np.arange(len(codes)), codes]
    tenth = np.minimum((sure * 10).astype(int), 9)
    return np.bincount(tenth, right - sure, minlength=10)


def run(cell: Cell, seed: int) -> dict[str, float | str]:
    """Label one crowd in all ways, and judge them by the truth."""
    frame, truth, bad = draw(cell, seed)
    answers = as_answers(frame)
    true = np.array([f"c{code}" for code in truth])[answers.items.to_numpy(int)]
    pooled = PooledCrowd().fit(answers)
    ways = {"vote": vote_shares, "pooled": pooled.posterior_of}
    held = leave_out(answers, ways)
    chosen = "pooled" if held is None else held.choose("pooled")
    model = DawidSkene().fit(answers)
    shares = {
        "ours": pooled.posterior_ if chosen == "pooled" else vote_shares(answers),
        "vote": vote_shares(answers),
        "dawid_skene": model.posterior_,
        "plain": plain_dawid_skene(answers),
    }
    row: dict[str, float | str] = {
        "factor": cell.factor,
        "level": cell.level,
        "seed": seed,
        "chosen": chosen,
        "items": len(true),
    }
    names = np.array(answers.classes)
    for way, proba in shares.items():
        codes = decide(proba)
        right = names[codes] == true
        row[way] = float(right.mean())
        if way == "ours":
            bins = calibration_bins(proba, codes, right)
            row |= {f"bin{n}": value for n, value in enumerate(bins)}
    people = model.annotators_
    flagged = set(people.loc[people["flag"].isin(FLAGS), "annotator"])
    flagged = set() if cell.factor == OTHER else flagged
    present = bad & set(people["annotator"])
    row |= {"flagged": len(flagged), "bad": len(present)}
    return row | {"found": len(flagged & present)}


def vote_shares(answers: Answers) -> NDArray:
    """Return the shares of the votes."""
    return MajorityVote().fit(answers).posterior_


def table(runs: pd.DataFrame) -> pd.DataFrame:
    """Sum every cell up."""
    rows = []
    for (factor, level), cell in runs.groupby(["factor", "level"], sort=False):
        others = cell[["vote", "dawid_skene", "plain"]].mean()
        best = str(others.idxmax())
        gap = 100 * (cell["ours"] - cell[best])
        error = gap.std() / np.sqrt(len(gap)) * t.ppf(0.975, max(len(gap) - 1, 1))
        bins = cell[[f"bin{n}" for n in range(10)]].sum()
        flagged, bad, found = cell[["flagged", "bad", "found"]].sum()
        rows.append(
            {
                "factor": factor,
                "level": level,
                "crowds": len(cell),
                "ours": cell["ours"].mean(),
                **others,
                "best": best,
                "difference": gap.mean(),
                "low": gap.mean() - error,
                "high": gap.mean() + error,
                "calibration": bins.abs().sum() / cell["items"].sum(),
                "voted": (cell["chosen"] == "vote").mean(),
                "precision": found / flagged if flagged else np.nan,
                "recall": found / bad if bad else np.nan,
            }
        )
    return pd.DataFrame(rows)


def main() -> None:
    """Draw what is missing, and write the table."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS
    done = pd.read_csv(RUNS, dtype={"level": str}) if RUNS.exists() else None
    rows = [] if done is None else done.to_dict("records")
    known = {(row["factor"], row["level"], row["seed"]) for row in rows}
    order = cells()
    for seed in range(FIRST, FIRST + seeds):
        for cell in order:
            if (cell.factor, cell.level, seed) not in known:
                rows.append(run(cell, seed))
                pd.DataFrame(rows).to_csv(RUNS, index=False)
    runs = pd.DataFrame(rows)
    runs = runs[runs["seed"].between(FIRST, FIRST + seeds - 1)]
    place = {(cell.factor, cell.level): n for n, cell in enumerate(order)}
    runs["place"] = [
        place[key] for key in zip(runs["factor"], runs["level"], strict=True)
    ]
    found = table(runs.sort_values(["place", "seed"]))
    found.to_csv(TABLE, index=False, float_format="%.4f")
    print(found.to_string(index=False, float_format=lambda value: f"{value:.3f}"))


if __name__ == "__main__":
    main()
