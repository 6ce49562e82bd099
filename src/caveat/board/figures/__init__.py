"""The figures of a report: each a function from a few numbers to a `Figure`."""
