"""Modules around a library that is not installed have no examples to run.

Left to itself, pytest would import them, fail, and leave the halves in `sys.modules`.
"""

from importlib.util import find_spec

_LIBRARIES = ("catboost", "lightgbm", "tabicl", "tabpfn", "xgboost")

collect_ignore = [
    f"caveat/models/_{name}.py" for name in _LIBRARIES if find_spec(name) is None
]
