"""Crowds whose truth is known."""

import numpy as np
import pandas as pd


def crowd(
    items,
    people,
    classes,
    *,
    skill=(0.6, 0.9),
    each=None,
    vague=0.0,
    spammers=0,
    adversaries=0,
    seed=0,
):
    """Draw answers; some are pairs, some people guess or name wrong labels only."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, items)
    skills = rng.uniform(*skill, people)
    names = [f"p{n}" for n in range(people)]
    last = people - spammers - adversaries
    for n in range(spammers):
        skills[last + n], names[last + n] = 1 / classes, f"spammer{n}"
    for n in range(adversaries):
        skills[-1 - n], names[-1 - n] = 0.3 / classes, f"adversary{n}"
    rows = []
    for item in range(items):
        asked = rng.permutation(people)[: each or people]
        for who in np.sort(asked):
            right = rng.random() < skills[who]
            wrong = (truth[item] + rng.integers(1, classes)) % classes
            named = [truth[item] if right else wrong]
            if rng.random() < vague:
                named.append((named[0] + rng.integers(1, classes)) % classes)
            rows.append((item, names[who], named if len(named) > 1 else named[0]))
    answers = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    return answers, pd.Series(truth, name="truth")
