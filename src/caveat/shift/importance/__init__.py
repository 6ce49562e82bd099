"""How much a column tells about the target, to order columns by."""
