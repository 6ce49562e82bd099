"""Property tests draw the same examples in every run, so that a red run is news.

`pytest --hypothesis-profile=explore` draws new ones.
"""

import pytest
from hypothesis import HealthCheck, given, settings

settings.register_profile("repeat", derandomize=True)
settings.register_profile("explore", derandomize=False)
settings.load_profile("repeat")


@pytest.fixture(
    params=[
        pytest.param(100, id="100"),
        pytest.param(2000, id="2000", marks=pytest.mark.thorough),
    ]
)
def holds(request):
    """Try a law on drawn examples: 100 of them, and the promised 2,000 in `make test`.

    Call it as ``holds(law, strategy, ...)``; the law asserts what must be true.
    """

    def check(law, *strategies):
        unhurried = settings(
            max_examples=request.param,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        unhurried(given(*strategies)(law))()

    return check
