"""The page of `caveat shift`: what carries the models, how they decay, what helps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from caveat import pages as kit
from caveat.cli._again import again_section
from caveat.cli._remark import caveats_of
from caveat.cli._shift_figures import (
    column_figure,
    decay_figure,
    deployed,
    one_line,
)
from caveat.cli._shift_remarks import best_model, short

if TYPE_CHECKING:
    from caveat.cli._shift_result import Shifted


def write_page(result: Shifted, command: str, out: str) -> Path:
    """Write the page and its files; return the page's path."""
    target = "" if result.dataset.y is None else str(result.dataset.y.name)
    sections = [_data_section(result)]
    if result.look.missing is not None:
        sections.append(_missing_section(result))
    sections += [_column_section(result), _decay_section(result)]
    if len(result.look.imputers) > 1:
        sections.append(_imputer_section(result))
    sections.append(again_section(result.conditions, command))
    chapter = kit.Chapter(
        "",
        kit.say(
            "Feature shift of {file}, target {target}",
            file=kit.code(result.file),
            target=kit.code(target),
        ),
        _title(result),
        _lede(result),
        figure=one_line(result),
        sections=sections,
        checks="Every column was taken away alone, and then any number of them.",
    )
    return kit.write(kit.Page([chapter]), out)


def _keeps(result: Shifted) -> str:
    return "keeps most" if result.look.larger_is_better else "errs least"


def _title(result: Shifted) -> kit.Prose:
    name, row = deployed(result)
    return kit.say(
        "{model} scores {closed}. Without {column} it scores {worst}.",
        model=name,
        closed=short(row["closed"]),
        column=str(row["worst_column"]),
        worst=short(row["worst"]),
    )


def _lede(result: Shifted) -> kit.Prose:
    robust = str(result.look.models.index[0])
    row = result.look.models.loc[robust]
    return kit.say(
        "{measure} on {rows} held-out rows. Averaged over how many columns are gone, "
        "{model} {keeps}: {area}.",
        measure=result.title,
        rows=kit.count(result.n_test),
        model=robust,
        keeps=_keeps(result),
        area=kit.strong(short(row["area"])),
    )


def _data_section(result: Shifted) -> kit.Section:
    X = result.dataset.X
    kinds = list(result.dataset.kinds.values())
    counts = {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}
    facts: list[tuple[str, Any]] = [
        ("Read as", ", ".join(f"{kit.count(n)} {kind}" for kind, n in counts.items())),
        ("Fitted to", f"{kit.count(result.n_train)} rows"),
        ("Measured on", f"{kit.count(result.n_test)} rows"),
    ]
    facts += [("Noted", text) for text in result.dataset.notes]
    return kit.Section(
        "data",
        "The data",
        f"{kit.count(len(X))} rows, {kit.count(X.shape[1])} columns that may vanish",
        blocks=[kit.Facts(facts)],
        caveats=caveats_of(result.remarks),
    )


def _missing_section(result: Shifted) -> kit.Section:
    frame = result.look.missing
    assert frame is not None
    ascending = not result.look.larger_is_better
    rows = frame.sort_values("imputed", ascending=ascending, kind="stable")
    best = rows.iloc[0]
    columns = [
        kit.Column("Model", "name"),
        kit.Column("Imputer", "text"),
        kit.Column("Before"),
        kit.Column("After", best=_best(result), sorted=True),
        kit.Column("Fitted again", best=_best(result)),
    ]
    table = kit.Table(
        "missing",
        kit.say("{measure} before and after the loss", measure=result.title),
        columns,
        [
            kit.Row(
                [
                    kit.Cell(str(row["model"])),
                    kit.Cell(str(row["imputer"]), tone="muted"),
                    _cell(row["closed"]),
                    _cell(row["imputed"], tone="strong"),
                    _cell(row["refitted"]),
                ]
            )
            for _, row in rows.iterrows()
        ],
        downloads=[kit.Download.csv("missing.csv", frame)],
    )
    return kit.Section(
        "missing",
        "About to be lost",
        kit.say(
            "Without {columns}, {model} goes from {before} to {after}",
            columns=kit.join([kit.code(name) for name in result.missing], " and "),
            model=str(best["model"]),
            before=short(best["closed"]),
            after=short(best["imputed"]),
        ),
        lead="After: the fitted model, other values in the lost columns. Fitted again: "
        "a fresh model that never had them.",
        blocks=[table],
        caveats=caveats_of(result.remarks, "missing"),
    )


def _column_section(result: Shifted) -> kit.Section:
    name, row = deployed(result)
    return kit.Section(
        "columns",
        "What carries it",
        kit.say(
            "{column} matters most to {model}: {worst} without it",
            column=kit.code(str(row["worst_column"])),
            model=name,
            worst=short(row["worst"]),
        ),
        blocks=[column_figure(result)],
        caveats=caveats_of(result.remarks, "columns"),
    )


def _decay_section(result: Shifted) -> kit.Section:
    look = result.look
    robust = str(look.models.index[0])
    return kit.Section(
        "decay",
        "How they decay",
        kit.say(
            "{model} {keeps} when columns vanish: {area} on average",
            model=robust,
            keeps=_keeps(result),
            area=short(float(look.models["area"].iloc[0])),
        ),
        blocks=[decay_figure(result), _model_table(result)],
        caveats=caveats_of(result.remarks, "decay"),
    )


def _model_table(result: Shifted) -> kit.Table:
    best = _best(result)
    columns = [
        kit.Column("Model", "name"),
        kit.Column("All columns", best=best),
        kit.Column("Worst one gone", best=best),
        kit.Column("Half gone", best=best),
        kit.Column("On average", best=best, sorted=True),
    ]
    rows = [
        kit.Row(
            [
                kit.Cell(str(name)),
                _cell(row["closed"]),
                _cell(row["worst"]),
                _cell(row["half"]),
                _cell(row["area"], tone="strong"),
            ]
        )
        for name, row in result.look.models.iterrows()
    ]
    floor = [kit.Cell("constant answer"), _cell(result.look.floor)]
    rows.append(kit.Row([*floor, kit.Cell(), kit.Cell(), kit.Cell()], place="bottom"))
    return kit.Table(
        "models",
        kit.say("{measure} of every model", measure=result.title),
        columns,
        rows,
        downloads=[kit.Download.csv("models.csv", result.look.models.reset_index())],
    )


def _imputer_section(result: Shifted) -> kit.Section:
    frame = result.look.imputers
    name = best_model(result.look)
    areas = frame[name].dropna().astype(float)
    top = areas.idxmax() if result.look.larger_is_better else areas.idxmin()
    columns = [kit.Column("Imputer", "name")]
    columns += [kit.Column(str(model), best=_best(result)) for model in frame.columns]
    rows = [
        kit.Row([kit.Cell(str(label)), *(_cell(value) for value in values)])
        for label, values in zip(frame.index, frame.to_numpy(), strict=True)
    ]
    return kit.Section(
        "imputers",
        "What helps",
        kit.say(
            "{imputer} imputation suits {model} best: {area} on average",
            imputer=str(top),
            model=name,
            area=short(float(areas[top])),
        ),
        lead="What stands in the place of a lost column decides much of the damage.",
        blocks=[
            kit.Table(
                "imputers",
                kit.say("{measure}, averaged over degrees", measure=result.title),
                columns,
                rows,
                downloads=[kit.Download.csv("imputers.csv", frame.reset_index())],
            )
        ],
        caveats=caveats_of(result.remarks, "imputers"),
    )


def _best(result: Shifted) -> Any:
    return "max" if result.look.larger_is_better else "min"


def _cell(value: Any, tone: str = "") -> kit.Cell:
    number = float(value)
    if number != number:
        return kit.Cell("–", tone="muted")
    places = 3 if abs(number) < 100 else 1
    return kit.Cell(kit.fixed(number, places), value=number, tone=tone)
