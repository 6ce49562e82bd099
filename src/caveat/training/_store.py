"""Tensors and plain values in a file, without pickle.

A file is a magic line, the length of the header (8 bytes, little endian), the header
(JSON: the tree, and each tensor's type, shape and place), the tensors' bytes, and the
SHA-256 of all that. Reading it builds lists, dicts, numbers and tensors, nothing else.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from typing import Any

import torch
from torch import Tensor

from caveat._files import read_plain, replacing
from caveat.exceptions import DataError, InvalidInput
from caveat.training._plain import from_json, to_json

_MAGIC = b"caveat tree 1\n"
_DIGEST = hashlib.sha256().digest_size
_TYPES = {
    str(kind).removeprefix("torch."): kind
    for kind in (
        torch.float64,
        torch.float32,
        torch.float16,
        torch.bfloat16,
        torch.int64,
        torch.int32,
        torch.int16,
        torch.int8,
        torch.uint8,
        torch.bool,
    )
}


def save_tree(path: str | os.PathLike[str], tree: Any) -> None:
    """Write a tree of tensors and plain values, all at once or not at all.

    Parameters
    ----------
    path : path
        Replaced if it is there. Readers see the old file or the new one, never half.
    tree : nested dicts, lists and tuples of tensors, numbers, text, bools and None

    Examples
    --------
    >>> import os, tempfile, torch
    >>> path = os.path.join(tempfile.mkdtemp(), "state")
    >>> save_tree(path, {"step": 3, "weights": (torch.eye(2), None)})
    >>> load_tree(path)
    {'step': 3, 'weights': (tensor([[1., 0.], [0., 1.]]), None)}
    """
    tensors: list[bytes] = []
    places: list[dict[str, Any]] = []

    def leaf(node: Any) -> Any:
        if isinstance(node, Tensor):
            return {"$": "tensor", "of": _place(node, tensors, places)}
        raise InvalidInput(
            f"a {type(node).__name__} cannot be stored; use tensors, numbers, text, "
            "lists, tuples and dicts"
        )

    header = {"tree": to_json(tree, leaf), "tensors": places}
    text = json.dumps(header, allow_nan=False).encode()
    parts = [_MAGIC, len(text).to_bytes(8, "little"), text, *tensors]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    with replacing(os.fspath(path)) as file:
        file.writelines([*parts, digest.digest()])


def load_tree(path: str | os.PathLike[str]) -> Any:
    """Read back what `save_tree` wrote; a damaged or foreign file is refused.

    Parameters
    ----------
    path : path

    Returns
    -------
    The tree, its tensors on the CPU.
    """
    try:
        content = read_plain(os.fspath(path))
    except OSError as error:
        raise DataError(
            f"{str(path)!r} cannot be read ({error.strerror}); check the path"
        ) from error
    if not content.startswith(_MAGIC):
        raise DataError(f"{str(path)!r} is no checkpoint of caveat; pass another file")
    body, digest = content[:-_DIGEST], content[-_DIGEST:]
    if hashlib.sha256(body).digest() != digest:
        raise DataError(f"{str(path)!r} is cut or damaged; delete it and start again")
    start = len(_MAGIC) + 8
    end = start + int.from_bytes(body[len(_MAGIC) : start], "little")
    try:
        header = json.loads(body[start:end])
        payload = memoryview(body)[end:]
        tensors = [_tensor(place, payload) for place in header["tensors"]]
        return from_json(header["tree"], {"tensor": lambda place: tensors[place]})
    except (ValueError, LookupError, TypeError, RuntimeError) as error:
        raise DataError(f"{str(path)!r} holds no tree ({error}); delete it") from error


def _place(tensor: Tensor, tensors: list[bytes], places: list[dict[str, Any]]) -> int:
    kind = str(tensor.dtype).removeprefix("torch.")
    if kind not in _TYPES:
        raise InvalidInput(f"a tensor of {kind} cannot be stored; convert it first")
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    raw = flat.view(torch.uint8).numpy().tobytes() if len(flat) else b""
    offset = places[-1]["offset"] + places[-1]["bytes"] if places else 0
    tensors.append(raw)
    places.append(
        {
            "type": kind,
            "shape": list(tensor.shape),
            "offset": offset,
            "bytes": len(raw),
        }
    )
    return len(places) - 1


def _tensor(place: dict[str, Any], payload: memoryview) -> Tensor:
    kind, shape = _TYPES[place["type"]], place["shape"]
    raw = bytearray(payload[place["offset"] : place["offset"] + place["bytes"]])
    if not raw:
        if math.prod(shape):
            raise ValueError(f"a tensor of the shape {shape} without numbers")
        return torch.empty(shape, dtype=kind)
    return torch.frombuffer(raw, dtype=kind).reshape(shape)
