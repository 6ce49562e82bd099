"""The names that people's scripts use, with the defaults that they may rely on."""

import inspect
from importlib import import_module

import pytest

NAMES = {
    "datasets": "load read available register",
    "eapp": "EAPP best_labeling bias_probe",
    "bags": (
        "make_bags bag_proportions identify_variant EMLogisticRegression MeanMap "
        "LaplacianMeanMap AlternatingMeanMap DLLPClassifier InverseCalibration "
        "BagForwardCorrection LLPVAT EasyLLP FullBagKFold SplitBagKFold "
        "SplitBagShuffle SplitBagBootstrap"
    ),
    "candidates": (
        "uniform_candidates flip_candidates instance_candidates "
        "complementary_candidates noisy_candidates aggregate_annotations "
        "vaguest_annotation covering_rate approximated_accuracy oracle_accuracy "
        "PartialLabelClassifier algorithms"
    ),
    "multilabel": (
        "evaluate hamming_loss ranking_loss one_error coverage average_precision "
        "macro_f1 instance_f1 micro_f1 macro_auc instance_auc micro_auc label_margins "
        "instance_margins effectiveness LIMO MLkNN GFM BinaryRelevanceSVM "
        "InstanceThreshold LabelThreshold"
    ),
    "shift": "feature_importance shift_curve models",
    "measures": "get names register",
    "study": "load_study plan run Ledger",
    "statistics": "select regret best_set average_ranks",
    "models": "available",
}

DEFAULTS = {
    "eapp.EAPP": {
        "representation": "pca",
        "latent": "auto",
        "clusterer": "kmeans",
        "k_max": 10,
        "folds": 10,
        "labeling": "exact",
        "selection": "both",
        "score": "ratio",
        "shuffles": 200,
        "random_state": None,
    },
    "eapp.best_labeling": {"score": "ratio"},
    "eapp.bias_probe": {
        "s": (0, 0.25, 0.5, 1, 2, 3),
        "unit": "auto",
        "columns": None,
    },
    "bags.make_bags": {
        "n_bags": None,
        "sizes": None,
        "proportions": None,
        "n_clusters": 5,
        "legacy": False,
        "random_state": None,
    },
    "bags.identify_variant": {"alpha": 0.05, "random_state": None},
    "bags.MeanMap": {"lam": 1},
    "bags.LaplacianMeanMap": {"lam": 1, "gamma": 1, "sigma": 1},
    "bags.AlternatingMeanMap": {
        "lam": 1,
        "gamma": 1,
        "sigma": 1,
        "mode": "min",
    },
    "bags.EMLogisticRegression": {"C": 1},
    "bags.DLLPClassifier": {"learning_rate": 1e-3},
    "candidates.uniform_candidates": {"n_classes": None, "method": "exact"},
    "candidates.flip_candidates": {
        "rate": None,
        "matrix": None,
        "pairwise": False,
        "at_least_one_false": False,
    },
    "candidates.instance_candidates": {"rate": 0.4, "normalise": True},
    "candidates.complementary_candidates": {"count": 1},
    "candidates.PartialLabelClassifier": {
        "algorithm": "proden",
        "variant": "paper",
        "params": None,
        "hidden": (500,),
        "learning_rate": 1e-3,
        "weight_decay": 1e-5,
        "batch_size": 128,
        "max_steps": 10_000,
        "checkpoint_every": 1000,
        "criterion": None,
        "validation_fraction": 0.1,
        "device": "cpu",
    },
    "multilabel.evaluate": {
        "decisions": None,
        "ties": "half",
        "zero_division": 0.0,
        "degenerate": "skip",
        "measures": None,
    },
    "multilabel.LIMO": {"lambda1": 1, "lambda2": 1},
    "multilabel.MLkNN": {"k": 10, "s": 1},
    "multilabel.GFM": {"k": 10},
    "multilabel.BinaryRelevanceSVM": {"C": 1},
    "multilabel.InstanceThreshold": {"measure": "instance_f1"},
    "multilabel.LabelThreshold": {"measure": "macro_f1"},
    "shift.feature_importance": {"method": "pearson"},
    "shift.shift_curve": {
        "scenario": "random",
        "imputer": "mean",
        "importance": "pearson",
        "degrees": None,
        "max_subsets": 10_000,
        "tolerance": None,
        "metric": None,
        "random_state": None,
    },
    "study.run": {"ledger": None, "engine": None, "allow_import": False},
}


@pytest.mark.parametrize(
    ("package", "name"),
    [(package, name) for package, names in NAMES.items() for name in names.split()],
)
def test_the_name_is_there_and_listed(package, name):
    module = import_module(f"caveat.{package}")
    assert callable(getattr(module, name))
    assert name in dir(module)


@pytest.mark.parametrize("path", DEFAULTS)
def test_the_defaults_are_what_people_were_told(path):
    package, name = path.split(".")
    found = inspect.signature(
        getattr(import_module(f"caveat.{package}"), name)
    ).parameters
    assert {key: found[key].default for key in DEFAULTS[path]} == DEFAULTS[path]


COMMAND_NAMES = (
    "demo audit eapp bags candidates multilabel shift run status report list data "
    "export diff prune"
)


@pytest.mark.parametrize("command", COMMAND_NAMES.split())
def test_the_command_is_there(command):
    from caveat.cli._root import COMMANDS

    assert command in COMMANDS
