"""The option --out: a folder is looked at before the work, not after it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from caveat.exceptions import InvalidInput


class Folder(click.ParamType):
    """A folder that is there and can be written, or could be made; nothing is made."""

    name = "DIR"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Return the path, or say in one sentence why nothing can be put there."""
        path = Path(value)
        near = next(one for one in (path, *path.absolute().parents) if one.exists())
        if not near.is_dir():
            raise InvalidInput(f"--out: {str(near)!r} is a file; choose another folder")
        if not os.access(near, os.W_OK | os.X_OK):
            raise InvalidInput(
                f"--out: {str(near)!r} cannot be written; choose another folder"
            )
        return str(value)
