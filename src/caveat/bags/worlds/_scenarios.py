"""Worlds of a study: which bags a data set is put into."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from caveat.bags._params import check_choice, check_number, check_whole
from caveat.bags.worlds._bags import VARIANTS, Bags, make_bags
from caveat.bags.worlds._feature_bags import feature_bags, random_bags
from caveat.bags.worlds._standard import DATASETS, StandardBags, standard_bags
from caveat.bags.worlds._targets import DEFAULT_BAGS, PROPORTIONS, SIZES
from caveat.exceptions import InvalidInput, UnknownName
from caveat.study.topic import grid_worlds

_DEFAULTS: Mapping[str, Any] = {
    "variant": "simple",
    "n_bags": DEFAULT_BAGS,
    "sizes": "equal",
    "proportions": "far-global",
    "n_clusters": 5,
    "bag_size": None,
    "column": None,
    "share_sd": None,
    "epsilon": None,
}
# What makes shares inexact: their errors, or what privacy may cost.
_NOISE = ("share_sd", "epsilon")
# What else a study may ask for, with the settings that go with it.
_OTHER = {"random": ("bag_size",), "feature": ("column", "bag_size")}


def expand_worlds(
    scenario: Mapping[str, Any], dataset_name: str
) -> list[dict[str, Any]]:
    """Every combination of a scenario, checked, without those that mean the same.

    Naive bags have no target proportions, random and feature bags no targets at all.
    Where the standard data sets leave a combination out as unreachable, so does this.
    """
    worlds = []
    for world in grid_worlds(scenario, _DEFAULTS):
        clean = _checked(world)
        unreachable = _is_standard(clean, dataset_name) and (
            standard_world(clean, dataset_name) is None
        )
        if clean not in worlds and not unreachable:
            worlds.append(clean)
    if not worlds:
        raise InvalidInput(
            f"scenario: none of its combinations can be had from {dataset_name!r}; "
            "Intermediate bags of CIFAR-10 are close-global only"
        )
    return worlds


def world_bags(
    world: Mapping[str, Any],
    dataset_name: str,
    frame: Any,
    items: Any,
    y: NDArray,
    *,
    seed: int,
) -> Bags:
    """Make the bags of a world.

    Parameters
    ----------
    world : mapping
        As `expand_worlds` gives it.
    dataset_name : str
        The standard targets are those of Adult and CIFAR-10.
    frame : DataFrame
        The data as they are, for grouping columns.
    items : ndarray or sparse matrix
        Numbers, scaled to [0, 1], for clusters.
    y : ndarray
        Labels of all items.
    seed : int
    """
    variant = world["variant"]
    if variant == "random":
        return random_bags(y, world["bag_size"], random_state=seed)
    if variant == "feature":
        return feature_bags(
            frame,
            y,
            world["column"],
            smallest=2,
            largest=None,
            size=world["bag_size"],
            random_state=seed,
        )
    standard = standard_world(world, dataset_name)
    if standard is not None:
        chosen: dict[str, Any] = {
            "sizes": standard.target_sizes,
            "proportions": standard.target_proportions,
        }
    else:
        chosen = {
            "n_bags": world["n_bags"],
            "sizes": world["sizes"],
            "proportions": world["proportions"],
        }
    return make_bags(
        items,
        y,
        variant=variant,
        n_clusters=world["n_clusters"],
        random_state=seed,
        **chosen,
    )


def standard_world(world: Mapping[str, Any], dataset_name: str) -> StandardBags | None:
    """Find the standard data set that a world stands for, if it is one."""
    if not _is_standard(world, dataset_name):
        return None
    for one in standard_bags(DATASETS[dataset_name]):
        same = (one.variant, one.n_bags, one.sizes, one.proportions) == (
            world["variant"],
            world["n_bags"],
            world["sizes"],
            world["proportions"],
        )
        if same:
            return one
    return None


def _is_standard(world: Mapping[str, Any], dataset_name: str) -> bool:
    return (
        dataset_name in DATASETS
        and world["variant"] in VARIANTS
        and world["n_bags"] in (5, 10)
        and isinstance(world["sizes"], str)
        and (world["proportions"] is None or isinstance(world["proportions"], str))
        and world["n_clusters"] == 5
    )


def _checked(world: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in, and drop what the variant does not look at."""
    # Worlds whose shares are exact do not speak of errors.
    noise = {name: world[name] for name in _NOISE if world[name] is not None}
    for name, value in noise.items():
        check_number(name, value, above=0)
    return _without_noise(world) | noise


def _without_noise(world: Mapping[str, Any]) -> dict[str, Any]:
    variant = world["variant"]
    known = [*VARIANTS, *_OTHER]
    if variant not in known:
        raise UnknownName.among("variant", variant, known)
    clean = {k: v for k, v in world.items() if k not in _NOISE}
    if variant in _OTHER:
        for name in ("n_bags", "sizes", "proportions", "n_clusters"):
            clean[name] = None
        needed = _OTHER[variant][0]
        if clean[needed] is None:
            raise InvalidInput(
                f"scenario: variant {variant!r} needs {needed!r}; give it a value"
            )
        if clean["bag_size"] is not None:
            check_whole("bag_size", clean["bag_size"], least=1)
        if variant == "random":
            clean["column"] = None
        return clean
    check_whole("n_bags", clean["n_bags"], least=1)
    check_whole("n_clusters", clean["n_clusters"], least=1)
    if isinstance(clean["sizes"], str):
        check_choice("sizes", clean["sizes"], SIZES)
    if variant == "naive":
        clean["proportions"] = None
    elif isinstance(clean["proportions"], str):
        check_choice("proportions", clean["proportions"], PROPORTIONS)
    if variant in ("naive", "simple"):
        clean["n_clusters"] = 5
    return {**clean, "bag_size": None, "column": None}
