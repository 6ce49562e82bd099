"""From scores to decisions: thresholds of every kind, and the exact search for them."""
