"""Where records live: written once, proved by digests, read back, compared."""
