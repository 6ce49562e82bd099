"""Further measures beside the constant answer: each that is shown has its floor."""

from __future__ import annotations

from collections.abc import Iterator

from caveat import pages
from caveat.audit.result import FURTHER, Result
from caveat.pages import claims


def below_constant(found: Result) -> Iterator[claims.Claim]:
    """Say by which further measures every model lies below the constant answer."""
    for name, title in FURTHER.items():
        gaps = [model.over_constant.get(name) for model in found.models]
        known = [gap for gap in gaps if gap is not None]
        if not known or len(known) < len(gaps) or name not in found.constant:
            continue
        if all(gap.value < 0 for gap in known):
            yield _below(found, name, title)


def _below(found: Result, name: str, title: str) -> claims.Claim:
    nearest = max(found.models, key=lambda model: model.over_constant[name].value)
    gap, bar = nearest.over_constant[name], found.constant[name]
    sure = all((m.over_constant[name].high or 0) < 0 for m in found.models)
    told = "surely below" if sure else "not told apart at this size"
    many = len(found.models) > 1
    words = pages.say(
        "By {measure}, {who} below the constant answer, {bar}{nearest} by {gap}; "
        "{basis}, {told}.",
        measure=title if title.isupper() else title.lower(),
        who="all models lie" if many else pages.say("{n} lies", n=nearest.title),
        bar=pages.fixed(bar, 3),
        nearest=", the nearest" if many else ",",
        gap=claims.written(gap),
        basis=gap.basis,
        told=told if gap.has_interval else "how sure that is was not measured",
    )
    return claims.Condition(
        sentence=words,
        counts=(bar,),
        estimate=gap,
        severity="careful" if sure else "note",
        section="models",
        size=0.08,
    )
