"""Read fitted tree ensembles into `Forest`s, through the libraries' public doors.

A reader returns None for what it does not know (categorical splits, rare objectives):
the model is then asked row by row, like any other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax

from caveat.shift.trees._forest import Forest

Finish = Callable[[NDArray[Any]], NDArray[np.float64]]


class _Nodes:
    """Collects the nodes of all trees, numbered through.

    Parameters
    ----------
    compared, added : type
        Precision in which the library compares values and adds up leaves.
    """

    def __init__(self, compared: type = np.float64, added: type = np.float64) -> None:
        self.compared = compared
        self.added = added
        self.column: list[int] = []
        self.threshold: list[float] = []
        self.missing_left: list[bool] = []
        self.left: list[int] = []
        self.right: list[int] = []
        self.roots: list[int] = []
        self.offset: list[int] = []
        self.leaves: list[ArrayLike] = []

    def leaf(self, values: ArrayLike) -> int:
        """Add a leaf and return its number."""
        number = self.split(0, 0.0, False)
        self.right[number] = len(self.leaves)
        self.leaves.append(values)
        return number

    def split(self, column: int, threshold: float, missing_left: bool) -> int:
        """Add a node whose children come later, and return its number."""
        self.column.append(column)
        self.threshold.append(threshold)
        self.missing_left.append(missing_left)
        self.left.append(-1)
        self.right.append(-1)
        return len(self.column) - 1

    def forest(
        self, start: Sequence[float], finish: Finish, *, tolerance: float = 1e-9
    ) -> Forest:
        """Freeze what was collected."""
        return Forest(
            column=np.array(self.column, dtype=np.int64),
            threshold=np.array(self.threshold, dtype=np.float64),
            missing_left=np.array(self.missing_left, dtype=np.bool_),
            left=np.array(self.left, dtype=np.int64),
            right=np.array(self.right, dtype=np.int64),
            roots=np.array(self.roots, dtype=np.int64),
            offset=np.array(self.offset, dtype=np.int64),
            leaves=np.array(self.leaves, dtype=self.added),
            start=np.array(start, dtype=self.added),
            finish=finish,
            compared=self.compared,
            tolerance=tolerance,
        )


def read_lightgbm(model: Any) -> Forest | None:
    """Read an LGBMClassifier or LGBMRegressor."""
    booster = getattr(model, "booster_", None)
    if booster is None:
        return None
    dump = booster.dump_model()
    outputs = dump["num_tree_per_iteration"]
    finish = _lightgbm_finish(dump["objective"])
    if finish is None or dump.get("average_output"):
        return None
    nodes = _Nodes()
    for number, tree in enumerate(dump["tree_info"]):
        root = _lightgbm_node(tree["tree_structure"], nodes)
        if root is None:
            return None
        nodes.roots.append(root)
        nodes.offset.append(number % outputs)
    return nodes.forest([0.0] * outputs, finish)


def _lightgbm_finish(objective: str) -> Finish | None:
    name, *settings = objective.split(" ")
    if name == "binary" and settings == ["sigmoid:1"]:
        return _two_classes
    if name == "multiclass":
        return lambda sums: softmax(sums.astype(np.float64), axis=-1)
    if name in ("regression", "regression_l1", "huber", "quantile") and not settings:
        return _first_output
    return None


def _lightgbm_node(tree: dict[str, Any], nodes: _Nodes) -> int | None:
    # Depth first without recursion: a tree may be as deep as it has leaves.
    waiting: list[tuple[dict[str, Any], list[int] | None, int]] = [(tree, None, 0)]
    root = len(nodes.column)
    while waiting:
        node, side, parent = waiting.pop()
        if "split_feature" not in node:
            number = nodes.leaf([node["leaf_value"]])
        else:
            missing = node["missing_type"]
            if node["decision_type"] != "<=" or missing == "Zero":
                return None
            # Without missing values in training, a missing one counts as 0.
            goes_left = node["default_left"] if missing == "NaN" else None
            threshold = node["threshold"]
            goes_left = bool(threshold >= 0.0 if goes_left is None else goes_left)
            number = nodes.split(node["split_feature"], threshold, goes_left)
            waiting.append((node["right_child"], nodes.right, number))
            waiting.append((node["left_child"], nodes.left, number))
        if side is not None:
            side[parent] = number
    return root


def read_sklearn(model: Any) -> Forest | None:
    """Read a decision tree or a forest of them."""
    trees = getattr(model, "estimators_", [model])
    if any(not hasattr(tree, "tree_") for tree in trees) or model.n_outputs_ != 1:
        return None
    classify = hasattr(model, "classes_")
    width = len(model.classes_) if classify else 1
    nodes = _Nodes(compared=np.float32)
    for estimator in trees:
        tree = estimator.tree_
        first = len(nodes.column)
        nodes.roots.append(first)
        nodes.offset.append(0)
        for number in range(tree.node_count):
            if tree.children_left[number] < 0:
                nodes.leaf(_sklearn_leaf(tree.value[number, 0, :width], classify))
                continue
            place = nodes.split(
                int(tree.feature[number]),
                float(tree.threshold[number]),
                bool(tree.missing_go_to_left[number]),
            )
            nodes.left[place] = first + int(tree.children_left[number])
            nodes.right[place] = first + int(tree.children_right[number])
    count = len(trees)

    def mean(sums: NDArray[Any]) -> NDArray[np.float64]:
        return (sums if classify else sums[..., 0]) / count

    return nodes.forest([0.0] * width, mean)


def _sklearn_leaf(value: NDArray[np.float64], classify: bool) -> NDArray[np.float64]:
    return value / value.sum() if classify else value


def read_xgboost(model: Any) -> Forest | None:
    """Read an XGBClassifier or XGBRegressor of trees."""
    booster = model.get_booster()
    settings = json.loads(booster.save_config())["learner"]
    objective = settings["objective"]["name"]
    finish = {
        "binary:logistic": _two_classes,
        "multi:softprob": lambda sums: softmax(sums.astype(np.float64), axis=-1),
        "reg:squarederror": _first_output,
    }.get(objective)
    if finish is None or settings["gradient_booster"]["name"] != "gbtree":
        return None
    if model.get_params().get("num_parallel_tree") not in (None, 1):
        return None
    outputs = max(1, int(settings["learner_model_param"]["num_class"]))
    base = json.loads(settings["learner_model_param"]["base_score"])
    start = np.broadcast_to(np.ravel(base), outputs).astype(float)
    if objective == "binary:logistic":
        start = np.log(start / (1 - start))
    names = booster.feature_names
    places = None if names is None else {name: at for at, name in enumerate(names)}
    nodes = _Nodes(compared=np.float32, added=np.float32)
    best = getattr(model, "best_iteration", None) if _stopped_early(model) else None
    dump = booster.get_dump(dump_format="json")
    dump = dump if best is None else dump[: (best + 1) * outputs]
    for number, text in enumerate(dump):
        root = _xgboost_node(json.loads(text), nodes, places)
        if root is None:
            return None
        nodes.roots.append(root)
        nodes.offset.append(number % outputs)
    return nodes.forest(start.tolist(), finish, tolerance=1e-6)


def _stopped_early(model: Any) -> bool:
    return model.get_params().get("early_stopping_rounds") is not None


def _xgboost_node(
    tree: dict[str, Any], nodes: _Nodes, places: dict[str, int] | None
) -> int | None:
    root = len(nodes.column)
    waiting: list[tuple[dict[str, Any], list[int] | None, int]] = [(tree, None, 0)]
    while waiting:
        node, side, parent = waiting.pop()
        if "leaf" in node:
            number = nodes.leaf([node["leaf"]])
        else:
            if not isinstance(node["split_condition"], int | float):
                return None  # a set of categories
            name = node["split"]
            column = int(name[1:]) if places is None else places[name]
            # Left is "below", not "at most": the next smaller single-precision number.
            below = np.nextafter(
                np.float32(node["split_condition"]), np.float32(-np.inf)
            )
            children = {child["nodeid"]: child for child in node["children"]}
            goes_left = node["missing"] == node["yes"]
            number = nodes.split(column, float(below), goes_left)
            waiting.append((children[node["no"]], nodes.right, number))
            waiting.append((children[node["yes"]], nodes.left, number))
        if side is not None:
            side[parent] = number
    return root


def _two_classes(sums: NDArray[Any]) -> NDArray[np.float64]:
    second = expit(sums[..., 0]).astype(np.float64)
    return np.stack([1.0 - second, second], axis=-1)


def _first_output(sums: NDArray[Any]) -> NDArray[np.float64]:
    return sums[..., 0].astype(np.float64)


READERS: dict[tuple[str, str], Callable[[Any], Forest | None]] = {
    ("lightgbm", "LGBMClassifier"): read_lightgbm,
    ("lightgbm", "LGBMRegressor"): read_lightgbm,
    ("sklearn", "DecisionTreeClassifier"): read_sklearn,
    ("sklearn", "DecisionTreeRegressor"): read_sklearn,
    ("sklearn", "ExtraTreeClassifier"): read_sklearn,
    ("sklearn", "ExtraTreeRegressor"): read_sklearn,
    ("sklearn", "ExtraTreesClassifier"): read_sklearn,
    ("sklearn", "ExtraTreesRegressor"): read_sklearn,
    ("sklearn", "RandomForestClassifier"): read_sklearn,
    ("sklearn", "RandomForestRegressor"): read_sklearn,
    ("xgboost", "XGBClassifier"): read_xgboost,
    ("xgboost", "XGBRegressor"): read_xgboost,
}
"""Who reads which class of which library, by name: nothing is imported for it."""


def read_trees(model: Any) -> Forest | None:
    """Read a fitted tree ensemble, or return None if it is none that is known.

    Only the very classes: one that inherits from them may predict differently.
    """
    kind = type(model)
    reader = READERS.get((kind.__module__.partition(".")[0], kind.__qualname__))
    return None if reader is None else reader(model)
