"""Every network against a slow version of its formulas, with the same weights."""

from __future__ import annotations

from math import erf, exp, pi, sqrt

import numpy as np
import pytest
import torch

from caveat.models import networks
from caveat.models.networks._danets import AbstractLayer
from caveat.models.networks._layers import (
    GEGLU,
    Attention,
    GhostBatchNorm,
    entmax15,
    sparsemax,
)
from caveat.models.networks._layout import Layout
from caveat.training import seeded

N = 5
MIXED = Layout(owner=(0, 1, 2, 3, 4), sizes=(3, 4), rows=7, plain=3)
NUMBERS = Layout(owner=(0, 1, 2, 3), rows=7, plain=3)


def built(model, layout, n_outputs=3):
    """Build a network, shake all its weights and statistics, and show it rows."""
    with seeded(1):
        module = model._network(layout, n_outputs)
        for name, tensor in module.state_dict().items():
            if tensor.is_floating_point() and "var" not in name:
                tensor.add_(0.3 * torch.randn(tensor.shape))
            elif "running_var" in name:
                tensor.add_(torch.rand(tensor.shape))
        x = torch.randn(N, layout.width + len(layout.sizes))
        for number, size in enumerate(layout.sizes):
            x[:, layout.width + number] = torch.randint(0, size, (N,)).float()
    return module.eval(), x, W(module)


class W(dict):
    """Weights by name, as arrays of double precision."""

    def __init__(self, module):
        state = module.state_dict()
        super().__init__({k: v.double().numpy() for k, v in state.items()})

    def linear(self, name, x):
        return x @ self[f"{name}.weight"].T + self.get(f"{name}.bias", 0.0)

    def batch_norm(self, name, x):
        gap = x - self[f"{name}.running_mean"]
        scaled = gap / np.sqrt(self[f"{name}.running_var"] + 1e-5)
        return scaled * self[f"{name}.weight"] + self[f"{name}.bias"]

    def layer_norm(self, name, x):
        gap = x - x.mean(-1, keepdims=True)
        scaled = gap / np.sqrt((gap**2).mean(-1, keepdims=True) + 1e-5)
        return scaled * self[f"{name}.weight"] + self[f"{name}.bias"]

    def attention(self, name, asking, asked, heads):
        """One row, one query, one head at a time."""
        q, k, v = (
            self.linear(f"{name}.{part}", each)
            for part, each in (("query", asking), ("key", asked), ("value", asked))
        )
        size = q.shape[-1] // heads
        out = np.zeros((*asking.shape[:-1], q.shape[-1]))
        for row in range(len(asking)):
            for head in range(heads):
                at = slice(head * size, (head + 1) * size)
                for place in range(asking.shape[1]):
                    weights = softmax(k[row][:, at] @ q[row, place, at] / sqrt(size))
                    out[row, place, at] = weights @ v[row][:, at]
        return self.linear(f"{name}.out", out) if f"{name}.out.weight" in self else out

    def geglu(self, name, x):
        u, v = np.split(self.linear(f"{name}.inner", x), 2, axis=-1)
        gelu = np.vectorize(lambda t: t * 0.5 * (1 + erf(t / sqrt(2))))
        return self.linear(f"{name}.outer", u * gelu(v))

    def levels(self, name, x, layout):
        """Vectors of the levels: (n, columns, d)."""
        starts = np.concatenate([[0], np.cumsum(layout.sizes)])
        codes = x[:, layout.width :].astype(int)
        table = self[f"{name}.weight"]
        return np.stack(
            [table[starts[j] + codes[:, j]] for j in range(len(layout.sizes))], 1
        )

    def flat(self, name, x, layout):
        vectors = self.levels(f"{name}.levels", x, layout)
        return np.hstack([x[:, : layout.width], vectors.reshape(len(x), -1)])


def softmax(z):
    e = np.exp(z - z.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def relu(z):
    return np.maximum(z, 0)


def simplex(z, power):
    """max(z', 0)^power on the simplex, its threshold found by bisection."""
    z = np.asarray(z, float) / power
    low, high = z.max() - 1, z.max()
    for _ in range(200):
        middle = (low + high) / 2
        total = (relu(z - middle) ** power).sum()
        low, high = (middle, high) if total > 1 else (low, middle)
    return relu(z - low) ** power


def same(module, x, expected, tolerance=2e-4):
    """Compare; the networks work in single precision."""
    with torch.no_grad():
        found = module(x).double().numpy()
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("function", "power"), [(sparsemax, 1), (entmax15, 2)])
def test_maps_to_the_simplex_are_those_that_bisection_finds(function, power):
    rng = np.random.default_rng(0)
    for scale in (0.1, 1.0, 10.0):
        z = rng.normal(size=(6, 5)) * scale
        found = function(torch.tensor(z)).numpy()
        for row, answer in zip(z, found, strict=True):
            np.testing.assert_allclose(answer, simplex(row, power), atol=1e-9)
        swapped = function(torch.tensor(z.T), dim=0).numpy().T
        np.testing.assert_allclose(swapped, found, atol=1e-12)
    steep = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda t: function(t), (steep,))


def test_attention_and_gated_layers_are_their_formulas():
    with seeded(0):
        attention, gated = Attention(6, 2, d_head=5), GEGLU(6)
        asking, asked = torch.randn(2, 3, 6), torch.randn(2, 4, 6)
    w = W(torch.nn.ModuleDict({"a": attention, "g": gated}))
    expected = w.attention("a", asking.numpy(), asked.numpy(), 2)
    same(lambda x: attention(x, asked), asking, expected)
    same(gated, asking, w.geglu("g", asking.double().numpy()))


def test_ghost_batch_norm_averages_over_pieces():
    x = torch.randn(10, 2, generator=torch.Generator().manual_seed(0))
    norm = GhostBatchNorm(2, virtual=5)
    pieces = [
        (p - p.mean(0)) / (p.var(0, unbiased=False) + 1e-5).sqrt() for p in x.split(5)
    ]
    torch.testing.assert_close(norm(x), torch.cat(pieces))


def test_mlp():
    module, x, w = built(networks.MLP(hidden=(6, 5)), NUMBERS)
    h = x.double().numpy()
    for name in ("0", "3"):
        h = relu(w.linear(name, h))
    same(module, x, w.linear("6", h))


def test_resnet():
    module, x, w = built(networks.ResNet(d=6, n_layers=2), NUMBERS)
    h = w.linear("0", x.double().numpy())
    for block in (1, 2):
        inner = relu(w.linear(f"{block}.steps.1", w.batch_norm(f"{block}.steps.0", h)))
        h = h + w.linear(f"{block}.steps.4", inner)
    same(module, x, w.linear("5", relu(w.batch_norm("3", h))))


def test_snn():
    module, x, w = built(networks.SNN(hidden=(6, 5), d_embedding=2), MIXED)
    h = w.flat("0", x.double().numpy(), MIXED)
    for name in ("1", "4"):
        z = w.linear(name, h)
        grown = 1.6732632423543772 * (np.exp(np.minimum(z, 0)) - 1)
        h = 1.0507009873554805 * np.where(z > 0, z, grown)
    same(module, x, w.linear("7", h))


def test_snn_starts_with_variance_one_over_the_inputs():
    with seeded(0):
        module = networks.SNN(hidden=(400, 400))._network(NUMBERS, 2)
    assert abs(module[4].weight.std().item() * sqrt(400) - 1) < 0.02
    assert not module[4].bias.any()


def test_dcn2():
    model = networks.DCN2(d=6, d_embedding=2, n_cross_layers=2, n_hidden_layers=2)
    module, x, w = built(model, MIXED)
    first = w.linear("enter.1", w.flat("enter.0", x.double().numpy(), MIXED))
    crossed, deep = first, first
    for number in (0, 1):
        crossed = first * w.linear(f"cross.{number}", crossed) + crossed
        deep = relu(w.linear(f"deep.{3 * number}", deep))
    same(module, x, w.linear("head", np.hstack([crossed, deep])))


def tokens(w, x, layout, *, bias=True, first=False):
    numbers = x[:, : layout.width, None] * w["0.weight"]
    made = np.concatenate([numbers, w.levels("0.levels", x, layout)], 1)
    made = made + w["0.bias"] if bias else made
    if first:
        made = np.concatenate([np.tile(w["0.cls"], (len(x), 1, 1)), made], 1)
    return made


def test_autoint():
    module, x, w = built(networks.AutoInt(d_token=6, n_heads=2, n_layers=2), MIXED)
    h = tokens(w, x.double().numpy(), MIXED, bias=False)
    for layer in ("1", "2"):
        mixed = w.linear(f"{layer}.shortcut", h)
        mixed = mixed + w.attention(f"{layer}.attention", h, h, 2)
        h = relu(w.layer_norm(f"{layer}.norm", mixed))
    same(module, x, w.linear("4", h.reshape(N, -1)))


def test_ft_transformer():
    model = networks.FTTransformer(d_token=6, n_heads=2, n_blocks=2)
    module, x, w = built(model, MIXED)
    h = tokens(w, x.double().numpy(), MIXED, first=True)
    for block in ("1", "2"):
        # All tokens, also in the last block, where the network computes the first only.
        normed = h if block == "1" else w.layer_norm(f"{block}.norm", h)
        h = h + w.attention(f"{block}.attention", normed, normed, 2)
        inner = w.linear(
            f"{block}.forward_part.inner", w.layer_norm(f"{block}.second_norm", h)
        )
        u, v = np.split(inner, 2, axis=-1)
        h = h + w.linear(f"{block}.forward_part.outer", u * relu(v))
    same(module, x, w.linear("6", relu(w.layer_norm("4", h[:, 0]))))


@pytest.mark.parametrize("row_norm", [False, True])
def test_tab_transformer(row_norm):
    model = networks.TabTransformer(dim=8, depth=2, heads=2, row_norm=row_norm)
    module, x, w = built(model, MIXED)
    rows = x.double().numpy()
    columns = np.tile(w["tokens.columns"], (N, 1, 1))
    h = np.concatenate([w.levels("tokens.levels", rows, MIXED), columns], -1)
    for block in ("blocks.0", "blocks.1"):
        normed = w.layer_norm(f"{block}.norm", h)
        h = h + w.attention(f"{block}.attention", normed, normed, 2)
        h = h + w.geglu(
            f"{block}.forward_part", w.layer_norm(f"{block}.second_norm", h)
        )
    numbers = rows[:, : MIXED.width]
    numbers = w.layer_norm("norm", numbers) if row_norm else numbers
    joined = np.hstack([h.reshape(N, -1), numbers])
    assert w["head.0.weight"].shape[0] == 4 * joined.shape[1]
    inner = relu(w.linear("head.2", relu(w.linear("head.0", joined))))
    same(module, x, w.linear("head.4", inner))


def saint_tokens(w, rows):
    numbers = np.zeros((len(rows), MIXED.width, 8))
    for j in range(MIXED.width):
        scale, shift = w["tokens.inner"][:, j]
        hidden = relu(rows[:, j, None] * scale + shift)
        numbers[:, j] = hidden @ w["tokens.outer"][j] + w["tokens.shift"][j]
    first = np.tile(w["tokens.first"], (len(rows), 1, 1))
    return np.concatenate([first, w.levels("tokens.levels", rows, MIXED), numbers], 1)


def saint_block(w, name, h, context=None):
    """One block; `context` are the normed rows that everybody may look at."""
    normed = w.layer_norm(f"{name}.norms.0", h)
    h = h + w.attention(f"{name}.columns", normed, normed, 2)
    h = h + w.geglu(f"{name}.columns_forward", w.layer_norm(f"{name}.norms.1", h))
    flat = h.reshape(len(h), -1)
    normed = w.layer_norm(f"{name}.row_norms.0", flat)
    seen = np.zeros((len(h), 128))
    for row in range(len(h)):
        asked = normed if context is None else np.vstack([context, normed[row]])
        q = np.split(normed[row] @ w[f"{name}.rows.maps.weight"].T, 3)[0]
        _, k, v = np.split(asked @ w[f"{name}.rows.maps.weight"].T, 3, axis=1)
        for head in (0, 1):
            at = slice(64 * head, 64 * head + 64)
            seen[row, at] = softmax(k[:, at] @ q[at] / 8) @ v[:, at]
    flat = flat + w.linear(f"{name}.rows.out", seen)
    part = w.geglu(f"{name}.rows_forward", w.layer_norm(f"{name}.row_norms.1", flat))
    return (flat + part).reshape(h.shape), normed


def test_saint_in_training_and_in_use():
    model = networks.SAINT(dim=8, depth=2, heads=2, context_size=4)
    module, x, w = built(model, MIXED)
    module.context.copy_(x[:4])
    w["context"] = module.context.double().numpy()
    rows, context = x.double().numpy(), w["context"]

    def head(h):
        return w.linear("head.2", relu(w.linear("head.0", h[:, 0])))

    h, c = saint_tokens(w, rows), saint_tokens(w, context)
    for name in ("blocks.0", "blocks.1"):
        c, seen = saint_block(w, name, c)
        h, _ = saint_block(w, name, h, seen)
    same(module, x, head(h))

    h = saint_tokens(w, rows)
    for name in ("blocks.0", "blocks.1"):
        h, _ = saint_block(w, name, h)
    same(module.train(), x, head(h))


def test_tangos_and_its_derivatives():
    module, x, w = built(networks.TANGOS(hidden=(6, 5), dropout=0.0), NUMBERS)
    h = x.double().numpy()
    for name in ("layers.0", "layers.1"):
        h = relu(w.linear(name, h))
    same(module, x, w.linear("head", h))

    def last(row):
        for layer in module.layers:
            row = layer(row).relu()
        return row

    expected = torch.func.vmap(torch.func.jacrev(last))(x)
    torch.testing.assert_close(module.slopes(x), expected)


def test_the_penalties_of_tangos_by_hand():
    from caveat.models.networks._tangos import penalties

    slopes = torch.tensor([[[1.0, 0.0], [1.0, 1.0], [0.0, -2.0]]])
    special, orthogonal = penalties(slopes, torch.tensor([[0, 0, 1], [1, 2, 2]]))
    assert special.item() == pytest.approx(5 / 6)
    assert orthogonal.item() == pytest.approx((sqrt(0.5) + 0 + sqrt(0.5)) / 3)


def node_layer(w, name, x, depth):
    trees = w[f"{name}.threshold"].shape[0]
    channels = w[f"{name}.response"].shape[1]
    out = np.zeros((len(x), trees, channels))
    for row in range(len(x)):
        for tree in range(trees):
            right = []
            for level in range(depth):
                choice = simplex(w[f"{name}.choice"][:, tree, level], 1)
                gap = x[row] @ choice - w[f"{name}.threshold"][tree, level]
                gap *= exp(-w[f"{name}.log_scale"][tree, level])
                right.append(min(max(0.5 * gap + 0.5, 0), 1))
            for leaf in range(2**depth):
                weight = 1.0
                for level in range(depth):
                    goes = leaf >> (depth - 1 - level) & 1
                    weight *= right[level] if goes else 1 - right[level]
                out[row, tree] += weight * w[f"{name}.response"][tree, :, leaf]
    return out


def test_node():
    model = networks.NODE(layer_dim=3, depth=2, num_layers=2)
    module, x, w = built(model, NUMBERS, 2)
    rows = x.double().numpy()
    # The network doubles its leaves level by level, so that the last question decides
    # between the halves: the first bit of a leaf is the last level.
    for name in ("layers.0", "layers.1"):
        w[f"{name}.response"] = w[f"{name}.response"][..., [0, 2, 1, 3]]
    first = node_layer(w, "layers.0", rows, 2)
    seen = np.hstack([rows, first.reshape(N, -1)])
    both = np.concatenate([first, node_layer(w, "layers.1", seen, 2)], 1)
    same(module, x, both.mean(1))


def test_node_starts_at_quantiles_of_its_rows():
    with seeded(0):
        module = networks.NODE(layer_dim=20, depth=2)._network(NUMBERS, 2)
        x = torch.randn(50, 4)
        module.start(x)
    layer = module.layers[0]
    asked = layer.questions(x)
    exact = (asked - layer.threshold == 0).any(0)
    assert exact.all()
    gap = (asked - layer.threshold) * (-layer.log_scale).exp()
    torch.testing.assert_close(gap.abs().amax(0), torch.ones(20, 2))


def waves(w, name, x, plain):
    angle = 2 * pi * w[f"{name}.waves.frequencies"] * x[:, :plain, None]
    both = np.concatenate([np.sin(angle), np.cos(angle)], -1)
    made = relu(w.linear(f"{name}.waves.map", both)).reshape(len(x), -1)
    return np.hstack([made, x[:, plain:]])


def remembered(module):
    """Give a network seven training rows."""
    with seeded(2):
        module.memory.fill(torch.randn(7, 4), torch.tensor([0, 1, 2, 0, 1, 2, 0]))
    return W(module)


@pytest.mark.parametrize("rows", [None, [0, 2, 4, 5, 6]])
def test_tabr(rows):
    settings = {"d_main": 5, "n_frequencies": 3, "d_embedding": 2, "context_size": 3}
    model = networks.TabR(**settings, encoder_blocks=1, dropout=0.0, context_dropout=0)
    module, x, _ = built(model, NUMBERS)
    w = remembered(module)

    def block(name, h, norm):
        inner = w.layer_norm(f"{name}.steps.0", h) if norm else h
        return h + w.linear(f"{name}.steps.4", relu(w.linear(f"{name}.steps.1", inner)))

    def encode(rows):
        h = w.linear("encoder.1", waves(w, "encoder.0", rows, 3))
        return block("encoder.2", h, norm=False)

    def key(h):
        return w.linear("key.1", w.layer_norm("key.0", h))

    encoded = encode(x.double().numpy())
    keys, others = key(encoded), key(encode(w["memory.x"]))
    expected = []
    for number in range(N):
        far = ((keys[number] - others) ** 2).sum(1)
        if rows is not None:
            far[rows[number]] = np.inf
        near = np.argsort(far)[:3]
        weight = softmax(-far[near])
        gap = keys[number] - others[near]
        shift = relu(w.linear("shift.0", gap)) @ w["shift.3.weight"].T
        value = w["label.weight"][w["memory.y"][near].astype(int)] + shift
        h = block("predictor.0", (encoded[number] + weight @ value)[None], norm=True)
        expected.append(
            w.linear("predictor.3", relu(w.layer_norm("predictor.1", h)))[0]
        )
    told = None if rows is None else torch.tensor(rows)
    module.train(rows is not None)
    same(lambda x: module(x, told), x, np.array(expected))


@pytest.mark.parametrize("classify", [True, False])
def test_modernnca(classify):
    settings = {"dim": 5, "d_block": 6, "n_frequencies": 3, "d_embedding": 2}
    settings |= {"n_blocks": 1, "temperature": 0.7}
    task = "multiclass" if classify else "regression"
    module, x, _ = built(networks.ModernNCA(task, **settings), NUMBERS)
    w = remembered(module)

    def encode(rows):
        h = w.linear("encoder.1", waves(w, "encoder.0", rows, 3))
        h = relu(w.linear("encoder.3", w.batch_norm("encoder.2", h)))
        return w.batch_norm("encoder.7", w.linear("encoder.6", h))

    def told(z, others, y):
        weight = softmax(-np.sqrt(((z - others) ** 2).sum(1)) / 0.7)
        if not classify:
            return [weight @ y]
        return np.log([weight[y == c].sum() + 1e-7 for c in range(3)])

    z, others, y = encode(x.double().numpy()), encode(w["memory.x"]), w["memory.y"]
    same(module, x, np.array([told(row, others, y) for row in z]))

    # In training: the batch and all rows outside of it, but not the row itself.
    module.share = 1.0
    rows = torch.tensor([0, 2, 4, 5, 6])
    outside = [1, 3]
    expected = []
    for number in range(N):
        beside = [other for other in range(N) if other != number]
        voters = np.vstack([z[beside], others[outside]])
        labels = np.concatenate([y[rows.numpy()[beside]], y[outside]])
        expected.append(told(z[number], voters, labels))
    same(lambda x: module(x, rows), x, np.array(expected))


def test_tabnet():
    model = networks.TabNet(n_steps=2, n_d=3, n_a=2, n_shared=1, n_independent=1)
    module, x, w = built(model, NUMBERS)
    normed = w.batch_norm("norm", x.double().numpy())

    def unit(name, x):
        mapped = w.batch_norm(f"{name}.norm.norm", w.linear(f"{name}.linear", x))
        u, v = np.split(mapped, 2, axis=1)
        return u * sigmoid(v)

    def transformer(number, x):
        h = unit(f"transformers.{number}.units.0", x)
        return (h + unit(f"transformers.{number}.units.1", h)) * sqrt(0.5)

    attended, prior = transformer(0, normed)[:, 3:], np.ones_like(normed)
    total, entropy = np.zeros((N, 3)), 0.0
    for step in (0, 1):
        logits = w.linear(f"choices.{step}.0", attended)
        logits = prior * w.batch_norm(f"choices.{step}.1.norm", logits)
        mask = np.array([simplex(row, 1) for row in logits])
        prior = prior * (1.3 - mask)
        entropy -= (mask * np.log(mask + 1e-15)).sum(1).mean() / 2
        out = transformer(step + 1, mask * normed)
        total += relu(out[:, :3])
        attended = out[:, 3:]
    same(module, x, w.linear("head", total))
    assert module.choose(x)[1].item() == pytest.approx(entropy, abs=1e-4)


def abstract(w, name, x):
    groups = w[f"{name}.choice"].shape[0]
    mapped = []
    for group in range(groups):
        chosen = simplex(w[f"{name}.choice"][group], 2) * x
        mapped.append(chosen @ w[f"{name}.weight"][group].T + w[f"{name}.bias"][group])
    normed = w.batch_norm(f"{name}.norm.norm", np.hstack(mapped))
    total = 0.0
    for part in np.split(normed, groups, axis=1):
        u, v = np.split(part, 2, axis=1)
        total = total + relu(sigmoid(u) * v)
    return total


def test_danets():
    module, x, w = built(networks.DANet(n_layers=4, base_outdim=6, k=2), NUMBERS)
    rows = h = x.double().numpy()
    for block in ("blocks.0", "blocks.1"):
        inner = abstract(w, f"{block}.steps.1", abstract(w, f"{block}.steps.0", h))
        h = inner + abstract(w, f"{block}.shortcut.1", rows)
        h = np.where(h > 0, h, 0.01 * h)
    inner = relu(w.linear("head.3", relu(w.linear("head.1", h))))
    same(module, x, w.linear("head.5", inner))


def test_abstract_layers_start_with_the_variance_of_the_paper():
    with seeded(0):
        layer = AbstractLayer(81, 50, 3)
    assert layer.weight.std().item() == pytest.approx(sqrt(2) / 3, rel=0.02)


@pytest.mark.parametrize("layout", [NUMBERS, Layout(owner=(0, 1, 2), rows=7, plain=3)])
def test_switchtab(layout):
    module, x, w = built(networks.SwitchTab(), layout)
    h = module.padded(x).double().numpy()
    d = h.shape[1]
    assert d % 2 == 0
    for layer in range(3):
        name = f"encoder.layers.{layer}"
        # A sequence of one token attends to itself alone: the value is the answer.
        weight = w[f"{name}.self_attn.in_proj_weight"][2 * d :]
        value = h @ weight.T + w[f"{name}.self_attn.in_proj_bias"][2 * d :]
        h = w.layer_norm(
            f"{name}.norm1", h + w.linear(f"{name}.self_attn.out_proj", value)
        )
        inner = w.linear(f"{name}.linear2", relu(w.linear(f"{name}.linear1", h)))
        h = w.layer_norm(f"{name}.norm2", h + inner)
    same(module, x, w.linear("predictor", h))


def test_switchtab_adds_up_four_reconstructions():
    from caveat.models.networks._switchtab import reconstruction

    rows = [torch.tensor([[1.0]]), torch.tensor([[5.0]])]
    mutual, salient = (
        [torch.tensor([[1.0]]), torch.tensor([[2.0]])],
        [
            torch.tensor([[10.0]]),
            torch.tensor([[20.0]]),
        ],
    )
    found = reconstruction(lambda ms: ms.sum(1, keepdim=True), rows, mutual, salient)
    assert found.item() == (11 - 1) ** 2 + (12 - 1) ** 2 + (21 - 5) ** 2 + (22 - 5) ** 2


@pytest.mark.thorough
def test_tabcaps():
    settings = {"init_dim": 2, "primary_capsules": 2, "digit_size": 3, "leaves": 4}
    module, x, w = built(networks.TabCaps(**settings, sub_class=2), NUMBERS)
    expected = []
    leaves = w["leaves"] / np.sqrt((w["leaves"] ** 2).sum(1, keepdims=True))
    for row in x.double().numpy():
        wide = np.concatenate([row, w.linear("enter", row)])
        primary = [wide * scale for scale in w["scale"]] + [wide]
        normed = [w.layer_norm("norm", each) for each in primary]
        lengths = []
        for out in range(6):
            prior = []
            for p in range(3):
                weight = w["weight"][p, out]
                columns = [simplex(weight[:, t], 2) for t in range(3)]
                prior.append(np.array(columns) @ normed[p])
            votes = np.array([sigmoid(leaves @ u) for u in prior])
            distance = ((votes - votes.mean(0)) ** 2).mean(1)
            weight = softmax(relu(w["threshold"][:, out] ** 2 - distance))
            capsule = w.layer_norm("out_norm", weight @ np.array(prior))
            lengths.append(np.sqrt((capsule**2).sum()))
        expected.append(np.reshape(lengths, (3, 2)).sum(1))
    same(module, x, np.array(expected))

    capsules, y = module.capsules(x), torch.tensor([0, 1, 2, 0, 1])
    own = [
        c.reshape(3, 2, 3)[k].ravel() for c, k in zip(capsules.detach(), y, strict=True)
    ]
    own = torch.stack(own).double().numpy()
    first = abstract(w, "first", own)
    second = abstract(w, "second", np.hstack([own, first]))
    same(lambda c: module.rebuilt(c, y), capsules, w.linear("back", second))


def test_the_margins_of_tabcaps_by_hand():
    from caveat.models.networks._tabcaps import margin_loss

    s = torch.tensor([[0.6, 0.3, 0.1], [0.95, 0.05, 0.0]])
    found = margin_loss(s, torch.tensor([0, 1]))
    hand = [0.3**2 + 0.5 * 0.2**2, 0.85**2 + 0.5 * 0.85**2]
    np.testing.assert_allclose(found.numpy(), hand, rtol=1e-5)


def test_grownet_and_its_newton_step():
    model = networks.GrowNet(n_stages=3, hidden_d=4, d_embedding=2)
    module, x, w = built(model, MIXED)
    module.size.fill_(2)
    plain = entry = w.flat("flat", x.double().numpy(), MIXED)
    total = 0.0
    for stage in ("stages.0", "stages.1"):
        made = w.linear(f"{stage}.first", w.batch_norm(f"{stage}.norm", entry))
        made = np.where(made > 0, made, 0.1 * made)
        hidden = w.linear(f"{stage}.second", w.batch_norm(f"{stage}.second_norm", made))
        total = total + w.linear(f"{stage}.head", relu(hidden))
        entry = np.hstack([plain, hidden])
    same(module, x, w["start"] + w["rate"] * total)


def test_tabm():
    module, x, w = built(networks.TabM(k=3, n_blocks=2, d_block=5), NUMBERS)
    mean = 0.0
    for member in range(3):
        h = x.double().numpy() * w["signs"][member]
        for name in ("body.0", "body.3"):
            h = relu(w.linear(name, h))
        mean = mean + softmax(h @ w["head"][member] + w["shift"][member]) / 3
    same(module, x, np.log(mean))
    with seeded(0):
        fresh = networks.TabM(k=3)._network(NUMBERS, 1)
    assert set(fresh.signs.flatten().tolist()) == {-1.0, 1.0}
    rows = fresh.eval().members(x).mean(1)
    torch.testing.assert_close(fresh(x), rows)
