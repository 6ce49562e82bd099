"""The data folder: where fetched and imported files live."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "CAVEAT_DATA"
OFFLINE = "CAVEAT_OFFLINE"


def data_home(path: str | Path | None = None) -> Path:
    """Return the data folder.

    Parameters
    ----------
    path : path, optional
        By default the environment variable ``CAVEAT_DATA``, else the user's own folder
        for application data.

    Examples
    --------
    >>> data_home("/somewhere").as_posix()
    '/somewhere'
    """
    chosen = path or os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_data_path

    return user_data_path("caveat") / "datasets"


def offline() -> bool:
    """Tell whether the network is not to be used: ``CAVEAT_OFFLINE=1``."""
    return os.environ.get(OFFLINE, "") not in ("", "0")
