"""Small random weights for models that read a table in context, made on the spot."""

from __future__ import annotations

import pytest


def tiny(name, path, task="binary"):
    """Write a checkpoint as the authors do, of a network with random weights."""
    torch = pytest.importorskip("torch")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        torch.save({"tabicl": _tabicl, "tabpfn": _tabpfn}[name](torch, task), path)
    return path


def _tabicl(torch, task):
    pytest.importorskip("tabicl")
    from tabicl._model.tabicl import TabICL

    config = dict.fromkeys(("col_num_blocks", "row_num_blocks"), 1)
    config |= dict.fromkeys(("col_nhead", "row_nhead", "icl_nhead"), 2)
    config |= {"embed_dim": 16, "col_num_inds": 4, "row_num_cls": 2}
    config |= {"icl_num_blocks": 2, "zero_init": False}
    config |= {"max_classes": 0 if task == "regression" else 10}
    return {"config": config, "state_dict": TabICL(**config).state_dict()}


def _tabpfn(torch, task):
    pytest.importorskip("tabpfn")
    from tabpfn.architectures import ARCHITECTURES

    config = {"emsize": 24, "nlayers": 2, "nhead": 2, "num_thinking_rows": 4}
    config |= {"max_num_classes": 0 if task == "regression" else 10, "num_buckets": 10}
    kind = ARCHITECTURES["tabpfn_v2_5"]
    network = kind.get_architecture(kind.parse_config(config)[0])
    for weight in network.parameters():
        torch.nn.init.normal_(weight, std=0.3)
    state = network.state_dict()
    if task == "regression":
        state["criterion.borders"] = torch.linspace(-3, 3, 11)
        state["criterion.losses_per_bucket"] = torch.zeros(10)
    return {"config": config, "state_dict": state, "architecture_name": "tabpfn_v2_5"}
