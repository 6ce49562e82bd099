"""Label proportions as published: llp-learn, 20 sets of Adult (Franco et al., 2023)."""
