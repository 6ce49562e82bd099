"""The study engine: plan, run, record. It knows nothing of any topic."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "trials._floor_facts": ["constant_facts", "floor_facts"],
        "trials._learner_checks": ["known_labels", "untouched"],
        "files._learners": ["parse_learner"],
        "files._spec": ["Study", "load_study"],
        "trials._plan": ["plan", "skipped"],
        "engines._pool": ["check_jobs"],
        "trials._preview": ["Preview", "preview"],
        "trials._search": ["random_configurations"],
        "trials._splits": ["row_bonds", "split_rows"],
        "ledger._diff": ["compare"],
        "ledger._verify": ["RERUN_TOLERANCE", "Rerun", "rerun", "whole"],
        "ledger._database": ["NoLedgerYet", "masked"],
        "trials._trial": ["Trial", "run_trial"],
        "_run": ["Event", "Summary", "run"],
        "ledger._file_system": ["network_file_system"],
        "trials._finished": ["Finished"],
        "files._imports": ["beside"],
        "ledger._ledger": ["Ledger"],
        "_event_log": ["EventLog"],
        "ledger._digests": ["Damage"],
        "ledger._records": ["Records", "trials_digest"],
        "ledger._export": ["export", "tidy"],
        "files._library": ["registered_studies"],
        "engines._worker": ["library_versions"],
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
