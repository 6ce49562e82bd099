"""Fitted models in files: ours without pickle, and those of other libraries."""
