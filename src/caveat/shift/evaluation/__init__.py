"""A fitted model, checked tables and targets, and its predictions under masks."""
