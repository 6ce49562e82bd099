"""Which attributes of an ARFF file are labels: MULAN's XML, MEKA's header, or told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from caveat.datasets.readers._arff import ArffTable
from caveat.exceptions import DataError, UnknownName, listing

_MOST_BYTES = 16 * 2**20


def read_mulan_labels(data: bytes, where: str) -> list[str]:
    """Read MULAN's list of labels; nested labels (a hierarchy) count as well.

    Parameters
    ----------
    data : bytes
    where : str
        The file's name, for messages.

    Examples
    --------
    >>> read_mulan_labels(b'<labels><label name="happy"/></labels>', "x.xml")
    ['happy']
    """
    # Entities can make a small file explode, and no list of labels needs them.
    if len(data) > _MOST_BYTES or re.search(
        rb"<!(DOCTYPE|ENTITY)", data, re.IGNORECASE
    ):
        raise DataError(f"{where} is too large, or declares entities; it is refused")
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise DataError(f"{where} is not whole XML: {error}") from error
    names = [
        element.get("name")
        for element in root.iter()
        if isinstance(element.tag, str) and element.tag.rpartition("}")[2] == "label"
    ]
    if not names or None in names:
        raise DataError(f"{where} does not list labels: <label name=...> is missing")
    found = [str(name) for name in names]
    doubled = sorted({name for name in found if found.count(name) > 1})
    if doubled:
        raise DataError(f"{where} lists the label {listing(doubled)} more than once")
    return found


def label_positions(
    table: ArffTable, where: str, labels: int | Sequence[str] | None
) -> list[int] | None:
    """Find the label attributes.

    Parameters
    ----------
    table : ArffTable
    where : str
        The file's name, for messages.
    labels : int or sequence of str, optional
        Names, or a count: the first ones if positive, the last ones if negative. If
        not given, what MEKA's header says.

    Returns
    -------
    list of int, or None if nothing says which attributes are labels.
    """
    attributes = [attribute.name for attribute in table.header.attributes]
    if labels is None:
        labels = table.header.meka_labels
    if labels is None:
        return None
    if isinstance(labels, int):
        if not 0 < abs(labels) < len(attributes):
            raise DataError(
                f"{where}: {abs(labels)} labels of {len(attributes)} attributes leave "
                "no feature; check the number"
            )
        numbered = range(len(attributes))
        return list(numbered[:labels] if labels > 0 else numbered[labels:])
    check_doubled(attributes, where)
    for name in labels:
        if name not in attributes:
            raise UnknownName.among("attribute", name, attributes)
    return [attributes.index(name) for name in labels]


def check_doubled(names: Sequence[str], where: str) -> None:
    """Refuse attributes that cannot be told apart by name."""
    seen: set[str] = set()
    doubled = {name for name in names if name in seen or seen.add(name)}  # type: ignore[func-returns-value]
    if doubled:
        raise DataError(
            f"{where}: attribute {listing(sorted(doubled))} is declared more than "
            "once; give the number of labels instead of their names, or rename one"
        )


_TRUTH = {"0": 0, "1": 1, "false": 0, "true": 1}


def label_table(table: ArffTable, positions: Sequence[int], where: str) -> pd.DataFrame:
    """Give the labels as 0 and 1.

    Parameters
    ----------
    table : ArffTable
    positions : sequence of int
    where : str
        The file's name, for messages.
    """
    result: dict[str, np.ndarray] = {}
    for place in positions:
        attribute, values = table.header.attributes[place], table.columns[place]
        name = attribute.name
        if name in result:
            raise DataError(f"{where}: label {name!r} is declared more than once")
        if attribute.kind == "nominal":
            codes = [_TRUTH.get(level.lower(), -1) for level in attribute.levels] + [-1]
            cells = np.array(codes)[values]
        else:
            cells = np.where(np.isin(values, (0, 1)), np.nan_to_num(values), -1)
        wrong = np.flatnonzero(cells < 0)
        if len(wrong):
            raise DataError(
                f"{where}: label {name!r} is neither 0 nor 1 in row {wrong[0] + 1} "
                f"(and {len(wrong) - 1} more)"
            )
        result[name] = cells.astype(np.uint8)
    return pd.DataFrame(result)
