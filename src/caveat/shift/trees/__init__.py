"""The fast way for tree ensembles: all masks in one walk."""
