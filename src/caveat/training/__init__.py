"""The one training loop for networks: batches, early stopping, checkpoints, seeds."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_batches": [
            "Batch",
            "Paired",
            "Sampler",
            "Shuffled",
            "Weighted",
            "suggest_batch_size",
        ],
        "_best_checkpoint": ["Best"],
        "_diverged": ["Diverged"],
        "_features": ["ProjectionHead", "last_layer", "with_features"],
        "_reinitialised": ["fresh_copy"],
        "_job": ["Job"],
        "_mlp": ["mlp"],
        "_objective": ["LossFunction", "Objective"],
        "_optimisers": ["Recipe", "adam", "adamw", "rmsprop", "sgd"],
        "_outputs": ["output_shape", "outputs"],
        "_plain": ["from_json", "to_json"],
        "_run": ["Run", "Training"],
        "_sandbox": ["check_device", "sandbox", "seeded"],
        "_stack": ["train_all"],
        "_store": ["load_tree", "save_tree"],
        "_train": ["train"],
        "_views": ["View", "Views", "as_it_is"],
    },
)
