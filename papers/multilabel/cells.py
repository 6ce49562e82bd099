"""What the parts of the page on many labels are written with."""

from __future__ import annotations

from typing import Any

TITLES = {
    "br": "BR",
    "ml-knn": "ML-kNN",
    "gfm": "GFM",
    "limo-inst": "LIMO-inst",
    "limo-label": "LIMO-label",
    "limo": "LIMO",
}
NAMES = {"cal500": "CAL500", "medical": "medical"}


def number(value: float, measure: str) -> str:
    """Write a value as the paper does: three decimals, no leading zero."""
    text = f"{value:.3f}"
    return text.removeprefix("0") if measure != "coverage" else text


def spread(mean: float, std: float, measure: str) -> str:
    """Write mean and standard deviation."""
    return f"{number(mean, measure)}±{number(std, measure)}"


def markdown(header: list[str], rows: list[list[Any]]) -> str:
    """Write a table."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)
