"""From matplotlib's SVG to what a page or a file holds.

On a page: no prolog, no metadata, no fixed size, colours and font as variables, ids
that are unique on the page. In a file: light colours and a font that exists.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

from caveat.pages._canvas import FRAME
from caveat.pages._theme import light, to_light, to_variables

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_HREF = f"{{{_XLINK}}}href"
_NUMBER = re.compile(r"-?\d+\.\d+")
_GEOMETRY = ("d", "transform", "x", "y", "width", "height", "points")
_FONT = re.compile(r"font-family: [^;]*; ?")
_REFERENCE = re.compile(r"url\(#([^)]*)\)")
_LINES = "stroke-linejoin:round;stroke-linecap:butt;"
_FILE_FONT = "'DejaVu Sans',sans-serif"
_NO_TURN = re.compile(r"rotate\(-?0 [^)]*\)")

ElementTree.register_namespace("", _SVG)
ElementTree.register_namespace("xlink", _XLINK)


def inline_svg(source: str, *, name: str, css_class: str) -> str:
    """Return an SVG to stand in a page, coloured by the page's variables.

    Parameters
    ----------
    source : str
        What matplotlib wrote.
    name : str
        Unique on the page; every id begins with it.
    css_class : str
        ``wide`` or ``phone``: the style sheet shows one of them.
    """
    root = _cleaned(source, name, framed=False)
    width = float(root.get("viewBox", "0 0 0 0").split()[2]) * 96 / 72
    for element in root.iter():
        if _HREF in element.attrib:
            element.set("href", element.attrib.pop(_HREF))
        if "style" in element.attrib:
            element.set("style", to_variables(element.attrib["style"]))
    attributes = {
        "viewBox": root.get("viewBox", ""),
        "class": css_class,
        "style": f"max-width:{width:g}px",
        # The figure's finding is told by its label; the drawing is not read out.
        "aria-hidden": "true",
        "focusable": "false",
    }
    root.attrib.clear()
    root.attrib.update(attributes)
    return ElementTree.tostring(root, encoding="unicode")


def file_svg(
    source: str, *, name: str, label: str, margins: tuple[float, float] = (0.0, 0.0)
) -> str:
    """Return an SVG file in light colours, with its finding as its title.

    `margins` are the inches above and below the drawing that its frame takes.
    """
    root = _cleaned(source, name, framed=True)
    for element in root.iter():
        if "style" in element.attrib:
            element.set("style", to_light(element.attrib["style"]))
    above, below = (72 * inches for inches in margins)
    _, _, width, inner = root.get("viewBox", "0 0 0 0").split()
    height = f"{above + float(inner) + below:g}"
    root.set("viewBox", f"0 {0 - above:g} {width} {height}")
    root.set("style", f"background:{light('page')};{_LINES}font-family:{_FILE_FONT}")
    root.set("width", f"{width}pt")
    root.set("height", f"{height}pt")
    root.set("role", "img")
    title = ElementTree.Element(f"{{{_SVG}}}title")
    title.text = label
    root.insert(0, title)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _cleaned(source: str, name: str, *, framed: bool) -> ElementTree.Element:
    root = ElementTree.fromstring(source.encode("utf-8"))
    for parent in list(root.iter()):
        for child in list(parent):
            # The style sheet in matplotlib's <defs> would reach all of the page.
            foreign = child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style")
            if foreign or (child.get("id") == FRAME and not framed):
                parent.remove(child)
    used = set(_references(root))
    for element in root.iter():
        _clean_element(element, name, used)
    _flatten(root)
    view = " ".join(
        _NUMBER.sub(_rounded, part) for part in root.attrib["viewBox"].split()
    )
    root.attrib = {"viewBox": view}
    return root


def _references(root: ElementTree.Element) -> list[str]:
    found = [element.attrib.get(_HREF, "#")[1:] for element in root.iter()]
    for element in root.iter():
        for value in element.attrib.values():
            found.extend(_REFERENCE.findall(value))
    return found


def _clean_element(element: ElementTree.Element, name: str, used: set[str]) -> None:
    attributes = element.attrib
    identity = attributes.pop("id", None)
    if identity in used:
        attributes["id"] = f"{name}-{identity}"
    if _HREF in attributes:
        attributes[_HREF] = f"#{name}-{attributes[_HREF][1:]}"
    for key in ("style", "clip-path"):
        if key in attributes:
            attributes[key] = _REFERENCE.sub(rf"url(#{name}-\1)", attributes[key])
    # Variables work in a style, not in an attribute of their own.
    for key in ("fill", "stroke"):
        if key in attributes:
            style = f"{key}: {attributes.pop(key)}; {attributes.get('style', '')}"
            attributes["style"] = style.rstrip("; ")
    if "style" in attributes:
        style = _FONT.sub("", attributes["style"])
        attributes["style"] = style.replace("; ", ";").replace(": ", ":")
    if _NO_TURN.fullmatch(attributes.get("transform", "")):
        del attributes["transform"]
    for key in _GEOMETRY:
        if key in attributes:
            value = _NUMBER.sub(_rounded, attributes[key])
            attributes[key] = " ".join(value.split())
    if element.tag != f"{{{_SVG}}}text" and not (element.text or "").strip():
        element.text = None
    element.tail = None


def _flatten(element: ElementTree.Element) -> None:
    """Dissolve groups that say nothing, from the inside out."""
    children: list[ElementTree.Element] = []
    for child in list(element):
        _flatten(child)
        empty = child.tag in (f"{{{_SVG}}}g", f"{{{_SVG}}}defs") and not len(child)
        if empty:
            continue
        if child.tag == f"{{{_SVG}}}g" and not child.attrib:
            children.extend(child)
        else:
            children.append(child)
    element[:] = children


def _rounded(match: re.Match[str]) -> str:
    text = f"{float(match.group()):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
