"""Selection, regret, intervals, paired tests, ranks, best sets: arrays to numbers."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_rules": [
            "Glossary",
            "RecordsLike",
            "Rule",
            "direction_of",
            "resolve_rule",
        ],
        "_groups": ["SelectionTable"],
        "_selection": ["choose", "select"],
        "_regret": ["regret"],
        "_agreement": ["criterion_agreement"],
        "_advice": ["fitting_test"],
        "_checks": ["check_count"],
        "_bayesian": [
            "Practical",
            "bayesian_correlated_t_test",
            "bayesian_signed_rank_test",
        ],
        "_bounded": ["bounded_interval"],
        "_bradley_terry": ["bradley_terry"],
        "_improvability": ["improvability"],
        "_intervals": ["Interval", "mean_interval"],
        "_nested": ["interval_table", "nested_mean_interval"],
        "_best_set": ["BestSet", "best_set"],
        "_summaries": ["best_set_from_summary", "pool_summary"],
        "_ranks": ["AverageRanks", "average_ranks"],
        "_friedman": [
            "FriedmanTest",
            "critical_difference",
            "friedman_from_averages",
            "friedman_test",
        ],
        "_cliques": ["cliques_by_difference", "cliques_by_tests"],
        "_pairwise": ["wilcoxon_holm", "win_tie_loss"],
        "_t_tests": ["ResampledTTest", "corrected_resampled_t_test"],
        "_split_interval": ["split_interval"],
        "_bootstrap": ["PairedBootstrap", "paired_bootstrap"],
        "_rows": ["bootstrap_rows"],
        "_multiplicity": ["benjamini_hochberg", "bonferroni", "holm"],
        "_effects": ["cliffs_delta", "common_language"],
    },
)
