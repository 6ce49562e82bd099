"""Choosing settings without labels: splits of bags, criteria over them."""
