"""The harness lies beside the tests; `benchmarks/every_operation.py` uses it, too."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
