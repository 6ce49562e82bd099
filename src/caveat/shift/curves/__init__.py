"""What a model is worth while columns vanish, degree by degree."""
