"""Who runs trials: supervised local workers, or Dask."""
