"""Which columns vanish: scenarios, their steps, and the subsets of each."""
