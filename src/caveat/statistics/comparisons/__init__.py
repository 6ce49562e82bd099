"""Who is better: tests, ranks, best sets and effect sizes."""
