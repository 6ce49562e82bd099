"""How bags come to be: by variant, by column, as the published benchmark has them."""
