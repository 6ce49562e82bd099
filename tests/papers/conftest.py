"""The small problems and released data of the topics, for their published variants."""

import importlib.util
from pathlib import Path


def _fixtures(topic):
    file = Path(__file__).parents[1] / topic / "conftest.py"
    spec = importlib.util.spec_from_file_location(f"fixtures_of_{topic}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


adult, bagged = _fixtures("bags").adult, _fixtures("bags").bagged
mixed = _fixtures("shift").mixed
