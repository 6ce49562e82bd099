"""What stands in the place of a vanished column."""
