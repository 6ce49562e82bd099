"""All masked answers of a tree ensemble in one walk per row and tree.

Under a mask a row goes left at a node if its own value says so and the column is
there, or if the imputed value says so and the column is gone. Sixty-four masks are the
bits of one word: a node splits the word of the masks that reach it in two, and a leaf
adds its value to the masks whose bits arrived. Every mask arrives at exactly one leaf
of every tree, in the order of the trees, so the sums are those of the library, bit by
bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from caveat.shift.scenarios._subsets import Masks

_WORD = 64
_GROUP = 20_000
"""At most about so many nodes are walked through for one row after the other."""


@dataclass(frozen=True)
class Forest:
    """Trees as flat arrays; nodes of all trees are numbered through.

    Attributes
    ----------
    column : int array (nodes,)
        Which encoded column a node looks at.
    threshold : float array (nodes,)
        A row goes left if its value is at most this.
    missing_left : bool array (nodes,)
        Where a missing value goes.
    left, right : int array (nodes,)
        Children; at a leaf `left` is -1 and `right` its row in `leaves`.
    roots, offset : int array (trees,)
        First node of each tree, and the first output that it adds to.
    leaves : float array (n_leaves, width)
        What a leaf adds to `width` outputs. Sums have its precision.
    start : float array (outputs,)
        What the sums start from.
    finish : callable
        Turns sums (..., outputs) into the library's answers.
    compared : type
        Precision in which the library compares values with thresholds.
    tolerance : float
        By how much answers may differ from the library's own.
    """

    column: NDArray[np.int64]
    threshold: NDArray[np.float64]
    missing_left: NDArray[np.bool_]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    roots: NDArray[np.int64]
    offset: NDArray[np.int64]
    leaves: NDArray[Any]
    start: NDArray[Any]
    finish: Callable[[NDArray[Any]], NDArray[np.float64]]
    compared: type
    tolerance: float

    def sums(
        self,
        rows: NDArray[np.float64],
        fills: NDArray[np.float64],
        owner: NDArray[np.int64],
        masks: Masks,
    ) -> NDArray[Any]:
        """Add up the leaves of every mask and row: (masks, rows, outputs).

        Parameters
        ----------
        rows, fills : float array (rows, encoded columns)
            The rows as they are, and with every column imputed; the latter may be one
            row for all.
        owner : int array (encoded columns,)
            The column of the raw table that each encoded column comes from; -1 if it
            never changes.
        masks : bool array (masks, raw columns)
        """
        return _walk(
            _packed(self),
            _groups(self.roots, len(self.column)),
            self.roots,
            self.offset,
            self.leaves,
            self.start,
            self._compared(rows),
            self._compared(fills),
            owner,
            _words(masks),
            len(masks),
        )

    def _compared(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Round values as the library does before it compares them."""
        return np.ascontiguousarray(values).astype(self.compared).astype(np.float64)


def _words(masks: Masks) -> NDArray[np.uint64]:
    """Pack masks into words: bit b of word w belongs to mask 64 w + b."""
    n_words = -(-len(masks) // _WORD)
    padded = np.zeros((n_words * _WORD, masks.shape[1]), dtype=np.uint8)
    padded[: len(masks)] = masks
    bits = np.packbits(padded, axis=0, bitorder="little")
    grouped = bits.reshape(n_words, 8, masks.shape[1]).transpose(0, 2, 1)
    # Bytes in memory order make a word on little-endian machines only, so say so.
    return np.ascontiguousarray(grouped).view("<u8")[..., 0].astype(np.uint64)


_NODE = np.dtype(
    [
        ("threshold", "f8"),
        ("column", "i4"),
        ("missing", "i4"),
        ("left", "i4"),
        ("right", "i4"),
    ]
)


def _packed(forest: Forest) -> NDArray[Any]:
    """Put what belongs to a node side by side in memory."""
    nodes = np.empty(len(forest.column), dtype=_NODE)
    nodes["threshold"] = forest.threshold
    nodes["column"] = forest.column
    nodes["missing"] = forest.missing_left
    nodes["left"] = forest.left
    nodes["right"] = forest.right
    return nodes


def _groups(roots: NDArray[np.int64], n_nodes: int) -> NDArray[np.int64]:
    """Cut the trees into groups that fit into the processor's cache."""
    ends = np.append(roots[1:], n_nodes)
    groups = [0]
    for tree in range(1, len(roots)):
        if ends[tree] - roots[groups[-1]] > _GROUP:
            groups.append(tree)
    return np.array([*groups, len(roots)], dtype=np.int64)


@njit(cache=True)
def _goes(value: float, threshold: float, missing: int) -> bool:
    """Whether a value goes left."""
    return missing == 1 if np.isnan(value) else value <= threshold


@njit(cache=True)
def _add(lane: NDArray[Any], value: Any, word: np.uint64) -> None:
    """Add a value in the places of the set bits.

    And 0 in the others: without a branch the compiler makes vector instructions of it.
    """
    nothing = lane.dtype.type(0)
    for bit in range(64):
        lane[bit] += value if (word >> np.uint64(bit)) & np.uint64(1) else nothing


@njit(cache=True)
def _walk(
    nodes: NDArray[Any],
    groups: NDArray[np.int64],
    roots: NDArray[np.int64],
    offset: NDArray[np.int64],
    leaves: NDArray[Any],
    start: NDArray[Any],
    rows: NDArray[np.float64],
    fills: NDArray[np.float64],
    owner: NDArray[np.int64],
    words: NDArray[np.uint64],
    n_masks: int,
) -> NDArray[Any]:
    """Sum the leaves that every row reaches under every mask: (masks, rows, outputs).

    A mask says which columns are gone, and a gone column has its fill. Masks stand in
    words of 64 bits, one bit each, so that a row goes down a tree once for 64 masks:
    where a mask's answer differs from that of the others, the word is split in two,
    and the other half waits on a stack. `owner` maps a column to its word in `words`,
    -1 for columns that no mask takes away.
    """
    n_rows = len(rows)
    n_outputs = len(start)
    width = leaves.shape[1]
    sums = np.empty((n_masks, n_rows, n_outputs), dtype=leaves.dtype)
    for output in range(n_outputs):
        sums[:, :, output] = start[output]
    waiting_node = np.empty(len(nodes) + 1, dtype=np.int64)
    waiting_word = np.empty(len(nodes) + 1, dtype=np.uint64)
    held = np.empty((n_outputs, 64), dtype=leaves.dtype)
    one = np.uint64(1)
    none = np.uint64(0)
    for group in range(len(groups) - 1):
        for row in range(n_rows):
            own = rows[row]
            fill = fills[row if len(fills) > 1 else 0]
            for block in range(len(words)):
                bits = min(64, n_masks - 64 * block)
                everything = ~none if bits == 64 else (one << np.uint64(bits)) - one
                for bit in range(bits):
                    for output in range(n_outputs):
                        held[output, bit] = sums[64 * block + bit, row, output]
                for tree in range(groups[group], groups[group + 1]):
                    first = offset[tree]
                    waiting_node[0] = roots[tree]
                    waiting_word[0] = everything
                    depth = 1
                    while depth > 0:
                        depth -= 1
                        at = waiting_node[depth]
                        word = waiting_word[depth]
                        node = nodes[at]
                        while node.left >= 0:
                            column = node.column
                            goes = _goes(own[column], node.threshold, node.missing)
                            gone = none
                            if owner[column] >= 0:
                                gone = words[block, owner[column]] & word
                            # Cell and fill go the same way: all masks stay together.
                            if gone == none or goes == _goes(
                                fill[column], node.threshold, node.missing
                            ):
                                at = node.left if goes else node.right
                                node = nodes[at]
                                continue
                            # Where the column is gone the fill decides, elsewhere
                            # the cell; here they disagree.
                            leftward = word ^ gone if goes else gone
                            rightward = word ^ leftward
                            if leftward == none:
                                at = node.right
                            elif rightward == none:
                                at = node.left
                            else:
                                waiting_node[depth] = node.right
                                waiting_word[depth] = rightward
                                depth += 1
                                at = node.left
                                word = leftward
                            node = nodes[at]
                        # At a leaf `node.right` is its line in `leaves`.
                        for output in range(width):
                            _add(held[first + output], leaves[node.right, output], word)
                for bit in range(bits):
                    for output in range(n_outputs):
                        sums[64 * block + bit, row, output] = held[output, bit]
    return sums
