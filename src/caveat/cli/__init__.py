"""The command line: thin, instant, and the only part that speaks to the terminal."""

from caveat.cli._root import caveat, main

__all__ = ["caveat", "main"]
