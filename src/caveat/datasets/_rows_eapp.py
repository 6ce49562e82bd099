"""The pictures and the table of the EAPP paper."""

from __future__ import annotations

from caveat._registry import Entry
from caveat.datasets._row import SourceFile, row

_MIRRORS = (
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
)


def _idx(name: str, *sha256: str) -> SourceFile:
    return SourceFile(
        name=name,
        urls=tuple(mirror + name for mirror in _MIRRORS),
        sha256=sha256,
        folder="mnist",
    )


_TRAIN = [
    _idx(
        "train-images-idx3-ubyte.gz",
        "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    ),
    _idx(
        "train-labels-idx1-ubyte.gz",
        "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    ),
]
# The second digest is that of another packing of the same bytes.
_TEST = [
    _idx(
        "t10k-images-idx3-ubyte.gz",
        "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        "167310007f03058885c7e95e6c0b19c20de5c7fd3031f4cbdadc9014a523d80b",
    ),
    _idx(
        "t10k-labels-idx1-ubyte.gz",
        "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
        "fc607395669ec21321ea83e4b82c0544b7e8e63ff5b34337c06bc0a17cc0da3c",
    ),
]


def _mnist(
    name: str,
    task: str,
    rows: int,
    classes: int,
    summary: str,
    files: list[SourceFile],
    eights: bool,
) -> Entry:
    return row(
        name,
        "caveat.datasets._mnist:load_mnist",
        task=task,
        rows=rows,
        columns=784,
        classes=classes,
        summary=summary,
        display="MNIST" if name == "mnist" else "",
        paper="LeCun et al. (1998)",
        source="MNIST by Y. LeCun, C. Cortes and C. Burges",
        licence="CC BY-SA 3.0",
        files=files,
        params={"eights": eights},
        bring="The IDX files, packed by gzip",
    )


def _pictures(
    name: str, display: str, summary: str, paper: str, source: str, bring: str
) -> Entry:
    return row(
        name,
        "caveat.datasets._loaders:load_file",
        task="binary",
        rows=None,
        columns=None,
        classes=2,
        summary=summary,
        display=display,
        paper=paper,
        source=source,
        licence="see the source; access is restricted",
        files=[SourceFile(name=f"{name}.npz")],
        image_size=128,
        bring=bring,
    )


EAPP = [
    _mnist(
        "mnist", "multiclass", 70_000, 10, "handwritten digits", _TRAIN + _TEST, False
    ),
    _mnist(
        "mnist-test", "multiclass", 10_000, 10, "the test digits of MNIST", _TEST, False
    ),
    _mnist("mnist-8", "binary", 3137, 2, "8 or (1 or 7), test digits", _TEST, True),
    _pictures(
        "imagenet-mushroom-wedding",
        "ImageNet: mushroom or wedding",
        "two kinds of pictures with different surroundings",
        "Deng et al. (2009)",
        "ImageNet (https://www.image-net.org)",
        "A folder with the folders mushroom and wedding; pictures are cut to squares "
        "of 128 pixels",
    ),
    _pictures(
        "bimcv-padchest",
        "BIMCV-PadChest",
        "chest x-rays, cases or controls",
        "Bustos et al. (2020)",
        "BIMCV-PadChest of the Medical Imaging Databank of the Valencia Region",
        "A folder with one folder of pictures per class; pictures are cut to squares "
        "of 128 pixels",
    ),
    row(
        "ncov2019",
        "caveat.datasets._loaders:load_file",
        task="binary",
        rows=None,
        columns=None,
        classes=2,
        column="outcome",
        summary="outcome of early COVID-19 cases",
        display="nCov2019",
        paper="Xu et al. (2020)",
        source="the nCov2019 collection of individual case records",
        licence="see the source",
        files=[SourceFile(name="ncov2019.csv")],
        params={"target": "outcome", "task": "binary"},
        bring="A CSV file of the processed cases (27 variables in the paper) with the "
        "column outcome",
    ),
]
