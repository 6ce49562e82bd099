"""Views of images, against slow versions that go pixel by pixel."""

import math

import numpy as np
import pytest
import torch

from caveat.training.images import ImageEncoder, image_views
from caveat.training.images._geometry import (
    affine,
    cut_out,
    flip,
    padded_crop,
    resized_crop,
)
from caveat.training.images._operations import OPERATIONS, apply_drawn

RNG = np.random.default_rng(0)
IMAGES = RNG.integers(0, 256, (6, 3, 9, 7)).astype(np.float32)
# A flat image, and one of two values, are the traps of stretching and equalising.
IMAGES[4] = 77.0
IMAGES[5] = np.where(RNG.random((3, 9, 7)) < 0.2, 200.0, 30.0)
X = torch.as_tensor(IMAGES)
LEVELS = np.array([0.0, 0.13, 0.5, 0.77, 0.9999, 0.31])


def pixels(shape):
    return np.ndindex(*shape)


def slow_grey(image):
    if len(image) != 3:
        return np.floor(image.mean(axis=0))
    total = image[0] * 19595 + image[1] * 38470 + image[2] * 7471
    return np.floor((total.astype(np.float64) + 32768) / 65536)


def slow_blend(other, image, level):
    share = np.float32(0.05) + np.float32(0.9) * np.float32(level)
    mixed = other.astype(np.float32) + (image - other).astype(np.float32) * share
    return np.clip(np.floor(mixed), 0, 255)


def slow_affine(image, a, b, c, d, e, f):
    found = np.zeros_like(image)
    _, height, width = image.shape
    for v, u in pixels((height, width)):
        x = math.floor(a * (u + 0.5) + b * (v + 0.5) + c)
        y = math.floor(d * (u + 0.5) + e * (v + 0.5) + f)
        if 0 <= x < width and 0 <= y < height:
            found[:, v, u] = image[:, y, x]
    return found


def slow_autocontrast(image, level):
    found = image.copy()
    for channel, values in enumerate(image):
        low, high = values.min(), values.max()
        if high > low:
            for place in pixels(values.shape):
                # Whole numbers: no rounding can be in the way.
                found[channel][place] = int(255 * (values[place] - low) // (high - low))
    return found


def slow_equalise(image, level):
    found = image.copy()
    for channel, values in enumerate(image.astype(int)):
        counts = [int((values == value).sum()) for value in range(256)]
        step = (values.size - counts[values.max()]) // 255
        if step:
            total, table = step // 2, []
            for count in counts:
                table.append(min(total // step, 255))
                total += count
            found[channel] = np.array(table)[values]
    return found


def slow_sharpness(image, level):
    smooth = image.copy()
    channels, height, width = image.shape
    for channel, v, u in pixels((channels, height, width)):
        if 0 < v < height - 1 and 0 < u < width - 1:
            near = image[channel, v - 1 : v + 2, u - 1 : u + 2]
            total = near.sum() + 4 * image[channel, v, u]
            smooth[channel, v, u] = math.floor(total / 13 + 0.5)
    return slow_blend(smooth, image, level)


def slow_rotate(image, level):
    angle = math.radians(60 * level - 30)
    cos, sin = math.cos(angle), math.sin(angle)
    v, u = image.shape[1] / 2, image.shape[2] / 2
    # Around the middle: what is at a place was at the place turned back.
    return slow_affine(
        image, cos, sin, u - cos * u - sin * v, -sin, cos, v + sin * u - cos * v
    )


def slow_posterize(image, level):
    bits = 4 + math.floor(4 * level)
    mask = 256 - 2 ** (8 - bits)
    return (image.astype(int) & mask).astype(np.float32)


def slow_solarize(image, level):
    threshold = math.floor(256 * level)
    return np.where(image >= threshold, 255 - image, image)


SLOW = {
    "autocontrast": slow_autocontrast,
    "brightness": lambda i, level: slow_blend(np.zeros_like(i), i, level),
    "colour": lambda i, level: slow_blend(slow_grey(i)[None].repeat(3, 0), i, level),
    "contrast": lambda i, level: slow_blend(
        np.full_like(i, math.floor(slow_grey(i).mean() + 0.5)), i, level
    ),
    "equalise": slow_equalise,
    "identity": lambda i, level: i,
    "posterize": slow_posterize,
    "rotate": slow_rotate,
    "sharpness": slow_sharpness,
    "shear_x": lambda i, level: slow_affine(i, 1, 0.6 * level - 0.3, 0, 0, 1, 0),
    "shear_y": lambda i, level: slow_affine(i, 1, 0, 0, 0.6 * level - 0.3, 1, 0),
    "solarize": slow_solarize,
    "translate_x": lambda i, level: slow_affine(
        i, 1, 0, (0.6 * level - 0.3) * i.shape[2], 0, 1, 0
    ),
    "translate_y": lambda i, level: slow_affine(
        i, 1, 0, 0, 0, 1, (0.6 * level - 0.3) * i.shape[1]
    ),
}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda f: f.__name__)
def test_every_operation_is_its_slow_version(operation):
    found = operation(X, torch.tensor(LEVELS, dtype=torch.float32)).numpy()
    slow = SLOW[operation.__name__]
    wanted = [slow(image, level) for image, level in zip(IMAGES, LEVELS, strict=True)]
    # Values are whole; where a sum falls on one, single precision may fall below it.
    apart = np.abs(found - np.stack(wanted))
    assert apart.max() <= (1 if operation.__name__ in BLENDS else 0)
    assert (apart > 0).mean() < 0.01


BLENDS = ("brightness", "colour", "contrast", "sharpness")


def test_equalising_many_pixels_is_the_slow_version():
    image = RNG.integers(0, 64, (1, 3, 40, 40)).astype(np.float32)
    equalise = next(f for f in OPERATIONS if f.__name__ == "equalise")
    found = equalise(torch.as_tensor(image), torch.zeros(1)).numpy()[0]
    np.testing.assert_array_equal(found, slow_equalise(image[0], 0.0))
    assert found.max() > 200


def test_each_image_gets_the_operation_that_was_drawn_for_it():
    chosen = torch.tensor([1, 5, 11, 1, 3, 7])
    levels = torch.tensor(LEVELS, dtype=torch.float32)
    found = apply_drawn(X, chosen, levels)
    for row, number in enumerate(chosen.tolist()):
        alone = OPERATIONS[number](X[row : row + 1], levels[row : row + 1])
        assert torch.equal(found[row], alone[0])


def test_a_flip_turns_the_chosen_images():
    found = flip(X, torch.tensor([True, False] * 3)).numpy()
    np.testing.assert_array_equal(found[0], IMAGES[0][:, :, ::-1])
    np.testing.assert_array_equal(found[1], IMAGES[1])


def test_a_padded_crop_cuts_out_of_a_black_frame():
    top, left = torch.tensor([0, 1, 2, 3, 4, 2]), torch.tensor([4, 3, 2, 1, 0, 2])
    found = padded_crop(X, top, left, 2).numpy()
    framed = np.pad(IMAGES, ((0, 0), (0, 0), (2, 2), (2, 2)))
    framed = np.pad(framed, ((0, 0), (0, 0), (0, 2), (0, 2)))
    for row in range(6):
        t, s = int(top[row]), int(left[row])
        np.testing.assert_array_equal(found[row], framed[row, :, t : t + 9, s : s + 7])


def slow_resized(image, top, left, height, width):
    channels, rows, columns = image.shape
    found = np.zeros_like(image, dtype=np.float64)
    for v, u in pixels((rows, columns)):
        y = min(max((v + 0.5) * height / rows - 0.5, 0), height - 1)
        x = min(max((u + 0.5) * width / columns - 0.5, 0), width - 1)
        y0, x0 = math.floor(y), math.floor(x)
        y1, x1 = min(y0 + 1, height - 1), min(x0 + 1, width - 1)
        for channel in range(channels):
            cut = image[channel, top : top + height, left : left + width].astype(float)
            upper = cut[y0, x0] * (1 - x + x0) + cut[y0, x1] * (x - x0)
            lower = cut[y1, x0] * (1 - x + x0) + cut[y1, x1] * (x - x0)
            found[channel, v, u] = upper * (1 - y + y0) + lower * (y - y0)
    return found


def test_a_resized_crop_is_interpolated_between_the_centres_of_pixels():
    boxes = np.array(
        [
            [0, 0, 9, 7],
            [2, 1, 4, 3],
            [8, 6, 1, 1],
            [0, 3, 5, 4],
            [1, 0, 2, 7],
            [4, 4, 5, 3],
        ]
    )
    found = resized_crop(X, torch.as_tensor(boxes)).numpy()
    wanted = [slow_resized(i, *box) for i, box in zip(IMAGES, boxes, strict=True)]
    np.testing.assert_allclose(found, np.stack(wanted), rtol=0, atol=1e-3)
    np.testing.assert_array_equal(found[0], IMAGES[0])


def test_a_cut_out_is_painted_over():
    boxes = torch.tensor([[0, 0, 2, 3], [7, 5, 20, 20], [-3, -2, 1, 1]] * 2)
    fill = torch.tensor([1.0, 2.0, 3.0])
    found = cut_out(X, boxes, fill).numpy()
    wanted = IMAGES.copy()
    colours = fill.numpy()[:, None, None]
    for start in (0, 3):
        wanted[start, :, 0:2, 0:3] = colours
        wanted[start + 1, :, 7:, 5:] = colours
        wanted[start + 2, :, :1, :1] = colours
    np.testing.assert_array_equal(found, wanted)


def test_an_affine_map_that_changes_nothing_changes_nothing():
    same = torch.tensor([[1.0, 0, 0, 0, 1, 0]]).repeat(6, 1)
    assert torch.equal(affine(X, same), X)


@pytest.fixture(scope="module")
def viewed():
    images = RNG.integers(0, 256, (400, 16, 16, 3), dtype=np.uint8)
    encoder = ImageEncoder().fit(images)
    return torch.as_tensor(encoder.transform(images)), encoder


@pytest.mark.parametrize("name", ["plain", "weak", "strong", "distill"])
def test_a_view_depends_on_its_seed_alone_and_leaves_the_bytes(name, viewed):
    x, encoder = viewed
    kept = x.clone()
    view = image_views(encoder)[name]
    first, again, other = (
        view(x, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)
    )
    assert first.shape == x.shape
    assert first.dtype == torch.float32
    assert torch.equal(first, again)
    assert torch.equal(first, other) == (name == "plain")
    assert torch.equal(x, kept)


def test_plain_images_have_mean_0_and_deviation_1(viewed):
    x, encoder = viewed
    plain = image_views(encoder)["plain"](x, torch.Generator())
    torch.testing.assert_close(plain.mean((0, 2, 3)), torch.zeros(3), atol=1e-4, rtol=0)
    torch.testing.assert_close(plain.std((0, 2, 3)), torch.ones(3), atol=1e-3, rtol=0)


def test_without_flips_nothing_is_mirrored():
    ramp = np.tile(np.arange(16, dtype=np.uint8) * 16, (200, 16, 1))[..., None]
    encoder = ImageEncoder().fit(ramp)
    x = torch.as_tensor(encoder.transform(ramp))

    def rising(flips):
        view = image_views(encoder, flips=flips)["weak"]
        found = view(x, torch.Generator().manual_seed(0))
        return (found[:, 0, 8, 10] > found[:, 0, 8, 5]).float().mean()

    assert rising(flips=False) == 1
    assert 0.3 < rising(flips=True) < 0.7


def test_crops_have_a_fifth_to_all_of_the_area(viewed):
    from caveat.training.images._views import _boxes, _squares

    x, _ = viewed
    top, left, height, width = _boxes(x, torch.Generator().manual_seed(0)).unbind(1)
    share = (height * width) / 256
    # Sides are rounded to whole pixels.
    assert share.min() > 0.15
    assert share.max() <= 1
    assert (top + height <= 16).all()
    assert (left + width <= 16).all()
    assert abs(share.mean() - 0.6) < 0.06
    top, _, bottom, _ = _squares(x, torch.Generator().manual_seed(0)).unbind(1)
    assert ((bottom - top) <= 9).all()
    assert (top >= 0).all()


def test_dark_images_are_stretched_and_bright_ones_left():
    dark = np.array([[[0, 8], [16, 4]]], dtype=np.uint8)
    encoder = ImageEncoder().fit(dark)
    assert encoder.gain_ == 15
    assert encoder.transform(dark).max() == 240
    assert ImageEncoder().fit(np.full((1, 2, 2), 200, np.uint8)).gain_ == 1
