"""The page of `caveat shift`: what carries the models, how they decay, what helps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import caveat
from caveat.cli._shift import Shifted, best_model
from caveat.report import kit

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from caveat.report.kit import Canvas

_MOST_COLUMNS = 25


def write_page(result: Shifted, command: str, out: str) -> Path:
    """Write the page and its files; return the page's path."""
    target = "" if result.dataset.y is None else str(result.dataset.y.name)
    sections = [_data_section(result)]
    if result.look.missing is not None:
        sections.append(_missing_section(result))
    sections += [_column_section(result), _decay_section(result)]
    if len(result.look.imputers) > 1:
        sections.append(_imputer_section(result))
    sections.append(_again_section(result, command))
    chapter = kit.Chapter(
        "",
        kit.say(
            "Feature shift of {file}, target {target}",
            file=kit.code(result.file),
            target=kit.code(target),
        ),
        _title(result),
        _lede(result),
        figure=_one_line(result),
        sections=sections,
        checks="Every column was taken away alone, and then any number of them.",
    )
    return kit.write(kit.Page([chapter]), out)


def _closed(result: Shifted) -> tuple[str, pd.Series]:
    """Find the model that one would deploy, and its row."""
    name = best_model(result.look)
    return name, result.look.models.loc[name]


def _short(value: float) -> str:
    return f"{value:.2f}" if abs(value) < 100 else f"{value:.4g}"


def _keeps(result: Shifted) -> str:
    return "keeps most" if result.look.larger_is_better else "errs least"


def _title(result: Shifted) -> kit.Prose:
    name, row = _closed(result)
    return kit.say(
        "{model} scores {closed}. Without {column} it scores {worst}.",
        model=name,
        closed=_short(row["closed"]),
        column=str(row["worst_column"]),
        worst=_short(row["worst"]),
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
        area=kit.strong(_short(row["area"])),
    )


def _caveats(result: Shifted, about: str) -> list[kit.Caveat]:
    remarks = [remark for remark in result.remarks if remark.about == about]
    return [
        kit.Caveat(
            remark.severity,  # type: ignore[arg-type]
            remark.sentence,
            remark.number,
            how=remark.how,
            size=remark.size,
        )
        for remark in remarks
    ]


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
        caveats=_caveats(result, "data"),
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
        downloads=[_csv("missing.csv", frame)],
    )
    return kit.Section(
        "missing",
        "About to be lost",
        kit.say(
            "Without {columns}, {model} goes from {before} to {after}",
            columns=kit.join([kit.code(name) for name in result.missing], " and "),
            model=str(best["model"]),
            before=_short(best["closed"]),
            after=_short(best["imputed"]),
        ),
        lead="After: the fitted model, other values in the lost columns. Fitted again: "
        "a fresh model that never had them.",
        blocks=[table],
        caveats=_caveats(result, "missing"),
    )


def _column_section(result: Shifted) -> kit.Section:
    name, row = _closed(result)
    look = result.look
    single = look.singles[name].of().iloc[1:].set_index("column")["value"]
    order = single.sort_values(ascending=look.larger_is_better, kind="stable")
    shown = order.head(_MOST_COLUMNS)
    closed = float(row["closed"])

    def draw(canvas: Canvas) -> None:
        left = min(2.4, 0.42 * canvas.width)
        axes = canvas.axes(left, 0.5, canvas.width - left - 0.55, canvas.height - 0.75)
        low, high = _range([*shown, closed])
        for place, value in enumerate(reversed(shown.to_list())):
            axes.plot(
                [closed, value],
                [place, place],
                color=canvas.colour("serious-tint"),
                linewidth=4,
                solid_capstyle="butt",
            )
            kit.interval(axes, canvas, place, np.nan, value, np.nan)
            axes.annotate(
                _short(value),
                (1.0, place),
                xycoords=("axes fraction", "data"),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
                color=canvas.colour("ink"),
            )
        axes.axvline(closed, color=canvas.colour("c8"), linewidth=1)
        names = [kit.shorten(label, 30) for label in reversed(shown.index)]
        axes.set_yticks(range(len(shown)), names)
        axes.set_ylim(-0.7, len(shown) - 0.3)
        kit.value_axis(axes, canvas, low, high, f"{result.title} when it vanishes")

    height = 1.0 + 0.24 * len(shown)
    figure = kit.Figure(
        "columns",
        kit.say("What {model} is worth without each column", model=name),
        f"{name} has {_short(closed)} with all columns; without {shown.index[0]} "
        f"{_short(float(shown.iloc[0]))}.",
        draw,
        size=(7.0, height),
        phone_size=(3.6, height),
        conditions=(
            f"{result.conditions} The vertical line is the intact model; a lost column "
            "has the training mean or the most frequent value in every row."
        ),
        downloads=[_csv("columns.csv", look.columns.reset_index())],
    )
    return kit.Section(
        "columns",
        "What carries it",
        kit.say(
            "{column} matters most to {model}: {worst} without it",
            column=kit.code(str(row["worst_column"])),
            model=name,
            worst=_short(row["worst"]),
        ),
        blocks=[figure],
        caveats=_caveats(result, "columns"),
    )


def _decay_section(result: Shifted) -> kit.Section:
    look = result.look
    robust = str(look.models.index[0])
    curves = {name: look.curves[name].of() for name in look.models.index}

    def draw(canvas: Canvas) -> None:
        room = 1.0 if canvas.phone else 1.7
        axes = canvas.axes(0.5, 0.5, canvas.width - 0.5 - room, canvas.height - 0.9)
        every = [value for rows in curves.values() for value in rows["value"]]
        low, high = _range([*every, look.floor])
        ends = []
        for number, (name, rows) in enumerate(curves.items()):
            colour = canvas.colour(f"c{number % 8 + 1}")
            axes.fill_between(
                rows["k"],
                rows["low"],
                rows["high"],
                color=colour,
                alpha=0.15,
                linewidth=0,
            )
            axes.plot(rows["k"], rows["value"], color=colour)
            ends.append((float(rows["value"].iloc[len(rows) // 2]), name, colour))
        last = float(next(iter(curves.values()))["k"].max())
        gap = (high - low) * 0.17 / (canvas.height - 0.9)
        finals = [float(rows["value"].iloc[-1]) for rows in curves.values()]
        for place, (_, name, colour) in zip(kit.spread(finals, gap), ends, strict=True):
            axes.annotate(
                kit.shorten(name, 12 if canvas.phone else 24),
                (last, place),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
                color=colour,
                annotation_clip=False,
            )
        if look.floor == look.floor:
            axes.axhline(look.floor, color=canvas.colour("faint"), linewidth=1)
            axes.text(
                0,
                look.floor,
                "constant answer",
                color=canvas.colour("muted"),
                va="bottom",
            )
        axes.set_xlim(0, last)
        count = len(look.columns)
        axes.set_xlabel(
            f"columns missing, of {count}", loc="left", color=canvas.colour("muted")
        )
        kit.upright_axis(axes, canvas, low, high, result.title)

    data = [
        curve.tidy(model=name).drop(columns=["mask"])
        for name, curve in look.curves.items()
    ]
    import pandas as pd

    figure = kit.Figure(
        "decay",
        kit.say("How the models decay as columns vanish"),
        f"On average over degrees {robust} has "
        f"{_short(float(look.models['area'].iloc[0]))}.",
        draw,
        size=(7.0, 3.2),
        phone_size=(3.6, 3.2),
        conditions=f"{result.conditions} Mean over subsets of columns; band: 95 % "
        "interval of that mean.",
        downloads=[_csv("decay.csv", pd.concat(data))],
    )
    return kit.Section(
        "decay",
        "How they decay",
        kit.say(
            "{model} {keeps} when columns vanish: {area} on average",
            model=robust,
            keeps=_keeps(result),
            area=_short(float(look.models["area"].iloc[0])),
        ),
        blocks=[figure, _model_table(result)],
        caveats=_caveats(result, "decay"),
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
        downloads=[_csv("models.csv", result.look.models.reset_index())],
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
            area=_short(float(areas[top])),
        ),
        lead="What stands in the place of a lost column decides much of the damage.",
        blocks=[
            kit.Table(
                "imputers",
                kit.say("{measure}, averaged over degrees", measure=result.title),
                columns,
                rows,
                downloads=[_csv("imputers.csv", frame.reset_index())],
            )
        ],
        caveats=_caveats(result, "imputers"),
    )


def _again_section(result: Shifted, command: str) -> kit.Section:
    facts: list[tuple[str, Any]] = [
        ("Conditions", result.conditions),
        ("caveat", caveat.__version__),
    ]
    return kit.Section(
        "again",
        "Do it again",
        "The same file, command and seed give the same page, byte for byte",
        blocks=[kit.Facts(facts, command=command)],
    )


def _one_line(result: Shifted) -> kit.Figure:
    """Draw the number line: the constant answer, the intact model, its worst loss."""
    name, row = _closed(result)
    closed, worst, floor = float(row["closed"]), float(row["worst"]), result.look.floor
    known = [value for value in (closed, worst, floor) if value == value]
    low, high = _range(known)

    def draw(canvas: Canvas) -> None:
        axes = canvas.axes(0.2, 0.5, canvas.width - 0.4, canvas.height - 0.95)
        axes.set_ylim(0, 1)
        axes.set_yticks([])
        if floor == floor:
            axes.axvline(floor, color=canvas.colour("faint"), linewidth=1.4)
            axes.text(floor, 1.36, "constant answer", va="bottom",
                      color=canvas.colour("muted"), fontsize=8,
                      ha="left" if floor < closed else "right")  # fmt: skip
            axes.barh([0.4], [closed - floor], left=floor, height=0.5,
                      color=canvas.colour("earned-fill"))  # fmt: skip
        arrow = {"arrowstyle": "->", "color": canvas.colour("serious"), "linewidth": 2}
        axes.annotate("", (worst, 0.82), (closed, 0.82), arrowprops=arrow)
        side = "right" if floor < closed else "left"
        axes.text(closed, 1.36, f"{name} {_short(closed)}", ha=side, va="bottom",
                  color=canvas.colour("earned"), weight="bold")  # fmt: skip
        axes.text(worst, 0.98, f"without {kit.shorten(row['worst_column'], 24)} "
                  f"{_short(worst)}", color=canvas.colour("serious"), ha=side,
                  va="bottom", fontsize=8)  # fmt: skip
        kit.value_axis(axes, canvas, low, high, "")

    return kit.Figure(
        "line",
        "",
        f"{name} has {_short(closed)} with all columns and {_short(worst)} without "
        f"{row['worst_column']}; a constant answer has {_short(floor)}.",
        draw,
        size=(10.5, 1.7),
        phone_size=(3.6, 1.7),
        conditions=f"{result.title} on held-out rows.",
        one_line=True,
    )


def _best(result: Shifted) -> Any:
    return "max" if result.look.larger_is_better else "min"


def _cell(value: Any, tone: str = "") -> kit.Cell:
    number = float(value)
    if number != number:
        return kit.Cell("–", tone="muted")
    places = 3 if abs(number) < 100 else 1
    return kit.Cell(kit.fixed(number, places), value=number, tone=tone)


def _range(values: Sequence[float]) -> tuple[float, float]:
    known = np.array([value for value in values if value == value], dtype=float)
    low, high = float(known.min()), float(known.max())
    pad = 0.06 * (high - low) or 0.05
    return low - pad, high + pad


def _csv(name: str, frame: pd.DataFrame) -> kit.Download:
    return kit.Download(name, "CSV", frame.to_csv(index=False).encode("utf-8"))
