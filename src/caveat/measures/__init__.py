"""Every measure once: its value, direction, range, weights, floor and warnings."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_checks": ["class_numbers"],
        "_measure": ["LabelMeasure", "Measure"],
        "_several": ["evaluate"],
        "registry": [
            "DOUBLE",
            "INSTANCE_WISE",
            "LABEL_MEASURES",
            "LABEL_WISE",
            "MEASURES",
            "Measures",
            "get",
            "names",
            "register",
        ],
    },
)
