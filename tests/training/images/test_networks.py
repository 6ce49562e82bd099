"""Networks for images: their sizes, their first weights, and slow twins."""

import numpy as np
import pytest
import torch
from torch import nn

from caveat.exceptions import InvalidInput, UnknownName
from caveat.training import fresh_copy, output_shape
from caveat.training.images import NETWORKS, densenet22, make_network, resnet32

SHAPE = (32, 32, 3)


def counted(network):
    return sum(weight.numel() for weight in network.parameters())


def test_resnet_32_has_the_sizes_of_its_paper():
    network = resnet32(SHAPE, 10)
    convolutions = [m for m in network.modules() if isinstance(m, nn.Conv2d)]
    # 31 in a row, and two short cuts where the shape changes.
    assert len(convolutions) == 31 + 2
    assert all(layer.bias is None for layer in convolutions)
    assert network.classifier.in_features == 64
    # 464,154 of the published count, and 2,752 in the two short cuts.
    assert counted(network) == 466_906
    assert output_shape(network.featurizer.layer2, (1, 16, 32, 32)) == (1, 32, 16, 16)


def test_densenet_22_has_the_sizes_of_its_design():
    network = densenet22(SHAPE, 10)
    convolutions = [m for m in network.modules() if isinstance(m, nn.Conv2d)]
    assert len(convolutions) == 1 + 2 * 9 + 2
    assert network.classifier.in_features == 69
    widths = [24, 36, 48, 30, 42, 54, 33, 45, 57]
    bottlenecks = sum(48 * w + 2 * w + 48 * 12 * 9 + 2 * 48 for w in widths)
    transitions = sum(w * w // 2 + 2 * w for w in (60, 66))
    wanted = 27 * 24 + bottlenecks + transitions + 2 * 69 + 69 * 10 + 10
    assert counted(network) == wanted


@pytest.mark.parametrize("factory", [resnet32, densenet22])
def test_convolutions_start_as_wide_as_their_outputs_ask_for(factory):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        networks = [factory(SHAPE, 10), fresh_copy(factory(SHAPE, 10))]
    for network in networks:
        for layer in network.modules():
            if isinstance(layer, nn.Conv2d):
                fan = layer.kernel_size[0] ** 2 * layer.out_channels
                ratio = layer.weight.std() / (2 / fan) ** 0.5
                # Five standard errors of a standard deviation.
                assert abs(ratio - 1) < 5 / (2 * layer.weight.numel()) ** 0.5
            if isinstance(layer, nn.BatchNorm2d):
                assert (layer.weight == 1).all()
                assert (layer.bias == 0).all()


def convolved(x, weight, stride, padding):
    """A convolution as its definition has it."""
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    side = weight.shape[-1]
    rows = (x.shape[2] - side) // stride + 1
    found = np.zeros((len(x), len(weight), rows, rows))
    for i in range(rows):
        for j in range(rows):
            patch = x[
                :, :, i * stride : i * stride + side, j * stride : j * stride + side
            ]
            found[:, :, i, j] = np.tensordot(patch, weight, ([1, 2, 3], [1, 2, 3]))
    return found


class Slow:
    """Networks written out in numpy, with the weights of ours."""

    def __init__(self, network):
        self.w = {k: v.double().numpy() for k, v in network.state_dict().items()}

    def conv(self, name, x, stride=1):
        weight = self.w[f"{name}.weight"]
        return convolved(x, weight, stride, weight.shape[-1] // 2)

    def norm(self, name, x):
        part = [
            self.w[f"{name}.{key}"][:, None, None]
            for key in ("running_mean", "running_var", "weight", "bias")
        ]
        return (x - part[0]) / np.sqrt(part[1] + 1e-5) * part[2] + part[3]

    def answer(self, features):
        return features @ self.w["classifier.weight"].T + self.w["classifier.bias"]

    def resnet(self, x):
        at = "featurizer"
        x = np.maximum(self.norm(f"{at}.bn1", self.conv(f"{at}.conv1", x)), 0)
        for stage in (1, 2, 3):
            for block in range(5):
                name = f"{at}.layer{stage}.{block}"
                stride = 2 if stage > 1 and block == 0 else 1
                y = self.norm(f"{name}.bn1", self.conv(f"{name}.conv1", x, stride))
                y = self.norm(
                    f"{name}.bn2", self.conv(f"{name}.conv2", np.maximum(y, 0))
                )
                if stride == 2:
                    x = self.conv(f"{name}.downsample.0", x, 2)
                    x = self.norm(f"{name}.downsample.1", x)
                x = np.maximum(x + y, 0)
        return self.answer(x.mean(axis=(2, 3)))

    def densenet(self, x):
        x = self.conv("featurizer.conv1", x)
        for stage in range(11):
            name = f"featurizer.stages.{stage}"
            y = self.conv(f"{name}.conv1", np.maximum(self.norm(f"{name}.bn1", x), 0))
            if stage in (3, 7):
                half = y.reshape(*y.shape[:2], y.shape[2] // 2, 2, y.shape[3] // 2, 2)
                x = half.mean(axis=(3, 5))
            else:
                y = self.conv(
                    f"{name}.conv2", np.maximum(self.norm(f"{name}.bn2", y), 0)
                )
                x = np.concatenate([x, y], axis=1)
        x = np.maximum(self.norm("featurizer.bn", x), 0)
        return self.answer(x.mean(axis=(2, 3)))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("factory", "twin"), [(resnet32, Slow.resnet), (densenet22, Slow.densenet)]
)
def test_logits_are_those_of_the_network_written_out(factory, twin):
    with torch.random.fork_rng():
        torch.manual_seed(1)
        network = factory((16, 16, 3), 4)
        x = torch.randn(2, 3, 16, 16)
        network(x)  # so that batch statistics are not 0 and 1
    network.eval().double()
    with torch.no_grad():
        found = network(x.double()).numpy()
    np.testing.assert_allclose(found, twin(Slow(network), x.double().numpy()), 1e-9)


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("shape", [(8, 8, 1), (12, 20, 3)])
def test_every_network_takes_images_of_any_size(name, shape):
    network = make_network(name, shape, 5, seed=0)
    x = torch.zeros(2, shape[2], *shape[:2])
    assert network.eval()(x).shape == (2, 5)


def test_a_network_is_seeded_and_leaves_the_generator_alone():
    before = torch.get_rng_state()
    first, again, other = (
        make_network("small-cnn", (8, 8, 1), 3, seed=seed).classifier.weight
        for seed in (1, 1, 2)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    ("network", "shape", "message"),
    [
        ("resnet-23", (8, 8, 1), "did you mean 'resnet-32'"),
        ("resnet-32", (7,), "is for images, but the items have 7 columns"),
        (3, (7,), "pass a name or a factory"),
        (lambda shape, q: 3, (7,), "gave a int"),
        (lambda shape, q: nn.Linear(shape[0], q + 1), (7,), r"owes \(2, 3\)"),
        (lambda shape, q: nn.Linear(5, q), (7,), "cannot take input"),
    ],
)
def test_a_network_that_will_not_do_is_refused(network, shape, message):
    with pytest.raises((InvalidInput, UnknownName), match=message):
        make_network(network, shape, 3, seed=0)
