"""Smooth losses over items, and how they are minimised."""
