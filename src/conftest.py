"""Modules around a library that is not installed have no examples to run.

Left to itself, pytest would import them, fail, and leave the halves in `sys.modules`.
"""

from importlib.util import find_spec

_LIBRARIES = {
    **{name: name for name in ("catboost", "lightgbm", "tabicl", "tabpfn", "xgboost")},
    "realmlp": "pytabkit",
}

collect_ignore = [
    f"caveat/models/_{module}.py"
    for module, library in _LIBRARIES.items()
    if find_spec(library) is None
]
