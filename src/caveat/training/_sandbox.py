"""Torch's global state, borrowed and given back: generators and threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

from caveat.exceptions import InvalidInput


def check_device(device: str | torch.device) -> torch.device:
    """Refuse a device that is not there.

    Examples
    --------
    >>> check_device("cpu")
    device(type='cpu')
    """
    try:
        where = torch.device(device)
        torch.empty(0, device=where)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise InvalidInput(
            f"the device {str(device)!r} cannot be used here ({reason}); use 'cpu'"
        ) from error
    return where


@contextmanager
def seeded(seed: int | None, device: str | torch.device = "cpu") -> Iterator[None]:
    """Seed what draws from torch's global generator, and leave that as it was.

    First weights and dropout know no other generator. With ``seed=None`` nothing
    happens.

    Parameters
    ----------
    seed : int or None
        Of any size; torch's generator gets 64 bits made from it.
    device : str or torch.device, default="cpu"
        Whose generator is borrowed, besides that of the CPU.

    Examples
    --------
    >>> import torch
    >>> before = torch.get_rng_state()
    >>> with seeded(7):
    ...     noise = torch.rand(3)
    >>> bool((torch.get_rng_state() == before).all())
    True
    """
    if seed is None:
        yield
        return
    where = check_device(device)
    with torch.random.fork_rng(
        devices=[] if where.type == "cpu" else [where],
        device_type="cuda" if where.type == "cpu" else where.type,
    ):
        torch.manual_seed(mixed(seed, 0))
        yield


@contextmanager
def sandbox(
    seed: int, *, device: str | torch.device = "cpu", threads: int | None = 1
) -> Iterator[torch.Generator]:
    """Run torch with seeds and threads of one's own; afterwards all is as before.

    One thread is the default: small networks are no faster with more, and sums then
    always have the same order, hence the same last digit.

    Parameters
    ----------
    seed : int
        Seeds torch's generator and the one that is handed out.
    device : str or torch.device, default="cpu"
        Whose generator is borrowed, besides that of the CPU.
    threads : int or None, default=1
        None leaves the number of threads alone.

    Yields
    ------
    torch.Generator
        A second stream of numbers, on the CPU: for the order of the rows.

    Examples
    --------
    >>> with sandbox(0) as generator:
    ...     order = torch.randperm(5, generator=generator)
    """
    before = torch.get_num_threads()
    generator = torch.Generator().manual_seed(mixed(seed, 1))
    try:
        if threads is not None:
            torch.set_num_threads(threads)
        with seeded(seed, device):
            yield generator
    finally:
        torch.set_num_threads(before)


def mixed(seed: int, *stream: int) -> int:
    """Make 63 bits of a seed and a stream; neighbours have nothing in common."""
    state = np.random.SeedSequence(seed, spawn_key=stream).generate_state(2)
    return (int(state[0]) << 32 | int(state[1])) >> 1
