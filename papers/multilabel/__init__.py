"""Many labels: LIMO and its rivals as published (Wu & Zhou, 2017)."""
