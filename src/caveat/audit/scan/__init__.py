"""The scan of a table: what its columns, rows and their order tell of the target.

No model of the user's and no worker is needed: every question is asked in this
process, in seconds, of the table as it is.
"""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_duplicates": ["FARTHER", "near_bar"],
        "_pictures": ["scan_pictures"],
        "_scan": ["scan"],
        "_finding": ["Finding", "Floor", "Scan"],
    },
)
