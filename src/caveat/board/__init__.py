"""The report on a ledger: leaderboard, statistics, cost, failures."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_build": ["build_page", "build_report"],
        "_read": ["tell_twins_apart"],
    },
)
