"""The files of CIFAR-10 and PLCIFAR10, which several rows share."""

from __future__ import annotations

from caveat.datasets._row import SourceFile

# The binary version holds no pickle. Its MD5 is the one its authors state.
ARCHIVE = SourceFile(
    name="cifar-10-binary.tar.gz",
    urls=("https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",),
    sha256=("c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",),
    md5="c32a1d4ab5d03f1284b67883e8d87530",
    size_limit=200 * 2**20,
    folder="cifar10",
)
ANNOTATIONS = SourceFile(name="plcifar10.pkl", folder="plcifar10")
