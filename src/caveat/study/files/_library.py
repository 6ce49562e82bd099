"""The registered studies: YAML files that topics carry in their `studies` folder."""

from __future__ import annotations

import logging
from importlib.resources import files
from importlib.resources.abc import Traversable

from caveat.study.registry import TOPICS

log = logging.getLogger(__name__)


def _folders() -> list[tuple[str, Traversable]]:
    found = []
    for name, entry in TOPICS.items():
        package = entry.target.partition(":")[0].rpartition(".")[0]
        try:
            folder = files(package).joinpath("studies") if package else None
        except (Exception, SystemExit) as error:
            # A broken plug-in must not take the built-in studies with it.
            log.warning("topic %r cannot be imported: %s", name, error)
            continue
        if folder is not None and folder.is_dir():
            found.append((name, folder))
    return found


def registered_studies() -> dict[str, str]:
    """Names of all registered studies, with the topic of each."""
    return {
        item.name.removesuffix(".yaml"): topic
        for topic, folder in _folders()
        for item in sorted(folder.iterdir(), key=lambda item: item.name)
        if item.name.endswith(".yaml")
    }


def find_registered(name: str) -> str | None:
    """Text of a registered study, or None if there is none of that name."""
    for _, folder in _folders():
        item = folder.joinpath(f"{name}.yaml")
        if "/" not in name and "\\" not in name and item.is_file():
            return item.read_text(encoding="utf-8")
    return None
