"""The data folder: fetched and imported files, each proved before every use."""
