"""Which name each cluster gets: all ways tried, or the best found otherwise."""
