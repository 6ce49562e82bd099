"""CIFAR-10 from its binary version (which needs no pickle), and what is made of it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.datasets._dataset import Dataset
from caveat.datasets._parse import image_dataset
from caveat.datasets.readers._archive import read_archive
from caveat.datasets.readers._idx import pixel_names
from caveat.datasets.readers._plain_pickle import read_plain_pickle
from caveat.exceptions import DataError

ARCHIVE = "cifar-10-binary.tar.gz"
ANNOTATIONS = "plcifar10.pkl"
CLASSES = (
    "airplane",
    "automobile",
    "bird",
    "cat",
    "deer",
    "dog",
    "frog",
    "horse",
    "ship",
    "truck",
)
_VEHICLES = (0, 1, 8, 9)
_TRAINING = 50_000
_RECORD = 1 + 3 * 32 * 32


def load_cifar10(files: Mapping[str, bytes]) -> Dataset:
    """Load CIFAR-10: 50,000 training images, then 10,000 test images."""
    pixels, labels = _images(files)
    names = np.array(CLASSES, dtype=object)[labels]
    return image_dataset(pixels, names, "cifar10", ARCHIVE)


def load_cifar10_grey(files: Mapping[str, bytes]) -> Dataset:
    """Load the grey CIFAR-10 of the study of label proportions: 60,000 x 1,024.

    Grey is 0.114 R + 0.587 G + 0.299 B, rounded: the study gave red-green-blue data to
    a function that expects blue-green-red. Kept, because its bags were made so.
    Shuffled twice, scaled to [0, 1], vehicles against animals.
    """
    pixels, labels = _images(files)
    grey = swapped_grey(pixels).reshape(len(pixels), -1)
    animal = ~np.isin(labels, _VEHICLES)
    frame = pd.DataFrame(grey, columns=pixel_names(32, 32))
    for seed in (42, 6738921):
        order = frame.sample(frac=1, random_state=seed).index
        frame, animal = frame.loc[order].reset_index(drop=True), animal[order]
    values = frame.to_numpy(dtype=np.float64)
    low, high = values.min(axis=0), values.max(axis=0)
    scaled = pd.DataFrame((values - low) / (high - low), columns=frame.columns)
    y = pd.Series(animal.astype(np.int64), name="animal")
    return Dataset(
        name="cifar10-grey", X=scaled, y=y, task="binary", image_shape=(32, 32)
    )


def swapped_grey(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Turn (..., rgb) into grey with the weights of red and blue interchanged.

    Fixed-point arithmetic with 14 bits, as OpenCV does it for 8-bit images.

    Examples
    --------
    >>> swapped_grey(np.array([[255, 0, 0], [0, 0, 255]], dtype=np.uint8))
    array([29, 76], dtype=uint8)
    """
    weights = np.array([1868, 9617, 4899], dtype=np.int64)
    total = pixels.astype(np.int64) @ weights
    return ((total + (1 << 13)) >> 14).astype(np.uint8)


def load_plcifar10(
    files: Mapping[str, bytes], *, rule: str, part: tuple[int, int] | None = None
) -> Dataset:
    """Load PLCIFAR10: CIFAR-10's training images with what people took them for.

    Then the official test images, with their true labels; ``n_test`` counts them. What
    each person said is in ``annotations``.

    Parameters
    ----------
    files : mapping
    rule : {"aggregate", "vaguest"}
        Candidates are all labels that any annotator gave, or those of the annotator
        who gave most; the first of several.
    part : (int, int), optional
        Keep so many training and test images only, the first ones: their order is
        random already.

    References
    ----------
    .. [1] W. Wang et al. (2025). Realistic evaluation of deep partial-label learning
       algorithms. ICLR.
    """
    pixels, labels = _images(files)
    annotations = read_annotations(files[ANNOTATIONS], ANNOTATIONS)
    if len(annotations) != _TRAINING:
        raise DataError(
            f"{ANNOTATIONS} annotates {len(annotations)} images, not {_TRAINING}"
        )
    candidates = np.eye(len(CLASSES), dtype=bool)[labels]
    candidates[:_TRAINING] = False
    for item, sets in enumerate(annotations):
        chosen = [max(sets, key=len)] if rule == "vaguest" else sets
        for labels_given in chosen:
            candidates[item, labels_given] = True
    train, test = part or (_TRAINING, len(labels) - _TRAINING)
    kept = np.r_[:train, _TRAINING : _TRAINING + test]
    flat = pixels[kept].reshape(len(kept), -1)
    return Dataset(
        name="plcifar10-part" if part else f"plcifar10-{rule}",
        X=pd.DataFrame(flat, columns=pixel_names(32, 32, "rgb")),
        y=pd.Series(labels[kept].astype(np.int64), name="class"),
        candidates=candidates[kept],
        task="candidates",
        image_shape=(32, 32, 3),
        n_test=test,
        annotations=annotations[:train],
    )


def read_annotations(
    data: bytes, where: str, classes: int = 10
) -> list[list[list[int]]]:
    """Read annotations, per item and annotator a list of labels; nothing is unpickled.

    Parameters
    ----------
    data : bytes
        A pickled dict from item number to list of lists of label numbers.
    where : str
        The file's name, for messages.
    classes : int

    Returns
    -------
    list of list of list of int : items 0, 1, ..., each with at least one label.

    Examples
    --------
    >>> import pickle
    >>> read_annotations(pickle.dumps({1: [[2]], 0: [[0, 3], [3]]}), "x.pkl")
    [[[0, 3], [3]], [[2]]]
    """
    found = read_plain_pickle(data, where)
    if type(found) is not dict or set(found) != set(range(len(found))):
        raise DataError(
            f"{where} does not map the item numbers 0, 1, ... to annotations"
        )
    items = [found[item] for item in range(len(found))]
    for number, sets in enumerate(items):
        if type(sets) is not list or not all(type(labels) is list for labels in sets):
            raise DataError(f"{where}: item {number} is not a list of lists")
        flat = [label for labels in sets for label in labels]
        if not flat:
            raise DataError(f"{where}: item {number} has no annotation")
        if not all(type(label) is int and 0 <= label < classes for label in flat):
            raise DataError(
                f"{where}: item {number} has a label outside 0..{classes - 1}"
            )
    return items


def _images(files: Mapping[str, bytes]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    members = {
        path.rpartition("/")[2]: content
        for path, content in read_archive(files[ARCHIVE], ARCHIVE).items()
    }
    wanted = [f"data_batch_{batch}.bin" for batch in range(1, 6)] + ["test_batch.bin"]
    absent = [name for name in wanted if name not in members]
    if absent:
        raise DataError(
            f"{ARCHIVE} lacks {absent[0]}; it is not CIFAR-10's binary version"
        )
    parts = []
    for name in wanted:
        if len(members[name]) % _RECORD:
            raise DataError(f"{ARCHIVE}: {name} is cut short")
        parts.append(np.frombuffer(members[name], np.uint8).reshape(-1, _RECORD))
    records = np.concatenate(parts)
    # A record holds the label, then all red values, all green ones, all blue ones.
    pixels = records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return np.ascontiguousarray(pixels), records[:, 0].copy()
