"""Read a YAML text strictly, and remember on which line everything stands.

YAML 1.2 as people mean it: `no`, `on`, `010`, `12:30:00` and `2024-01-01` stay
text, `1e-3` is a number, a doubled key is an error, tags are refused, and a
bomb of aliases is not unfolded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from caveat._files import read_plain
from caveat.exceptions import InvalidInput

MOST_BYTES = 1 << 20
MOST_ALIASES = 100
MOST_DEPTH = 50

Path_ = tuple[str | int, ...]

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_CONSTANTS = {"true": True, "false": False, "null": None, "~": None, "": None}


@dataclass(frozen=True)
class Document:
    """Plain data from a YAML text, with the line of every part.

    Attributes
    ----------
    data : dict, list or scalar
    lines : dict of path to int
        Line numbers from 1; a path is a tuple of keys and positions.
    name : str
        The file's name, for messages.
    """

    data: Any
    lines: dict[Path_, int]
    name: str

    def line(self, path: Path_) -> int:
        """Line of a part, or of the nearest parent that has one."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def where(self, path: Path_) -> str:
        """Say where a part stands."""
        return f"{self.name}, line {self.line(path)}"


def read_yaml(source: str | Path) -> Document:
    """Read a YAML file strictly."""
    path = Path(source)
    try:
        raw = read_plain(path)
    except OSError as error:
        raise InvalidInput(
            f"study file {str(path)!r} cannot be read: {error.strerror}; check the path"
        ) from error
    if len(raw) > MOST_BYTES:
        raise InvalidInput(
            f"{path.name} has {len(raw):,} bytes; a study file may have {MOST_BYTES:,}"
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{path.name} is not UTF-8 text (byte {error.start}); save it as UTF-8"
        ) from error
    return parse_yaml(text, path.name)


def parse_yaml(text: str, name: str = "study") -> Document:
    r"""Read a YAML text strictly.

    Examples
    --------
    >>> parse_yaml("lr: 1e-3\nanswer: no\nday: 2024-01-01").data
    {'lr': 0.001, 'answer': 'no', 'day': '2024-01-01'}
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent

    if len(text) > MOST_BYTES:
        raise InvalidInput(
            f"{name} has {len(text):,} characters; a study may have {MOST_BYTES:,}"
        )
    try:
        reader = YAML(typ="safe", pure=True)
        aliases = depth = 0
        for event in reader.parse(text):
            depth += isinstance(event, CollectionStartEvent)
            depth -= isinstance(event, CollectionEndEvent)
            if depth > MOST_DEPTH:
                raise InvalidInput(f"{name} is nested too deeply")
            aliases += isinstance(event, AliasEvent)
            if aliases > MOST_ALIASES:
                raise InvalidInput(
                    f"{name} has more than {MOST_ALIASES} aliases; write the parts out"
                )
            tag = getattr(event, "tag", None)
            if tag is not None:
                line = event.start_mark.line + 1
                raise InvalidInput(
                    f"{name}, line {line}: tags such as {str(tag)!r} are not allowed; "
                    "write plain text, numbers, lists and mappings"
                )
        node = YAML(typ="safe", pure=True).compose(text)
    except (YAMLError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or str(error).split("\n")[0]
        raise InvalidInput(f"{name}{where}: not valid YAML, {problem}") from error
    except RecursionError as error:
        raise InvalidInput(f"{name} is nested too deeply") from error
    if node is None:
        raise InvalidInput(
            f"{name} is empty; a study needs at least 'study' and 'topic'"
        )
    lines: dict[Path_, int] = {}
    return Document(_build(node, (), lines, name), lines, name)


def _build(node: Any, path: Path_, lines: dict[Path_, int], name: str) -> Any:
    lines[path] = node.start_mark.line + 1
    if len(path) > MOST_DEPTH:
        raise InvalidInput(f"{name}, line {lines[path]}: nested too deeply")
    if len(lines) > 100_000:
        raise InvalidInput(
            f"{name} unfolds to more than 100,000 parts; make it smaller"
        )
    if node.id == "scalar":
        return _scalar(node)
    if node.id == "sequence":
        return [
            _build(item, (*path, position), lines, name)
            for position, item in enumerate(node.value)
        ]
    built: dict[str, Any] = {}
    seen: dict[str, int] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if key_node.id != "scalar":
            raise InvalidInput(f"{name}, line {line}: a key must be plain text")
        key = str(key_node.value)
        if key in seen:
            raise InvalidInput(
                f"{name}: {key!r} stands twice, on lines {seen[key]} and {line}; "
                "keep one"
            )
        seen[key] = line
        built[key] = _build(value_node, (*path, key), lines, name)
        lines[(*path, key)] = line
    return built


def _scalar(node: Any) -> Any:
    text = str(node.value)
    if node.style in ("'", '"', "|", ">"):
        return text
    if text.lower() in _CONSTANTS and text in (
        text.lower(),
        text.title(),
        text.upper(),
    ):
        return _CONSTANTS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) <= 40 else text
    if _FLOAT.fullmatch(text) and not _leading_zero(text):
        return float(text)
    return text


def _leading_zero(text: str) -> bool:
    digits = text.lstrip("+-")
    return len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
