"""Learners of many labels: one file each, and what they share."""
