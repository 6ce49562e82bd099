"""Which row a rule selects, and what that gave up."""
