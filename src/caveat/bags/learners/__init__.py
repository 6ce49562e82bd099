"""Classifiers of items that learn from bags, and the networks among them."""
