"""Selection, regret, intervals, paired tests, ranks, best sets: arrays to numbers."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "selection._rules": [
            "Glossary",
            "RecordsLike",
            "Rule",
            "direction_of",
            "resolve_rule",
        ],
        "selection._groups": ["SelectionTable"],
        "selection._selection": ["choose", "select"],
        "selection._regret": ["regret"],
        "selection._agreement": ["criterion_agreement"],
        "comparisons._advice": ["fitting_test"],
        "_checks": ["check_count"],
        "comparisons._bayesian": [
            "Practical",
            "bayesian_correlated_t_test",
            "bayesian_signed_rank_test",
        ],
        "intervals._bounded": ["bounded_interval"],
        "comparisons._bradley_terry": ["bradley_terry"],
        "comparisons._improvability": ["improvability"],
        "intervals._intervals": ["Interval", "mean_interval"],
        "intervals._nested": ["interval_table", "nested_mean_interval"],
        "comparisons._best_set": ["BestSet", "best_set"],
        "comparisons._summaries": ["best_set_from_summary", "pool_summary"],
        "comparisons._ranks": ["AverageRanks", "average_ranks"],
        "comparisons._friedman": [
            "FriedmanTest",
            "critical_difference",
            "friedman_from_averages",
            "friedman_test",
        ],
        "comparisons._cliques": ["cliques_by_difference", "cliques_by_tests"],
        "comparisons._pairwise": ["wilcoxon_holm", "win_tie_loss"],
        "comparisons._t_tests": ["ResampledTTest", "corrected_resampled_t_test"],
        "intervals._split_interval": ["split_interval"],
        "intervals._bootstrap": ["PairedBootstrap", "paired_bootstrap"],
        "intervals._shares": ["paired_share_interval", "share_interval"],
        "intervals._rows": ["bootstrap_rows"],
        "comparisons._multiplicity": ["benjamini_hochberg", "bonferroni", "holm"],
        "comparisons._effects": ["cliffs_delta", "common_language"],
    },
)
