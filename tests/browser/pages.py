"""The pages that are opened: one of every topic's command, and two audits.

Each is made in a folder of its own, when a test first asks for it. All have names in
them that would break a page that trusts its data.
"""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from caveat._registry import Entry
from caveat.audit import Settings, _topics, audit
from caveat.cli._root import caveat
from caveat.datasets import load
from caveat.study.registry import ENGINES, TOPICS

HOSTILE = "<img src=x> “a”, 'b' 😀"
COMMANDS = {
    "eapp": ["--target", "tree", "--shuffles", "5"],
    "bags": ["--target", "tree", "--by", "town", "--learner", "mm", "--repeats", "1"],
    "candidates": ["--candidates", "seen", "--truth", "tree", "--steps", "20"],
    "multilabel": ["--targets", "warm,calm", "--models", "br-logistic"],
    "shift": ["--target", "tree", "--models", "logistic-regression", "--drop", "seen"],
}


def trees(path):
    """Write one table that every topic can use, with hostile names."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 160)
    X = rng.normal(size=(160, 3)) + 1.5 * y[:, None]
    words = np.array(["ash", "<i>birch</i> & co, a very long name of a class indeed"])
    frame = pd.DataFrame(
        {
            HOSTILE: X[:, 0],
            **{f"x{i}": X[:, i] for i in (1, 2)},
            "town": [f"t{n}" for n in (y + rng.integers(0, 3, 160)) % 4],
            "warm": (X[:, 0] > 0.5).astype(int),
            "calm": (X[:, 1] > 0).astype(int),
            "seen": np.where(rng.random(160) < 0.5, "|".join(words), words[y]),
            "tree": words[y],
        }
    )
    frame.to_csv(path, index=False)


def topic_page(name, place):
    """Run the command of a topic."""
    trees(place / "trees.csv")
    words = [name, str(place / "trees.csv"), *COMMANDS[name]]
    found = CliRunner().invoke(caveat, [*words, "--out", str(place / "out")])
    assert found.exit_code == 0, found.output


def audit_page(place):
    """Audit iris with hostile names."""
    data = load("iris")
    frame = data.X.rename(columns={data.X.columns[0]: HOSTILE})
    frame.assign(kind=data.y).to_csv(place / "iris.csv", index=False)
    settings = Settings(
        str(place / "iris.csv"),
        "kind",
        models=("logistic-regression", "k-nn"),
        shuffles=20,
    )
    with pytest.MonkeyPatch.context() as patch:
        audit_here(settings, place / "out", patch).save()


def audit_here(settings, out, patch):
    """Audit with trials in this process."""
    len(TOPICS)  # Plug-ins are looked for before the fake one could be found.
    patch.syspath_prepend(str(Path(__file__).parents[1] / "study" / "plugin"))
    inline = Entry(name="inline", target="caveat_fake:InlineEngine")
    patch.setitem(ENGINES._entries, "inline", inline)
    return audit(settings, out, engine="inline", command="caveat audit")


def topics_page(place):
    """Audit a table with all topics that can be asked for, and hostile names."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = rng.normal(size=(200, 3)) + 1.5 * np.eye(3)[y]
    words = np.array(["ash", "<i>birch</i>", "cedar & co"])
    pd.DataFrame(
        {
            **{f"x{i}": X[:, i] for i in range(3)},
            "<img src=x> town": [f"t{n}" for n in (y + rng.integers(0, 3, 200)) % 4],
            "is_warm_and_has_a_very_long_name_indeed": (X[:, 0] > 0.5).astype(int),
            "calm": (X[:, 1] > 0).astype(int),
            "seen": [f"{words[a]}|{words[(a + 1) % 3]}" for a in y],
            "tree": words[y],
        }
    ).to_csv(place / "trees.csv", index=False)
    settings = Settings(
        str(place / "trees.csv"),
        "tree",
        targets=("is_warm_and_has_a_very_long_name_indeed", "calm"),
        bags="<img src=x> town",
        candidates="seen",
        models=("logistic-regression",),
        folds=2,
        shuffles=5,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_topics, "BAG_LEARNERS", ("mm",))
        patch.setattr(_topics, "_STEPS", 60)
        made = audit_here(settings, place / "out", patch)
    assert set(made.states) == {"done"}
    made.save()


PAGES = {name: partial(topic_page, name) for name in COMMANDS}
PAGES |= {"audit": audit_page, "audit-topics": topics_page}
