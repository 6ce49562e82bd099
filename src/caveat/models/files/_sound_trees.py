"""Whether the trees in a native file can be walked at all.

The libraries trust their files: a child that does not exist, a walk in circles or a
size that is wrong ends the whole process, or never ends. So they are looked at here
first, as text, and a file that could do that is refused in a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from caveat.exceptions import DataError


class Unsound(DataError):
    """A tree that cannot be walked."""


def check_walk(left: Sequence[int], right: Sequence[int], leaf: Any) -> set[int]:
    """Walk from the root: every node once, every child there; give what was seen.

    Parameters
    ----------
    left, right : sequence of int
        Children of every inner node.
    leaf : callable
        Whether a number stands for a leaf.

    Examples
    --------
    >>> check_walk([-1, -2], [1, -3], lambda child: -3 <= child < 0)
    {0, 1}
    >>> check_walk([0], [-1], lambda child: -2 <= child < 0)
    Traceback (most recent call last):
    ...
    caveat.models.files._sound_trees.Unsound: a node is its own descendant
    """
    seen: set[int] = set()
    waiting = [0] if left else []
    while waiting:
        node = waiting.pop()
        if node in seen:
            raise Unsound("a node is its own descendant")
        seen.add(node)
        for child in (left[node], right[node]):
            if leaf(child):
                continue
            if not 0 <= child < len(left):
                raise Unsound(f"a node has the child {child}, which is not there")
            waiting.append(child)
    return seen


def check_lightgbm(text: str) -> None:
    """Check a LightGBM text: sizes, lengths, children, columns and categories."""
    head, parted, rest = text.partition("\nTree=0\n")
    facts = _fields(head)
    most = _whole(facts.get("max_feature_idx", ""))
    if not parted:
        if facts.get("tree_sizes"):
            raise Unsound("its trees are missing")
        return
    body = f"Tree=0\n{rest}"
    sizes = _numbers(facts.get("tree_sizes", ""))
    raw = body.encode()
    place = 0
    for number, size in enumerate(sizes):
        block = raw[place : place + size]
        if size <= 0 or not block.startswith(f"Tree={number}\n".encode()):
            raise Unsound(f"tree {number} is not where the file says")
        place += size
    if sizes and not raw[place:].lstrip().startswith(b"end of trees"):
        raise Unsound(f"it ends after {len(sizes)} trees without saying so")
    trees = body.partition("\nend of trees")[0].split("Tree=")[1:]
    for tree in trees:
        _check_lightgbm_tree(_fields(tree), most)


def _check_lightgbm_tree(tree: Mapping[str, str], most: int) -> None:
    leaves = _whole(tree.get("num_leaves", ""))
    cats = _whole(tree.get("num_cat", ""))
    inner = leaves - 1
    told = {
        name: tree.get(name, "").split()
        for name in (
            *("split_feature", "threshold", "decision_type"),
            *("left_child", "right_child"),
        )
    }
    if leaves < 1 or len(tree.get("leaf_value", "").split()) != leaves:
        raise Unsound("a tree does not have the leaves that it counts")
    if inner and any(len(values) != inner for values in told.values()):
        raise Unsound("a tree does not have the nodes that it counts")
    # Leaves may be linear in columns, too.
    asked = ("split_feature", "leaf_features")
    columns = [one for name in asked for one in _numbers(tree.get(name, ""))]
    if any(not 0 <= column <= most for column in columns):
        raise Unsound("a tree asks for a column that the model does not have")
    bounds = _numbers(tree.get("cat_boundaries", ""))
    words = len(tree.get("cat_threshold", "").split())
    if cats and (len(bounds) != cats + 1 or bounds != sorted(bounds)
                 or bounds[0] != 0 or bounds[-1] != words):  # fmt: skip
        raise Unsound("the categories of a tree do not fit")
    kinds = _numbers(tree.get("decision_type", ""))
    for kind, cut in zip(kinds, tree.get("threshold", "").split(), strict=False):
        if kind & 1 and not 0 <= _number(cut) < cats:
            raise Unsound("a tree asks for categories that it does not have")
    if inner:
        left, right = (_numbers(tree[f"{side}_child"]) for side in ("left", "right"))
        check_walk(left, right, lambda child: -leaves <= child < 0)


def check_xgboost(told: Any) -> None:
    """Check XGBoost's JSON, read already: lengths, children, columns and groups."""
    try:
        learner = told["learner"]
        booster = learner["gradient_booster"]
        columns = _whole(learner["learner_model_param"]["num_feature"])
        if booster["name"] == "gblinear":
            return
        inside = booster["gbtree"] if booster["name"] == "dart" else booster
        trees, groups = inside["model"]["trees"], inside["model"]["tree_info"]
        known = learner["learner_model_param"]
        most = max(_whole(known["num_class"]), _whole(known.get("num_target", "1")), 1)
        if len(groups) != len(trees) or any(not 0 <= one < most for one in groups):
            raise Unsound("its trees do not belong to its classes")
        for tree in trees:
            left, right = tree["left_children"], tree["right_children"]
            count = _whole(tree["tree_param"]["num_nodes"])
            lengths = {
                len(tree[name])
                for name in (
                    *("left_children", "right_children", "split_indices"),
                    *("split_conditions", "default_left", "parents"),
                )
            }
            if lengths != {count} or count < 1:
                raise Unsound("a tree does not have the nodes that it counts")
            # Nodes that were pruned stay in the lists; a leaf has -1 in both places.
            seen = check_walk(left, right, lambda child: child == -1)
            inner = [n for n in seen if (left[n], right[n]) != (-1, -1)]
            if any(-1 in (left[n], right[n]) for n in inner):
                raise Unsound("a node has one child only")
            if any(not 0 <= tree["split_indices"][n] < columns for n in inner):
                raise Unsound("a tree asks for a column that the model does not have")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unsound(f"{type(error).__name__}: {error}") from error


def _fields(text: str) -> dict[str, str]:
    """Read lines of name=value."""
    pairs = (line.partition("=") for line in text.splitlines())
    return {name: value for name, parted, value in pairs if parted}


def _numbers(text: str) -> list[int]:
    return [_whole(word) for word in text.split()]


def _whole(text: Any) -> int:
    try:
        return int(text)
    except (TypeError, ValueError):
        raise Unsound(f"{str(text)[:20]!r} stands where a number must be") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise Unsound(f"{text[:20]!r} stands where a number must be") from None
