"""Tables with one planted fault each, and the same tables without it."""
