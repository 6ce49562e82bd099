"""Which rows are held out, and what all folds give together."""
