"""The catalogue of data sets: rows of TOML files, and how they are read."""
