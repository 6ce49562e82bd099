"""Realistic files made on the spot, each with a story and a planted truth."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__, {"registry": ["SAMPLES"], "_write": ["Sample", "write_sample"]}
)
