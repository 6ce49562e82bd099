"""Caveats about weaker labels: several targets, shares of groups, candidates."""

from __future__ import annotations

from caveat import pages as kit
from caveat.audit._reading import Reading
from caveat.audit._reading_weaker import MAIN
from caveat.audit._remark import Remark, number


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
    from caveat.measures import LABEL_MEASURES as MEASURES

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
            pick = max if measure.larger_is_better else min
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


def shares_of_groups(reading: Reading) -> list[Remark]:
    """Hold what shares teach against every label and against what is free."""
    found = reading.shares
    if found is None or not found.facts:
        return []
    remarks = [*_hidden(reading), *_regret(reading)]
    facts = found.facts
    if facts["variant"] in ("intermediate", "hard"):
        remarks.append(
            Remark(
                "variant",
                "shares",
                "careful",
                kit.say(
                    "Groups by {column} differ in more than their labels ({test}): "
                    "mean maps and forward correction assume that they do not.",
                    column=_bags(reading),
                    test=kit.strong(kit.p_value(float(facts["T4"]))),
                ),
                kit.p_value(float(facts["T4"])),
                "Rows of one class are not alike in all groups.",
            )
        )
    spread = float(facts["spread"])
    if spread < 0.02:
        remarks.append(
            Remark(
                "spread",
                "shares",
                "careful",
                kit.say(
                    "Groups by {column} have almost the same shares: their standard "
                    "deviation is {spread}.",
                    column=_bags(reading),
                    spread=kit.strong(kit.fixed(spread, 3)),
                ),
                kit.fixed(spread, 3),
                "What differs between them is mostly chance.",
            )
        )
    left = int(facts["left-out"])
    if left:
        remarks.append(
            Remark(
                "left-out",
                "shares",
                "note",
                kit.say(
                    "{left} in groups of fewer than ten taught nothing.",
                    left=kit.strong(kit.plural(left, "row")),
                ),
                kit.plural(left, "row"),
            )
        )
    return remarks


def _bags(reading: Reading) -> kit.Span:
    return kit.code(str(reading.scenario["bags"]))


def _hidden(reading: Reading) -> list[Remark]:
    """Say how much of the score is lost when only shares are known."""
    found, full = reading.shares, reading.best
    if found is None or found.best is None or full is None or not reading.has_skill:
        return []
    best = found.best
    share = (best.auc[0] - 0.5) / max(full.value - 0.5, 1e-12)
    free = reading.free
    below = free is not None and free.p < 0.05 and best.auc[0] <= free.value
    if share >= 0.75 and not below:
        return []
    tail = (
        kit.say(", and clusters {free} without any", free=number(free.value))
        if below and free is not None
        else kit.prose("")
    )
    return [
        Remark(
            "hidden",
            "shares",
            "serious" if share < 0.5 else "careful",
            kit.say(
                "Shares by {column} support {value} AUC, every label {full}{tail}.",
                column=_bags(reading),
                value=kit.strong(number(best.auc[0])),
                full=number(full.value),
                tail=tail,
            ),
            number(best.auc[0]),
            kit.say("{model}, settings chosen without labels.", model=best.title),
            1 - share,
        )
    ]


def _regret(reading: Reading) -> list[Remark]:
    found = reading.shares
    if found is None or not len(found.rules) or float(found.rules.iloc[0]) <= 0.02:
        return []
    value = kit.fixed(float(found.rules.iloc[0]), 2)
    return [
        Remark(
            "regret",
            "shares",
            "careful",
            kit.say(
                "Choosing settings without labels costs {value} AUC even by the best "
                "rule, {rule}.",
                value=kit.strong(value),
                rule=str(found.rules.index[0]),
            ),
            value,
            "Against the best setting, which only labels can tell.",
            float(found.rules.iloc[0]),
        )
    ]
