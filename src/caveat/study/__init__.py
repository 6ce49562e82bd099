"""The study engine: plan, run, record. It knows nothing of any topic."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_conduct": ["known_labels", "untouched"],
        "_learners": ["parse_learner"],
        "_spec": ["Study", "load_study"],
        "_plan": ["plan", "skipped"],
        "_pool": ["check_jobs"],
        "_preview": ["Preview", "preview"],
        "_search": ["random_configurations"],
        "_splits": ["split_rows"],
        "_diff": ["compare"],
        "_verify": ["RERUN_TOLERANCE", "Rerun", "rerun", "whole"],
        "_database": ["NoLedgerYet", "masked"],
        "_trial": ["Trial", "run_trial"],
        "_run": ["Event", "Summary", "run"],
        "_file_system": ["network_file_system"],
        "_finished": ["Finished"],
        "_imports": ["beside"],
        "_ledger": ["Ledger"],
        "_log": ["EventLog"],
        "_proof": ["Damage"],
        "_records": ["Records", "trials_digest"],
        "_export": ["export", "tidy"],
        "_library": ["registered_studies"],
        "_worker": ["library_versions"],
        "registry": ["ENGINES", "FOLLOW_UPS", "TOPICS"],
        "topic": [
            "Context",
            "Outcome",
            "Split",
            "Topic",
            "dataset_name",
            "grid_worlds",
            "single_world",
        ],
    },
)
