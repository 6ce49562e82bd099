"""Trees of scikit-learn as arrays: written down, read back, walked through."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from caveat.models.files._pack import Pack

Floats = NDArray[np.float64]
_NODES = ("column", "threshold", "missing_left", "left", "right")


class StoredTrees:
    """An ensemble of trees that answers as the one that it was read from.

    Parameters
    ----------
    pack : Pack
        Nodes of all trees, numbered through; a leaf's `left` is -1. `values` are what
        leaves add, `roots` and `place` the first node of each tree and which output it
        adds to (-1: all), `start` what the sums start from. Facts: `single`, whether
        cells are compared in single precision; `link`, from sums to answers.

    Attributes
    ----------
    pack : Pack
    n_features_in_ : int
    """

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.n_features_in_ = int(pack.facts["columns"])
        if pack.facts["link"] != "identity":
            self.classes_ = np.arange(int(pack.facts["outputs"]))

    def predict_proba(self, X: NDArray[Any]) -> Floats:
        """Give probabilities of all classes."""
        sums, link = self._sums(X), self.pack.facts["link"]
        if link == "mean":
            return sums
        if link == "logistic":
            second = expit(sums[:, 0])
            return np.column_stack([1 - second, second])
        shifted = np.exp(sums - sums.max(axis=1, keepdims=True))
        return shifted / shifted.sum(axis=1, keepdims=True)

    def predict(self, X: NDArray[Any]) -> Floats:
        """Give numbers."""
        return self._sums(X)[:, 0]

    def _sums(self, X: NDArray[Any]) -> Floats:
        arrays, facts = self.pack.arrays, self.pack.facts
        cells = np.asarray(X, dtype=np.float32 if facts["single"] else np.float64)
        sums = np.tile(arrays["start"], (len(cells), 1))
        for root, place in zip(arrays["roots"], arrays["place"], strict=True):
            added = arrays["values"][self._leaves(cells, int(root))]
            if place < 0:
                sums += added
            else:
                sums[:, place] += added[:, 0]
        return sums / len(arrays["roots"]) if facts["averaged"] else sums

    def _leaves(self, cells: NDArray[Any], root: int) -> NDArray[np.intp]:
        """Find the leaf of every row in one tree."""
        column, threshold, missing_left, left, right = (
            self.pack.arrays[name] for name in _NODES
        )
        node = np.full(len(cells), root)
        walking = np.flatnonzero(left[node] >= 0)
        while len(walking):
            here = node[walking]
            cell = cells[walking, column[here]]
            goes = np.where(
                np.isnan(cell), missing_left[here] != 0, cell <= threshold[here]
            )
            node[walking] = np.where(goes, left[here], right[here])
            walking = walking[left[node[walking]] >= 0]
        return node


def pack_forest(estimator: Any, *, classify: bool) -> Pack:
    """Write down a random forest or extra trees."""
    nodes: list[dict[str, NDArray[Any]]] = []
    for tree in (member.tree_ for member in estimator.estimators_):
        nodes.append(
            {
                "column": np.maximum(tree.feature, 0),
                "threshold": tree.threshold,
                "missing_left": tree.missing_go_to_left,
                "left": tree.children_left,
                "right": tree.children_right,
                "values": tree.value[:, 0, :],
            }
        )
    width = nodes[0]["values"].shape[1]
    facts = {"single": True, "averaged": True, "columns": estimator.n_features_in_}
    facts |= {"link": "mean" if classify else "identity", "outputs": width}
    return Pack(facts, _joined(nodes, np.zeros(width), [-1] * len(nodes)))


def pack_boosting(estimator: Any, *, classify: bool) -> Pack:
    """Write down scikit-learn's histogram gradient boosting."""
    nodes, place = [], []
    for rounds in estimator._predictors:
        for number, tree in enumerate(rounds):
            leaf = tree.nodes["is_leaf"] != 0
            nodes.append(
                {
                    "column": tree.nodes["feature_idx"],
                    "threshold": tree.nodes["num_threshold"],
                    "missing_left": tree.nodes["missing_go_to_left"],
                    "left": np.where(leaf, -1, tree.nodes["left"].astype(np.int64)),
                    "right": tree.nodes["right"].astype(np.int64),
                    "values": tree.nodes["value"][:, None],
                }
            )
            place.append(number)
    start = np.ravel(estimator._baseline_prediction).astype(np.float64)
    links = "logistic" if len(start) == 1 else "softmax"
    facts = {"single": False, "averaged": False, "columns": estimator.n_features_in_}
    facts |= {"link": links if classify else "identity", "outputs": max(2, len(start))}
    return Pack(facts, _joined(nodes, start, place))


def _joined(
    nodes: list[dict[str, NDArray[Any]]], start: Floats, place: list[int]
) -> dict[str, NDArray[Any]]:
    """Put all trees into one row of nodes."""
    sizes = [len(tree["left"]) for tree in nodes]
    roots = np.concatenate([[0], np.cumsum(sizes)])[:-1].astype(np.int64)
    for tree, root in zip(nodes, roots, strict=True):
        inner = tree["left"] >= 0
        tree["left"] = np.where(inner, tree["left"] + root, -1)
        tree["right"] = np.where(inner, tree["right"] + root, -1)
    arrays = {name: np.concatenate([tree[name] for tree in nodes]) for name in nodes[0]}
    return {**arrays, "start": start, "roots": roots, "place": np.array(place)}
