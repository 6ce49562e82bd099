"""Twenty files through every command that takes a table: one reader, one answer.

Each command is stopped where it begins to compute, so that all of them can be asked
about all files: what it was about to learn from is what it has read.
"""

import numpy as np
import pandas as pd
import pytest

import caveat.audit._plan
import caveat.bags._from_data
import caveat.bags.ecological._from_data
import caveat.candidates._from_data
import caveat.eapp._from_data
import caveat.multilabel._from_data
import caveat.shift._look_rows
from caveat.audit._settings import Settings
from caveat.pages import About
from caveat.study import Study, plan, run_trial
from caveat.supervised.study import SupervisedTopic

ROWS = 60
GROUPED, LABELS = "region", ["calm", "loud"]
"""Columns that only some commands ask for."""
REST = ["set", GROUPED, *LABELS]


def plain():
    rng = np.random.default_rng(0)
    age = rng.normal(40, 9, ROWS).round(1)
    sick = age + rng.normal(0, 4, ROWS) > 45
    return pd.DataFrame(
        {
            "age": age,
            "dose": rng.normal(size=ROWS).round(2),
            "sex": rng.choice(["f", "m"], ROWS),
            GROUPED: [f"r{number % 4}" for number in range(ROWS)],
            "calm": rng.integers(0, 2, ROWS),
            "loud": rng.integers(0, 2, ROWS),
            "y": np.where(sick, "ill", "well"),
        }
    )


def dates(form):
    days = pd.date_range("2024-01-05", periods=ROWS, freq="9D")
    return lambda: plain().assign(day=days.strftime(form))


def renamed(words):
    return lambda: plain().assign(y=lambda table: table["y"].map(words))


def with_words(column, word):
    def made():
        table = plain()
        table[column] = table[column].astype(object)
        table.loc[::7, column] = word
        return table

    return made


def several():
    table = plain()
    table.loc[::3, "y"] = "dead"
    return table


FILES = {
    "plain": (plain, {}, "ill"),
    "ISO dates": (dates("%Y-%m-%d"), {"day": "date"}, "ill"),
    "German dates": (dates("%d.%m.%Y"), {"day": "date"}, "ill"),
    "American dates": (dates("%m/%d/%Y"), {"day": "date"}, "ill"),
    "dates with names": (dates("%d %b %Y"), {"day": "date"}, "ill"),
    "dates and times": (dates("%Y-%m-%dT%H:%M:%S"), {"day": "date"}, "ill"),
    "row numbers": (
        lambda: plain().assign(row=range(ROWS)),
        {"row": "identifier"},
        "ill",
    ),
    "customer numbers": (
        lambda: plain().assign(customer_id=np.arange(ROWS) * 977 % 9001),
        {"customer_id": "identifier"},
        "ill",
    ),
    "codes": (
        lambda: plain().assign(code=[f"A{n:03}-{n * 7 % 60}" for n in range(ROWS)]),
        {"code": "identifier"},
        "ill",
    ),
    "file names": (
        lambda: plain().assign(scan=[f"scan-{n}.png" for n in range(ROWS)]),
        {"scan": "identifier"},
        "ill",
    ),
    "remarks": (
        lambda: plain().assign(
            said=[f"patient {n} slept {n % 9} hours and felt fine" for n in range(ROWS)]
        ),
        {"said": "free text"},
        "ill",
    ),
    "one value": (lambda: plain().assign(site="north"), {"site": "constant"}, "ill"),
    "nothing": (lambda: plain().assign(later=np.nan), {"later": "empty"}, "ill"),
    "commas": (
        lambda: plain().assign(
            dose=lambda table: table["dose"].map("{:.2f}".format).str.replace(".", ",")
        ),
        {},
        "ill",
    ),
    "n/a": (with_words("dose", "n/a"), {}, "ill"),
    "question marks": (with_words("age", "?"), {}, "ill"),
    "yes and no": (renamed({"ill": "no", "well": "yes"}), {}, "yes"),
    "true and false": (renamed({"ill": "False", "well": "True"}), {}, "True"),
    "0 and 1": (renamed({"ill": 0, "well": 1}), {}, "1"),
    "three classes": (several, {}, ""),
}


@pytest.fixture(scope="module", params=FILES)
def case(request, tmp_path_factory):
    """Write the file, the same with sets of labels, and the shares of its groups."""
    make, left_out, positive = FILES[request.param]
    table, folder = make(), tmp_path_factory.mktemp("alike")
    classes = sorted(map(str, table["y"].unique()))
    named = table["y"].astype(str)
    table["set"] = np.where(np.arange(ROWS) % 3, named, "|".join(classes))
    file = folder / "patients.csv"
    table.to_csv(file, index=False, sep=";")
    shares = pd.crosstab(table[GROUPED], named, normalize="index").reset_index()
    shares.to_csv(folder / "shares.csv", index=False)
    apart = {"y", "set", GROUPED, *LABELS, *left_out}
    columns = [name for name in table.columns if name not in apart]
    return file, columns, left_out, classes, positive


class Stopped(Exception):
    """What a command was about to work on."""


def stopped(monkeypatch, owner, name, work):
    """Do the work until `owner.name` is called; give what it was called with."""

    def stop(*args, **kwargs):
        raise Stopped(args, kwargs)

    monkeypatch.setattr(owner, name, stop)
    with pytest.raises(Stopped) as caught:
        work()
    return caught.value.args


def of_dataset(dataset, named=()):
    """Say how a data set was read; `named` are columns that make groups."""
    classes = [str(label) for label in dataset.classes if dataset.y is not None]
    about = About.of(dataset) if classes else None
    columns = [name for name in dataset.X.columns if name not in named]
    return columns, dict(dataset.left_out), classes, about and about.positive


def eapp(monkeypatch, file):
    where = caveat.eapp._from_data
    (dataset, *_), _ = stopped(
        monkeypatch, where, "role_folds", lambda: where.look(file, "y", drop=REST)
    )
    return of_dataset(dataset)


def shift(monkeypatch, file):
    where = caveat.shift._look_rows
    (dataset,), _ = stopped(
        monkeypatch,
        where,
        "make_folds",
        lambda: caveat.shift.look(file, "y", drop=REST),
    )
    return of_dataset(dataset)


def multilabel(monkeypatch, file):
    where, drop = caveat.multilabel._from_data, ["set", "y", GROUPED]
    (dataset, *_), _ = stopped(
        monkeypatch, where, "_train", lambda: where.look(file, LABELS, drop=drop)
    )
    return of_dataset(dataset)


def bags(monkeypatch, file):
    where, drop = caveat.bags._from_data, ["set", *LABELS]
    monkeypatch.setattr(where, "examine_bags", lambda *args, **options: options)
    (options, about), _ = stopped(
        monkeypatch,
        where.page,
        "look",
        lambda: where.look(file, GROUPED, "y", drop=drop),
    )
    columns = [name for name in options["kinds"] if name != GROUPED]
    assert about.columns == len(columns)
    positive = str(options["positive"]) if about.task == "binary" else ""
    return columns, dict(about.left_out), None, positive


def shares(monkeypatch, file):
    where, known = caveat.bags.ecological._from_data, file.with_name("shares.csv")
    drop = ["set", "y", *LABELS]
    (grouped,), _ = stopped(
        monkeypatch,
        where,
        "answer",
        lambda: caveat.bags._from_data.look(file, GROUPED, shares=known, drop=drop),
    )
    positive = grouped.classes[-1] if len(grouped.classes) == 2 else ""
    return list(grouped.frame), grouped.left_out, grouped.classes, positive


def candidates(monkeypatch, file):
    where, drop = caveat.candidates._from_data, [GROUPED, *LABELS]
    (table,), _ = stopped(
        monkeypatch,
        where,
        "examine_candidates",
        lambda: where.look(file, "set", truth="y", drop=drop),
    )
    return list(table.X), dict(table.left_out), table.answers.classes, None


def audit(monkeypatch, file):
    settings = Settings(str(file), target="y", drop=tuple(REST))
    found = caveat.audit._plan.prepare(settings)
    positive = found.table.classes[-1] if len(found.table.classes) == 2 else ""
    return list(found.table.X), dict(found.outline.aside), found.table.classes, positive


def run(monkeypatch, file):
    dataset = {"file": str(file), "target": "y", "drop": REST}
    study = {"study": "alike", "topic": "supervised", "datasets": [dataset]}
    trials = plan(Study.model_validate({**study, "learners": ["dummy"]}))
    spec = next(one.spec for one in trials if one.spec["topic"] == "supervised")
    (_, context), _ = stopped(
        monkeypatch, SupervisedTopic, "run", lambda: run_trial(spec)
    )
    return of_dataset(context.dataset)


COMMANDS = [eapp, shift, multilabel, bags, shares, candidates, audit, run]


@pytest.mark.thorough
@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: one.__name__)
def test_target_classes_and_columns_are_the_same(monkeypatch, case, command):
    read_alike(command(monkeypatch, case[0]), case)


def read_alike(found, case):
    """The law: a command has the columns, classes and positive class of all others."""
    _, *expected, known, positive = case
    columns, left_out, classes, called = found
    assert [columns, left_out] == expected
    assert sorted(classes or known) == known
    assert called in (None, positive)


OWN_WAYS = {
    "dates and names as features": lambda c, out, *rest: ([*c, *out], {}, *rest),
    "classes of its own": lambda c, out, classes, p: (c, out, classes[:-1], p),
    "another positive class": lambda c, out, classes, p: (c, out, classes, f"not {p}"),
}


@pytest.mark.parametrize("way", OWN_WAYS)
def test_a_command_that_reads_in_its_own_way_is_seen(way):
    read = (["age"], {"day": "date"}, ["ill", "well"], "ill")
    case = ("file", *read)
    read_alike(read, case)
    with pytest.raises(AssertionError):
        read_alike(OWN_WAYS[way](*read), case)
