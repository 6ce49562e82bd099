"""The small problems and released data of the topics, for their published variants."""

import importlib.util
from pathlib import Path

_spec = importlib.util.spec_from_file_location(
    "fixtures_of_bags", Path(__file__).parents[1] / "bags" / "conftest.py"
)
_bags = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_bags)
adult, bagged = _bags.adult, _bags.bagged
