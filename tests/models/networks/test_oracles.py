"""Networks against other people's packages, with the same weights.

The packages are none of our dependencies: a test is left out where its package is not
installed (`make test-oracles` installs them in a folder of their own). Compared are
whole networks, from rows to logits, of MLP, ResNet, FT-Transformer, TabM, TabNet and
TabR (from its waves on, which have a test of their own); and parts, where a package has
another network by the same name: pytorch-frame's TabTransformer adds what its first
norm gives, has no second sum, and a head with batch norm and SELU, so that attention
and gated units are all that it shares with the paper. `test_forwards.py` holds every
network against its formulas and needs none.
"""

from __future__ import annotations

import sys
import types

import pytest
import torch

from caveat.models import networks
from caveat.models.networks._layers import (
    GEGLU,
    Attention,
    PeriodicEmbedding,
    entmax15,
    sparsemax,
)
from caveat.models.networks._layout import Layout
from caveat.training import seeded

N = 5
NUMBERS = Layout(owner=(0, 1, 2, 3), rows=7, plain=4)
MIXED = Layout(owner=(0, 1, 2, 3, 4), sizes=(3, 4), rows=7, plain=3)


def shaken(module):
    """Move all weights and statistics away from where they start."""
    with seeded(1):
        for name, tensor in module.state_dict().items():
            if tensor.is_floating_point():
                noise = torch.rand if "running_var" in name else torch.randn
                tensor.add_(0.3 * noise(tensor.shape))
    return module.eval()


def built(model, layout):
    with seeded(0):
        module = model._network(layout, 3)
        x = torch.randn(N, layout.width + len(layout.sizes))
        for number, size in enumerate(layout.sizes):
            x[:, layout.width + number] = torch.randint(0, size, (N,)).float()
    return shaken(module), x


def in_order(ours, theirs):
    """Copy weights one after the other: both list them in the same order."""
    told = [v for k, v in ours.state_dict().items() if "num_batches" not in k]
    names = [k for k in theirs.state_dict() if "num_batches" not in k]
    assert [v.shape for v in told] == [theirs.state_dict()[k].shape for k in names]
    theirs.load_state_dict(dict(zip(names, told, strict=True)), strict=False)
    return theirs.eval()


def renamed(ours, theirs, words):
    """Copy weights by name, after some words of it are replaced by others."""
    state = {}
    for name, tensor in ours.state_dict().items():
        for old, new in words.items():
            name = name.replace(old, new)
        state[name] = tensor
    told = theirs.load_state_dict(state, strict=False)
    assert not told.unexpected_keys
    return theirs.eval(), told.missing_keys


def same(one, other):
    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["mlp", "resnet"])
def test_perceptron_and_resnet(name):
    peer = pytest.importorskip("rtdl_revisiting_models")
    if name == "mlp":
        ours, x = built(networks.MLP(hidden=(8, 8), dropout=0.1), NUMBERS)
        theirs = peer.MLP(d_in=4, d_out=3, n_blocks=2, d_block=8, dropout=0.1)
    else:
        ours, x = built(networks.ResNet(n_layers=2, d=8), NUMBERS)
        theirs = peer.ResNet(
            d_in=4,
            d_out=3,
            n_blocks=2,
            d_block=8,
            d_hidden_multiplier=2.0,
            dropout1=0.3,
            dropout2=0.0,
        )
    same(ours(x), in_order(ours, theirs)(x))


def test_ft_transformer():
    peer = pytest.importorskip("rtdl_revisiting_models")
    model = networks.FTTransformer(n_blocks=2, d_token=8, n_heads=2)
    ours, x = built(model, MIXED)
    theirs = peer.FTTransformer(
        n_cont_features=3,
        cat_cardinalities=[3, 4],
        d_out=3,
        n_blocks=2,
        d_block=8,
        attention_n_heads=2,
        attention_dropout=0.2,
        ffn_d_hidden_multiplier=4 / 3,
        ffn_dropout=0.1,
        residual_dropout=0.0,
    )
    words = {
        "attention.query": "attention.W_q",
        "attention.key": "attention.W_k",
        "attention.value": "attention.W_v",
        "attention.out": "attention.W_out",
        "second_norm": "ffn_normalization",
        "norm.": "attention_normalization.",
        "forward_part.inner": "ffn.linear1",
        "forward_part.outer": "ffn.linear2",
    }
    for number in (0, 1):
        part = theirs.backbone.blocks[number]
        assert not renamed(ours[number + 1], part, words)[1]
    theirs.backbone.output.normalization.load_state_dict(ours[4].state_dict())
    theirs.backbone.output.linear.load_state_dict(ours[6].state_dict())
    tokens = ours[0]
    with torch.no_grad():
        theirs.cls_embedding.weight.copy_(tokens.cls[0])
        theirs.cont_embeddings.weight.copy_(tokens.weight)
        theirs.cont_embeddings.bias.copy_(tokens.bias[:3])
        theirs.cat_embeddings.bias.copy_(tokens.bias[3:])
        for table, rows in zip(
            theirs.cat_embeddings.embeddings,
            tokens.levels.weight.split([3, 4]),
            strict=True,
        ):
            table.weight.copy_(rows)
    numbers, codes = MIXED.split(x)
    same(ours(x), theirs.eval()(numbers, codes))


def test_tabm():
    peer = pytest.importorskip("tabm")
    ours, x = built(networks.TabM(k=4, d_block=8, n_blocks=2), NUMBERS)
    theirs = peer.TabM.make(
        n_num_features=4,
        cat_cardinalities=[],
        d_out=3,
        k=4,
        n_blocks=2,
        d_block=8,
        dropout=0.1,
        arch_type="tabm-mini",
        start_scaling_init="random-signs",
    )
    words = {
        "signs": "backbone.affine.weight",
        "head": "output.weight",
        "shift": "output.bias",
        "body.0": "backbone.blocks.0.0",
        "body.3": "backbone.blocks.1.0",
    }
    theirs, missing = renamed(ours, theirs, words)
    assert not missing
    members = theirs(x)
    same(ours.members(x), members)
    same(ours(x).softmax(1), members.softmax(-1).mean(1))


def test_tabnet():
    peer = pytest.importorskip("pytorch_tabnet.tab_network")
    ours, x = built(networks.TabNet(n_steps=2), NUMBERS)
    theirs = peer.TabNetNoEmbeddings(4, 3, n_steps=2)
    words = {
        "transformers.0.": "encoder.initial_splitter.",
        "transformers.1.": "encoder.feat_transformers.0.",
        "transformers.2.": "encoder.feat_transformers.1.",
        "choices": "encoder.att_transformers",
        "0.0.weight": "0.fc.weight",
        "1.0.weight": "1.fc.weight",
        "0.1.norm": "0.bn.bn",
        "1.1.norm": "1.bn.bn",
        "units.0": "shared.glu_layers.0",
        "units.1": "shared.glu_layers.1",
        "units.2": "specifics.glu_layers.0",
        "units.3": "specifics.glu_layers.1",
        "linear": "fc",
        "norm.norm": "bn.bn",
        "head": "final_mapping",
    }
    encoder = "encoder.initial_bn."
    theirs, missing = renamed(ours, theirs, {**words, "norm.": encoder})
    # The first norm is there twice, and only the encoder's is used; layers that are
    # shared are listed again where they are shared.
    assert all("initial_bn" in k or "shared_layers" in k for k in missing)
    answer, sparsity = theirs(x)
    found, entropy = ours.choose(x)
    same(found, answer)
    same(entropy, -sparsity)


def test_waves_of_numbers():
    peer = pytest.importorskip("rtdl_num_embeddings")
    ours = shaken(PeriodicEmbedding(4, 5, 0.1, 6))
    theirs = peer.PeriodicEmbeddings(
        4, 6, n_frequencies=5, frequency_init_scale=0.1, lite=True
    )
    x = torch.randn(N, 4, generator=torch.Generator().manual_seed(0))
    theirs = in_order(ours, theirs)
    with torch.no_grad():
        # They have the cosines first.
        theirs.linear.weight.copy_(ours.map.weight.roll(5, 1))
    same(ours(x), theirs(x).flatten(1))


class Exact:
    """Stands in for an index of faiss, which is not installed: all distances."""

    def __init__(self, width):
        self.width = width

    def reset(self):
        self.keys = torch.zeros(0, self.width)

    def add(self, keys):
        self.keys = torch.cat([self.keys, keys])

    def search(self, keys, count):
        return torch.cdist(keys, self.keys).square().topk(count, largest=False)


@pytest.mark.filterwarnings("ignore:Passing custom functions to delu")
@pytest.mark.parametrize("blocks", [0, 1])
def test_tabr(blocks, monkeypatch, capsys):
    peer = pytest.importorskip("pytabkit.models.nn_models.tabr")
    faiss = types.ModuleType("faiss")
    faiss.IndexFlatL2, faiss.contrib = Exact, types.ModuleType("faiss.contrib")
    for name in ("faiss", "faiss.contrib", "faiss.contrib.torch_utils"):
        monkeypatch.setitem(sys.modules, name, faiss)
    model = networks.TabR(d_main=8, context_size=4, encoder_blocks=blocks)
    ours, x = built(model, NUMBERS)
    with seeded(2):
        ours.memory.fill(torch.randn(7, 4), torch.randint(0, 3, (7,)))
    with torch.no_grad():
        # Keys so near one another that every neighbour counts.
        ours.key[1].weight.mul_(0.1)
    theirs = peer.TabrModel(
        n_num_features=ours.encoder[0].width,
        n_bin_features=0,
        cat_cardinalities=[],
        n_classes=3,
        num_embeddings=None,
        d_main=8,
        d_multiplier=2.0,
        encoder_n_blocks=blocks,
        predictor_n_blocks=1,
        mixer_normalization="auto",
        context_dropout=0.4,
        dropout0=0.4,
        dropout1=0.0,
        normalization="LayerNorm",
        activation="ReLU",
    )
    # A first block has no norm, so its steps are one less.
    pairs = {
        "linear": ours.encoder[1],
        "K": ours.key[1],
        "T": ours.shift,
        "label_encoder.0": ours.label,
        "blocks1.0": ours.predictor[0].steps,
        "head": ours.predictor[1:],
    }
    if blocks:
        pairs |= {"blocks0.0": ours.encoder[2].steps[1:], "normalization": ours.key[0]}
    copied = 0
    for name, part in pairs.items():
        copied += sum(
            w.numel() for w in in_order(part, theirs.get_submodule(name)).parameters()
        )
    assert copied == sum(weight.numel() for weight in theirs.parameters())
    waves = ours.encoder[0]
    told = theirs.eval()(
        x_={"num": waves(x)},
        y=None,
        candidate_x_={"num": waves(ours.memory.x)},
        candidate_y=ours.memory.y.long(),
        context_size=4,
        is_train=False,
    )
    same(ours(x), told)
    # Fewer neighbours would be seen.
    ours.context = 3
    assert (ours(x) - told).abs().max() > 1e-3


def test_attention_and_gated_units_of_the_transformers():
    peer = pytest.importorskip("torch_frame.nn.conv.tab_transformer_conv")
    x = torch.randn(N, 3, 8, generator=torch.Generator().manual_seed(0))
    attention, gates = shaken(Attention(8, 2)), shaken(GEGLU(8))
    same(attention(x), in_order(attention, peer.SelfAttention(8, 2))(x))
    same(gates(x), in_order(gates, peer.FFN(8))(x))


def test_maps_to_the_simplex():
    peer = pytest.importorskip("entmax")
    z = 2 * torch.randn(N, 7, generator=torch.Generator().manual_seed(0))
    same(sparsemax(z), peer.sparsemax(z))
    same(entmax15(z), peer.entmax15(z))
    ours, theirs = z.clone().requires_grad_(), z.clone().requires_grad_()
    entmax15(ours)[:, 0].sum().backward()
    peer.entmax15(theirs)[:, 0].sum().backward()
    same(ours.grad, theirs.grad)
