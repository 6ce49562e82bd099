"""NumPy files; arrays of objects are never loaded, for that would unpickle them."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.exceptions import DataError


def read_arrays(data: bytes, where: str) -> dict[str, NDArray[Any]]:
    """Read a ``.npz`` file, or a ``.npy`` file as the one array ``X``.

    Parameters
    ----------
    data : bytes
    where : str
        The file's name, for messages.
    """
    try:
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return {"X": loaded}
        with loaded:
            return {name: loaded[name] for name in loaded.files}
    except Exception as error:  # on broken files numpy and zipfile fail in many ways
        reason = str(error).splitlines()[0][:200] if str(error) else "cut short"
        if "pickle" in reason.lower():
            reason = "it holds Python objects, or is no NumPy file at all"
        raise DataError(f"{where} cannot be read: {reason}") from error
