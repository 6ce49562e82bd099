"""Partial labels: the PLENCH tables on Lost and Italian (Wang et al., 2025)."""
