"""Feature shift: the tables and observations of Cheng et al. (2025)."""
