"""EAPP: how much of a score is free (Ortiz Castelló et al., 2022)."""
