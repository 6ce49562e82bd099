"""The two margins, what a model serves, and the theorems on both."""
