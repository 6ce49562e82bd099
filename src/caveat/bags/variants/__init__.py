"""Which variant bags follow, and how hard they are to learn from."""
