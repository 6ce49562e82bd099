"""Property tests draw the same examples in every run, so that a red run is news.

`pytest --hypothesis-profile=explore` draws new ones.
"""

from hypothesis import settings

settings.register_profile("repeat", derandomize=True)
settings.register_profile("explore", derandomize=False)
settings.load_profile("repeat")
