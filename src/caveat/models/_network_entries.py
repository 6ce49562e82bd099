"""The rows of the networks in the registry, with their spaces.

The spaces are those of the feature-shift study (TabFSBench, Cheng et al. 2025, Tables 5
and 6; where its code is the sensible one, its code). Where the code takes a default
with probability one half, the whole range is drawn from here.
"""

from __future__ import annotations

from typing import Any

from caveat._registry import Entry

_CLASSES = ("binary", "multiclass")
_ALL = (*_CLASSES, "regression")
_Space = dict[str, dict[str, list[Any]]]


def _log(low: float, high: float) -> dict[str, list[Any]]:
    return {"log-uniform": [low, high]}


def _share(high: float, low: float = 0.0) -> dict[str, list[Any]]:
    return {"uniform": [low, high]}


def _whole(low: int, high: int) -> dict[str, list[Any]]:
    return {"integer": [low, high]}


def _choice(*values: Any) -> dict[str, list[Any]]:
    return {"choice": list(values)}


_LAYERS = [[width] * depth for depth in (1, 2, 4, 8) for width in (64, 256, 512)]


def _rates(
    lr: tuple[float, float], wd: tuple[float, float] = (1e-6, 1e-3)
) -> dict[str, dict[str, list[Any]]]:
    return {"learning_rate": _log(*lr), "weight_decay": _log(*wd)}


def _network(
    name: str,
    target: str,
    display: str,
    summary: str,
    paper: str,
    *,
    space: _Space,
    quick: dict[str, Any],
    tasks: tuple[str, ...] = _ALL,
    known_weak: bool = False,
    seconds: tuple[float, float],
    most: dict[str, Any] | None = None,
) -> Entry:
    return Entry(
        name=name,
        target=f"caveat.models.networks.{target}",
        display=display,
        summary=summary,
        paper=paper,
        extra="deep",
        space=space,
        quick={"learning_rate": 0.01, "max_epochs": 20, **quick},
        tasks=tasks,
        known_weak=known_weak,
        facts={
            "family": "network",
            "row_wise": True,
            "native_missing": False,
            "seconds": seconds,
            **(most or {}),
        },
    )


# Attention compares all pairs of columns; networks that look rows up, all of rows.
_PAIRS = {"tokens": True, "most_columns": 128}
_ALL_ROWS = {"most_rows": 50_000}

NETWORKS = [
    _network(
        "mlp",
        "_mlp:MLP",
        "MLP",
        "layers of rectified linear units",
        "",
        seconds=(1.5, 0.5),
        space={
            "hidden": _choice(*_LAYERS),
            "dropout": _share(0.5),
            **_rates((1e-5, 1e-2)),
        },
        quick={"hidden": (32,), "max_epochs": 40},
    ),
    _network(
        "resnet",
        "_resnet:ResNet",
        "ResNet",
        "residual blocks with batch norm",
        "Gorishniy et al. (2021)",
        seconds=(1.5, 0.7),
        space={
            "n_layers": _whole(1, 8),
            "d": _whole(64, 512),
            "hidden_factor": _share(4.0, 1.0),
            "hidden_dropout": _share(0.5),
            "residual_dropout": _share(0.5),
            **_rates((1e-5, 1e-2)),
        },
        quick={"d": 16},
    ),
    _network(
        "snn",
        "_snn:SNN",
        "SNN",
        "self-normalising layers",
        "Klambauer et al. (2017)",
        seconds=(1.5, 0.6),
        space={
            "hidden": _choice(
                *[[width] * n for n in (2, 4, 8, 16) for width in (64, 256, 512)]
            ),
            "dropout": _share(0.1),
            "d_embedding": _whole(64, 512),
            **_rates((1e-5, 1e-2)),
        },
        quick={"hidden": (32,), "d_embedding": 4},
    ),
    _network(
        "dcn2",
        "_dcn2:DCN2",
        "DCN2",
        "products of columns beside a deep network",
        "Wang et al. (2021)",
        seconds=(10, 2.5),
        space={
            "d": _whole(64, 512),
            "d_embedding": _whole(64, 512),
            "hidden_dropout": _share(0.5),
            "cross_dropout": _share(0.5),
            "n_cross_layers": _whole(1, 8),
            "n_hidden_layers": _whole(1, 8),
            **_rates((1e-5, 0.1)),
        },
        quick={"d": 16, "d_embedding": 4},
    ),
    _network(
        "autoint",
        "_autoint:AutoInt",
        "AutoInt",
        "columns attend to each other",
        "Song et al. (2019)",
        seconds=(25, 4),
        most=_PAIRS,
        space={
            "n_layers": _whole(1, 6),
            "d_token": _choice(8, 16, 32, 64, 128),
            "residual_dropout": _share(0.2),
            "attention_dropout": _share(0.5),
            **_rates((1e-5, 1e-3)),
        },
        quick={"n_layers": 1, "d_token": 8, "n_heads": 2},
    ),
    _network(
        "ft-transformer",
        "_ft_transformer:FTTransformer",
        "FT-Transformer",
        "a transformer over the cells of a row",
        "Gorishniy et al. (2021)",
        seconds=(40, 15),
        most=_PAIRS,
        space={
            "n_blocks": _whole(1, 4),
            "d_token": _choice(8, 16, 32, 64, 128),
            "ffn_factor": _share(8 / 3, 2 / 3),
            "residual_dropout": _share(0.2),
            "attention_dropout": _share(0.5),
            "ffn_dropout": _share(0.5),
            **_rates((1e-5, 1e-3)),
        },
        quick={"n_blocks": 1, "d_token": 8, "n_heads": 2},
    ),
    _network(
        "tabtransformer",
        "_tab_transformer:TabTransformer",
        "TabTransformer",
        "a transformer over the categorical columns",
        "Huang et al. (2020)",
        seconds=(25, 5),
        most={**_PAIRS, "of_categories": True},
        space={
            "depth": _choice(1, 2, 3, 6, 12),
            "heads": _choice(2, 4, 8),
            "dim": _choice(32, 64, 128, 256),
            "attention_dropout": _share(0.5),
            "ffn_dropout": _share(0.5),
            **_rates((1e-5, 0.1)),
        },
        quick={"depth": 1, "dim": 8, "heads": 2},
    ),
    _network(
        "saint",
        "_saint:SAINT",
        "SAINT",
        "attention between columns and between rows",
        "Somepalli et al. (2021)",
        seconds=(80, 35),
        most=_PAIRS,
        space={
            "depth": _choice(4, 6),
            "heads": _choice(4, 8),
            "dim": _choice(16, 32, 64),
            "attention_dropout": _share(0.5),
            "ffn_dropout": _share(0.5),
            "attention_type": _choice("colrow", "row", "col"),
            **_rates((3e-5, 1e-3), (1e-6, 1e-4)),
        },
        quick={
            "depth": 1,
            "dim": 8,
            "heads": 2,
            "context_size": 32,
            "learning_rate": 0.003,
        },
    ),
    _network(
        "tangos",
        "_tangos:TANGOS",
        "TANGOS",
        "hidden units that look at different columns",
        "Jeffares et al. (2023)",
        seconds=(5, 0.6),
        space={
            "hidden": _choice(*_LAYERS),
            "dropout": _share(0.5),
            "lambda1": _log(1e-3, 10.0),
            "lambda2": _log(1e-4, 1.0),
            "subsample": _whole(30, 100),
            **_rates((1e-4, 1e-3)),
        },
        quick={"hidden": (32, 32), "lambda1": 0.1},
    ),
    _network(
        "node",
        "_node:NODE",
        "NODE",
        "soft oblivious trees",
        "Popov et al. (2020)",
        seconds=(140, 18),
        space={
            "num_layers": _whole(1, 4),
            "depth": _whole(4, 6),
            "tree_dim": _whole(2, 3),
            "layer_dim": _choice(512, 1024),
            **_rates((1e-5, 0.1)),
        },
        quick={"layer_dim": 16, "depth": 3},
    ),
    _network(
        "tabr",
        "_tabr:TabR",
        "TabR",
        "the nearest training rows are looked up",
        "Gorishniy et al. (2024)",
        seconds=(27, 17),
        most=_ALL_ROWS,
        space={
            "d_main": _whole(96, 384),
            "context_dropout": _share(0.6),
            "dropout": _share(0.6),
            "encoder_blocks": _whole(0, 1),
            "predictor_blocks": _whole(1, 2),
            "n_frequencies": _whole(16, 96),
            "scale": _log(0.01, 100.0),
            "d_embedding": _whole(16, 64),
            **_rates((3e-5, 1e-3)),
        },
        quick={"d_main": 16, "n_frequencies": 4, "d_embedding": 4, "context_size": 16},
    ),
    _network(
        "modernnca",
        "_modernnca:ModernNCA",
        "ModernNCA",
        "soft nearest neighbours in a learnt space",
        "Ye et al. (2024)",
        seconds=(4, 2.5),
        most=_ALL_ROWS,
        space={
            "dropout": _share(0.5),
            "d_block": _whole(64, 1024),
            "n_blocks": _whole(0, 2),
            "n_frequencies": _whole(16, 96),
            "frequency_scale": _log(0.005, 10.0),
            "d_embedding": _whole(16, 64),
            "sample_rate": _share(0.6, 0.05),
            "dim": _whole(64, 1024),
            **_rates((1e-5, 0.1)),
        },
        quick={"dim": 16, "n_frequencies": 4, "d_embedding": 4},
    ),
    _network(
        "tabnet",
        "_tabnet:TabNet",
        "TabNet",
        "steps through sparse choices of columns",
        "Arik & Pfister (2021)",
        seconds=(11, 3),
        space={
            "learning_rate": _share(0.01, 0.001),
            "gamma": _share(2.0, 1.0),
            "n_steps": _whole(3, 10),
            "n_independent": _whole(1, 5),
            "n_shared": _whole(1, 5),
            "momentum": _share(0.4, 0.01),
        },
        quick={"learning_rate": 0.03, "momentum": 0.3, "max_epochs": 40},
    ),
    _network(
        "danets",
        "_danets:DANet",
        "DANets",
        "layers that abstract groups of columns",
        "Chen et al. (2022)",
        seconds=(70, 12),
        space={
            "n_layers": _whole(6, 32),
            "dropout": _share(0.2),
            "base_outdim": _whole(64, 128),
            **_rates((1e-5, 0.1)),
        },
        quick={"n_layers": 2, "base_outdim": 8, "k": 2},
    ),
    _network(
        "switchtab",
        "_switchtab:SwitchTab",
        "SwitchTab",
        "mutual and salient parts of rows, switched",
        "Wu et al. (2024)",
        seconds=(48, 1.2),
        space={"alpha": _log(0.01, 100.0), **_rates((1e-6, 1e-3))},
        quick={"learning_rate": 0.001, "alpha": 10.0},
    ),
    _network(
        "tabcaps",
        "_tabcaps:TabCaps",
        "TabCaps",
        "capsules that agree on a class",
        "Chen et al. (2023)",
        seconds=(27, 9),
        space={
            "sub_class": _whole(1, 5),
            "init_dim": _whole(32, 128),
            "primary_capsules": _whole(4, 32),
            "digit_size": _whole(4, 32),
            "leaves": _whole(16, 64),
            **_rates((1e-5, 0.1)),
        },
        quick={"init_dim": 8, "primary_capsules": 4, "digit_size": 8, "leaves": 8},
        tasks=_CLASSES,
    ),
    _network(
        "grownet",
        "_grownet:GrowNet",
        "GrowNet",
        "boosting with small networks",
        "Badirli et al. (2020)",
        seconds=(16, 2.5),
        space={
            "d_embedding": _whole(32, 512),
            "hidden_d": _whole(32, 512),
            "epochs_per_stage": _whole(1, 2),
            "correct_epochs": _whole(1, 2),
            **_rates((1e-5, 0.1)),
        },
        quick={
            "n_stages": 6,
            "hidden_d": 16,
            "d_embedding": 4,
            "correct_epochs": 4,
            "learning_rate": 0.03,
        },
    ),
    _network(
        "tabm",
        "_tabm:TabM",
        "TabM",
        "perceptrons that share almost all weights",
        "Gorishniy et al. (2025)",
        seconds=(35, 9),
        space={
            "n_blocks": _whole(1, 5),
            "d_block": _whole(64, 1024),
            "dropout": _share(0.5),
            **_rates((1e-4, 5e-3)),
        },
        quick={"k": 4, "d_block": 16, "n_blocks": 1},
    ),
]
