"""A number and how well it is known."""
