"""The algorithms for candidate labels, one file for each or for a close family."""
