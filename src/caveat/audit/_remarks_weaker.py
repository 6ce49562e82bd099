"""Caveats about weaker labels: several targets, shares of groups, candidates."""

from __future__ import annotations

from caveat.audit._reading import Reading
from caveat.audit._reading_weaker import MAIN
from caveat.audit._remark import Remark, number
from caveat.report import kit


def several_targets(reading: Reading) -> list[Remark]:
    """Hold learners of several targets against popularity, thresholds, measures."""
    found = reading.targets
    if found is None or found.best is None:
        return _other_targets(reading)
    return [
        *_against_popularity(reading),
        *_thresholds(reading),
        *_leaders(reading),
        *_other_targets(reading),
    ]


def _against_popularity(reading: Reading) -> list[Remark]:
    found = reading.targets
    assert found is not None
    assert found.best is not None
    best = found.best
    value, low, _ = best.labels
    edge = low if low == low else value
    if edge > found.popularity:
        return []
    return [
        Remark(
            "popular",
            "targets",
            "serious" if value <= found.popularity else "careful",
            kit.say(
                "{model} orders {value} of the label pairs of a row; a list of the "
                "labels by popularity alone orders {free}.",
                model=kit.capital(best.title),
                value=kit.strong(number(value)),
                free=number(found.popularity),
            ),
            number(value),
            "Ranking loss, one-error, coverage and average precision rest on these.",
            1.0,
        )
    ]


def _thresholds(reading: Reading) -> list[Remark]:
    found = reading.targets
    assert found is not None
    assert found.best is not None
    table = found.best.thresholds
    if "macro-f1" not in table or "tuned on the test rows" not in table.index:
        return []
    column = table["macro-f1"]
    tuned, honest = float(column["tuned on the test rows"]), float(column["per label"])
    if tuned - honest <= 0.05:
        return []
    return [
        Remark(
            "peeked",
            "targets",
            "careful",
            kit.say(
                "Thresholds tuned on the rows they are judged on would show {tuned} as "
                "the macro-F1 of {model}; those from training give {honest}.",
                tuned=kit.strong(number(tuned)),
                model=found.best.title,
                honest=number(honest),
            ),
            number(tuned),
            "Ask every published macro-F1 where its thresholds come from.",
            tuned - honest,
        )
    ]


def _leaders(reading: Reading) -> list[Remark]:
    """Say whether the measures agree on who is best."""
    from caveat.multilabel._catalogue import MEASURES

    found = reading.targets
    assert found is not None
    leaders = {}
    for measure in MEASURES.values():
        name = measure.name.replace("_", "-")
        values = {
            key: one.measures[name][0]
            for key, one in found.models.items()
            if name in one.measures
        }
        if values:
            pick = max if measure.higher_is_better else min
            leaders[name] = pick(values, key=lambda one: values[one])
    names = list(dict.fromkeys(leaders.values()))
    if len(names) < 2:
        return []
    titles = {name: found.models[name].title for name in names}
    other = next((k for k, v in leaders.items() if v != leaders[MAIN]), MAIN)
    return [
        Remark(
            "disagree",
            "targets",
            "note",
            kit.say(
                "{count} models lead on at least one of {all} measures: {first} by "
                "average precision, {second} by {other}.",
                count=kit.strong(kit.capital(kit.word(len(names)))),
                all=kit.word(len(leaders)),
                first=titles[leaders[MAIN]],
                second=titles[leaders[other]],
                other=MEASURES[other.replace("-", "_")].title,
            ),
            kit.capital(kit.word(len(names))),
            "They compare different pairs: choose the measure before the model.",
        )
    ]


def _other_targets(reading: Reading) -> list[Remark]:
    """Say that the other targets are no features of the one."""
    aside = reading.scenario["aside"]
    others = [name for name, why in aside.items() if why == "another target"]
    if not others:
        return []
    count = kit.plural(len(others), "other target")
    return [
        Remark(
            "others",
            "data",
            "note",
            kit.say(
                "{count} {were} set aside where {target} is predicted: {names} would "
                "not be known by then.",
                count=kit.strong(count),
                were="was" if len(others) == 1 else "were",
                target=kit.code(str(reading.facts["target"])),
                names="it" if len(others) == 1 else "they",
            ),
            count,
            kit.say("{option} lets models see one.", option=kit.code("--keep COL")),
        )
    ]
