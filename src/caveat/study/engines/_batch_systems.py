"""Batch systems: clusters whose workers are jobs of SLURM, SGE, PBS and the like."""

from __future__ import annotations

from typing import Any

from caveat.exceptions import InvalidInput

BATCH_SYSTEMS = {
    "slurm": "SLURMCluster",
    "sge": "SGECluster",
    "pbs": "PBSCluster",
    "lsf": "LSFCluster",
    "oar": "OARCluster",
    "htcondor": "HTCondorCluster",
}


def batch_cluster(name: str, options: dict[str, Any]) -> Any:
    """Make a dask-jobqueue cluster; workers leave before the batch system ends them.

    Parameters
    ----------
    name : str
        Batch system, such as ``slurm``.
    options : dict
        Options of its cluster class. With ``walltime``, workers get a lifetime a
        little shorter, staggered, so that they hand their work back in order.
    """
    import dask_jobqueue

    chosen = {"cores": 1, "processes": 1, **options}
    if "memory" not in chosen:
        raise InvalidInput(f"engine: {name} needs the memory of a job; add memory: 4GB")
    extra = list(chosen.pop("worker_extra_args", []))
    if "walltime" in chosen and "--lifetime" not in extra:
        seconds = parse_walltime(str(chosen["walltime"]))
        lifetime = max(60, seconds - max(120, seconds // 20))
        extra += ["--lifetime", f"{lifetime}s"]
        extra += ["--lifetime-stagger", f"{max(10, seconds // 40)}s"]
    made = getattr(dask_jobqueue, BATCH_SYSTEMS[name])
    try:
        return made(worker_extra_args=extra, **_spelt(chosen))
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"engine: {name} does not take these options: {error}"
        ) from (error)


def _spelt(options: dict[str, Any]) -> dict[str, Any]:
    return {key.replace("-", "_"): value for key, value in options.items()}


def parse_walltime(text: str) -> int:
    """Read a batch system's time in seconds.

    Examples
    --------
    >>> parse_walltime("02:00:00"), parse_walltime("1-12:00:00"), parse_walltime("90")
    (7200, 129600, 5400)
    """
    days, _, clock = text.rpartition("-")
    parts = clock.split(":")
    try:
        numbers = [int(part) for part in parts]
        if len(numbers) == 1:
            numbers = [0, numbers[0], 0]
        while len(numbers) < 3:
            numbers.append(0)
        hours, minutes, seconds = numbers
        return int(days or 0) * 86400 + hours * 3600 + minutes * 60 + seconds
    except ValueError:
        raise InvalidInput(
            f"walltime {text!r} is not understood; write hours:minutes:seconds"
        ) from None
