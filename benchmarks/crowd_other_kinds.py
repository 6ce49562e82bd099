"""Crowds that break rules: what others may try, beside the kinds of crowd_simulation.

Every kind draws answers and the truth; truth and labels are numbers. Four classes, 300
items, 8 people of skill 0.45 to 0.9 and 4 answers an item unless its name says
otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

Draw = tuple[NDArray, NDArray, list, NDArray]
Rng = np.random.Generator


def draw(kind: str, seed: int) -> Draw:
    """Draw items and people of all answers, their labels, and the truth."""
    return KINDS[kind](np.random.default_rng([seed, list(KINDS).index(kind), 71]))


def table(rng: Rng, skill: float | NDArray, classes: int) -> NDArray:
    """Draw what somebody of a skill names, by true class; errors have a taste."""
    wrong = rng.dirichlet(np.ones(classes), classes) * (1 - np.eye(classes)) + 1e-9
    wrong /= wrong.sum(axis=1, keepdims=True)
    right = np.broadcast_to(skill, (classes,))[:, None]
    return right * np.eye(classes) + (1 - right) * wrong


def asked(
    rng: Rng, items: int, people: int, each: int, shares: list | int
) -> tuple[NDArray, NDArray, NDArray]:
    """Draw the truth, and who answers what."""
    classes = shares if isinstance(shares, int) else len(shares)
    weight = np.ones(classes) if isinstance(shares, int) else np.array(shares)
    truth = rng.choice(classes, items, p=weight / weight.sum())
    who = np.sort(rng.random((items, people)).argsort(axis=1)[:, :each], axis=1)
    return truth, np.repeat(np.arange(items), each), who.ravel()


def order(rng: Rng, tables: NDArray, truth: NDArray, item: NDArray, who: NDArray):
    """Draw labels of every answer without replacement, the first one first."""
    chance = np.log(np.maximum(tables[who, truth[item]], 1e-12))
    return (chance + rng.gumbel(size=chance.shape)).argsort(axis=1)[:, ::-1]


def usual(
    rng: Rng,
    items: int = 300,
    people: int = 8,
    each: int = 4,
    shares: list | int = 4,
    skill: tuple[float, float] = (0.45, 0.9),
    change: Callable[[Rng, NDArray], None] | None = None,
) -> Draw:
    """Draw people who answer one label, by tables that `change` may change."""
    truth, item, who = asked(rng, items, people, each, shares)
    classes = shares if isinstance(shares, int) else len(shares)
    tables = np.array([table(rng, s, classes) for s in rng.uniform(*skill, people)])
    if change is not None:
        change(rng, tables)
    return item, who, order(rng, tables, truth, item, who)[:, 0].tolist(), truth


def turned(rng: Rng, tables: NDArray, many: int, alike: bool) -> None:
    """Let some people name each class by another's name."""
    classes = tables.shape[1]
    for who in range(many):
        to = np.roll(np.arange(classes), 1) if alike else rng.permutation(classes)
        tables[who] = 0.85 * np.eye(classes)[to] + 0.15 / classes


def constant(rng: Rng, tables: NDArray, many: int, labels: int) -> None:
    """Let some people say one of the first labels, whatever they see."""
    classes = tables.shape[1]
    for who in range(many):
        tables[who] = 0.97 * np.eye(classes)[who % labels] + 0.03 / classes


def hammers(rng: Rng, tables: NDArray, share: float) -> None:
    """Let people know nearly everything, or nothing."""
    people, classes, _ = tables.shape
    know = 0.94 * np.eye(classes) + 0.06 / classes
    for who in range(people):
        tables[who] = know if rng.random() < share else np.full_like(know, 1 / classes)


def experts(rng: Rng, tables: NDArray) -> None:
    """Let the first two people know nearly everything."""
    for who in (0, 1):
        tables[who] = table(rng, 0.95, tables.shape[1])


def specialists(rng: Rng, tables: NDArray) -> None:
    """Let everybody know half of the classes."""
    classes = tables.shape[1]
    for who in range(len(tables)):
        skill = np.full(classes, 0.35)
        skill[(who + np.arange(classes // 2)) % classes] = 0.9
        tables[who] = table(rng, skill, classes)


def biased(rng: Rng, tables: NDArray) -> None:
    """Give everybody a sensitivity and a specificity of their own."""
    for who in range(len(tables)):
        no, yes = rng.beta(5, 2), rng.beta(4, 3)
        tables[who] = [[no, 1 - no], [1 - yes, yes]]


def trapped(rng: Rng) -> Draw:
    """Draw items of which a fifth misleads everybody half of the time."""
    item, who, labels, truth = usual(rng)
    trap = (truth + rng.integers(1, 4, len(truth))) % 4
    falls = (rng.random(len(truth)) < 0.2)[item] & (rng.random(len(item)) < 0.5)
    return item, who, np.where(falls, trap[item], labels).tolist(), truth


def uneven(rng: Rng) -> Draw:
    """Draw items of very unequal difficulty, after GLAD."""
    truth, item, who = asked(rng, 300, 10, 5, 4)
    skill, ease = rng.normal(1.3, 0.8, 10), np.exp(rng.normal(0, 1, 300))
    chance = 1 / (1 + 3 * np.exp(-skill[who] * ease[item]))
    wrong = (truth[item] + rng.integers(1, 4, len(item))) % 4
    right = rng.random(len(item)) < chance
    return item, who, np.where(right, truth[item], wrong).tolist(), truth


def passing(rng: Rng, guess: float) -> Draw:
    """Draw 450 people of two answers each, of whom some guess."""
    truth, item, _ = asked(rng, 300, 3, 3, 4)
    who = rng.permutation(np.arange(len(item)) // 2)
    skill = np.where(rng.random(450) < guess, 0.25, rng.uniform(0.5, 0.95, 450))
    tables = np.array([table(rng, s, 4) for s in skill])
    return item, who, order(rng, tables, truth, item, who)[:, 0].tolist(), truth


def busy(rng: Rng) -> Draw:
    """Draw 40 people of whom the busiest answer most."""
    truth, item, _ = asked(rng, 400, 4, 4, 4)
    weight = 1 / np.arange(1, 41)
    weight /= weight.sum()
    who = [rng.choice(40, 4, replace=False, p=weight) for _ in truth]
    who = np.concatenate(who)
    tables = np.array([table(rng, s, 4) for s in rng.uniform(0.45, 0.9, 40)])
    return item, who, order(rng, tables, truth, item, who)[:, 0].tolist(), truth


def copies(rng: Rng) -> Draw:
    """Draw six people of whom two mostly copy a third."""
    item, who, labels, truth = usual(rng, people=6, each=6)
    said = np.array(labels).reshape(-1, 6)
    for copier in (4, 5):
        same = rng.random(len(said)) < 0.8
        said[same, copier] = said[same, 3]
    return item, who, said.ravel().tolist(), truth


def vague(rng: Rng, sizes: tuple[int, ...] | None) -> Draw:
    """Draw sets of six classes: of a size each, or two labels mostly when wrong."""
    truth, item, who = asked(rng, 300, 6, 4, 6)
    tables = np.array([table(rng, s, 6) for s in rng.uniform(0.45, 0.9, 6)])
    ranks = order(rng, tables, truth, item, who)
    wrong = ranks[:, 0] != truth[item]
    unsure = 1 + (rng.random(len(item)) < np.where(wrong, 0.7, 0.2))
    size = unsure if sizes is None else np.array(sizes)[who]
    labels = [tuple(r[:m]) for r, m in zip(ranks.tolist(), size, strict=True)]
    return item, who, labels, truth


def ticked(rng: Rng) -> Draw:
    """Draw sets in which every label is ticked or not, by itself."""
    truth, item, who = asked(rng, 300, 6, 4, 5)
    hit, false = rng.uniform(0.6, 0.95, 6), rng.uniform(0.05, 0.3, 6)
    chance = np.tile(false[who][:, None], (1, 5))
    chance[np.arange(len(item)), truth[item]] = hit[who]
    marks = rng.random(chance.shape) < chance
    guess = rng.integers(0, 5, len(item))
    marks[~marks.any(axis=1), guess[~marks.any(axis=1)]] = True
    return item, who, [tuple(np.flatnonzero(row)) for row in marks], truth


def ordinal(rng: Rng) -> Draw:
    """Draw five grades; errors are near, and people strict or mild."""
    truth, item, who = asked(rng, 300, 8, 4, 5)
    lean, noise = rng.normal(0, 0.4, 8), rng.uniform(0.4, 1.0, 8)
    seen = truth[item] + lean[who] + noise[who] * rng.normal(size=len(item))
    return item, who, np.clip(np.rint(seen), 0, 4).astype(int).tolist(), truth


def once(rng: Rng) -> Draw:
    """Draw three answers of a sixth of the items, one of the others."""
    item, who, labels, truth = usual(rng, people=10, each=3)
    kept = (item % 6 == 0) | (np.arange(len(item)) % 3 == 0)
    return item[kept], who[kept], [labels[n] for n in np.flatnonzero(kept)], truth


_STRICT = {"skill": (0.6, 0.9), "people": 20, "each": 5}
KINDS: dict[str, Callable[[Rng], Draw]] = {
    "2 classes, 9 to 1": partial(usual, shares=[9, 1], skill=(0.6, 0.9)),
    "5 classes, 35 to 1": partial(usual, shares=[35, 8, 4, 2, 1]),
    "30 classes": partial(usual, shares=30),
    "60 classes, 3 answers": partial(usual, shares=60, each=3),
    "a fifth of the items misleads all": trapped,
    "items of unequal difficulty": uneven,
    "450 people, 2 answers each": partial(passing, guess=0.0),
    "450 people, a third guesses": partial(passing, guess=0.3),
    "40 people, few answer most": busy,
    "two of six copy a third": copies,
    "sets of 1, 2, 3 and 4 labels": partial(vague, sizes=(1, 1, 2, 2, 3, 4)),
    "sets when unsure": partial(vague, sizes=None),
    "labels ticked one by one": ticked,
    "3 of 8 turn the classes alike": partial(
        usual, each=8, change=partial(turned, many=3, alike=True)
    ),
    "5 of 20 permute the classes": partial(
        usual, people=20, each=5, change=partial(turned, many=5, alike=False)
    ),
    "grades": ordinal,
    "30 people, yes or no": partial(
        usual, items=110, people=30, each=30, shares=2, change=biased
    ),
    "40 people, 3 of 5 guess": partial(
        usual, people=40, each=5, shares=2, change=partial(hammers, share=0.4)
    ),
    "4 of 8 say always the same": partial(
        usual, each=8, skill=(0.6, 0.9), change=partial(constant, many=4, labels=2)
    ),
    "8 of 20 say one label": partial(
        usual, **_STRICT, change=partial(constant, many=8, labels=1)
    ),
    "2 experts among 12": partial(
        usual, people=12, each=6, skill=(0.3, 0.5), change=experts
    ),
    "specialists": partial(usual, people=12, each=5, shares=6, change=specialists),
    "3 good people": partial(usual, people=3, each=3, skill=(0.85, 0.95)),
    "20 items": partial(usual, items=20, people=3, each=3, skill=(0.7, 0.9)),
    "2 people, yes or no": partial(usual, people=2, each=2, shares=2, skill=(0.6, 0.9)),
    "7 weak people, yes or no": partial(
        usual, people=7, each=7, shares=2, skill=(0.5, 0.7)
    ),
    "nearly no errors": partial(usual, people=10, each=3, skill=(0.95, 0.995)),
    "one answer mostly": once,
}
