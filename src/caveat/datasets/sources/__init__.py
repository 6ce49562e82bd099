"""Data sets that need code of their own to be loaded or made."""
