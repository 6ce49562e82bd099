"""Rows into clusters, for a range of cluster counts; no labels."""
