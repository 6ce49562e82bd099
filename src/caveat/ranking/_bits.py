"""Two machine instructions that numba does not name: popcount and trailing zeros."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic


def _popcount(typing_context: Any, word: Any) -> Any:
    """Count the bits of an integer that are 1."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return word(word), generate


def _trailing_zeros(typing_context: Any, word: Any) -> Any:
    """Find the position of the lowest bit that is 1; the word must not be 0."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        undefined_for_zero = context.get_constant(types.boolean, True)
        return builder.cttz(args[0], undefined_for_zero)

    return word(word), generate


popcount: Any = intrinsic(_popcount)
trailing_zeros: Any = intrinsic(_trailing_zeros)
