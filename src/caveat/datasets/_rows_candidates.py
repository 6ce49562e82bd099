"""The real-world data sets of the partial-label benchmark."""

from __future__ import annotations

from caveat._registry import Entry
from caveat.datasets._cifar_files import ANNOTATIONS, ARCHIVE
from caveat.datasets._row import SourceFile, row

_PALM = "the PALM group (https://palm.seu.edu.cn/zhangml/Resources.htm#data)"
_RAW = (
    "https://raw.githubusercontent.com/pruirui/partial_label_realworld_dataset/"
    "a43c823f1cf2575e7fc74bcdfc307463e0bd44bd/"
)
_MIRROR = "github.com/pruirui/partial_label_realworld_dataset mirrors some of the files"


def _mat(
    name: str,
    file: str,
    rows: int,
    columns: int,
    classes: int,
    summary: str,
    paper: str,
    *,
    display: str = "",
    urls: tuple[str, ...] = (),
    sha256: str | None = None,
    notes: tuple[str, ...] = (),
) -> Entry:
    pins = (sha256,) if sha256 else ()
    return row(
        name,
        "caveat.datasets._loaders:load_file",
        task="candidates",
        rows=rows,
        columns=columns,
        classes=classes,
        summary=summary,
        display=display,
        paper=paper,
        source=_PALM,
        licence="for research; cite the original authors",
        files=[SourceFile(name=file, urls=urls, sha256=pins)],
        bring="A MATLAB file (up to -v7) with data (items x features), target and "
        f"partial_target (classes x items); {_MIRROR}",
        notes=notes,
    )


def _plcifar10(rule: str, summary: str, notes: tuple[str, ...]) -> Entry:
    return row(
        f"plcifar10-{rule}",
        "caveat.datasets._cifar:load_plcifar10",
        task="candidates",
        rows=50_000,
        columns=3072,
        classes=10,
        summary=summary,
        display=f"PLCIFAR10-{rule.title()}",
        paper="Wang et al. (2025)",
        source="https://github.com/wwangwitsel/PLCIFAR10, with CIFAR-10",
        licence="for academic purposes only",
        files=[ARCHIVE, ANNOTATIONS],
        params={"rule": rule},
        bring="plcifar10.pkl is in that repository; it is read without unpickling it. "
        "Run first: caveat data fetch cifar10",
        notes=(
            *notes,
            "the test images are rows 50000 to 59999 of the data set cifar10",
        ),
    )


PARTIAL = [
    _mat(
        "lost",
        "lost.mat",
        1122,
        108,
        16,
        "who is it, by a face and the names in the script",
        "Cour et al. (2011)",
        sha256="42a8cc43e05578087e7b8ca194647829ec535dc4d0a86cf47f357c5eb3146e4f",
        notes=("2 classes are never true", "features reach 7500 in size: scale them"),
    ),
    _mat(
        "msrcv2",
        "MSRCv2.mat",
        1758,
        48,
        23,
        "which object, by a segment of a picture",
        "Liu & Dietterich (2012)",
        display="MSRCv2",
        notes=("5 rows repeat an earlier row",),
    ),
    _mat(
        "birdsong",
        "BirdSong.mat",
        4998,
        38,
        13,
        "which bird, by a syllable of ten seconds of song",
        "Briggs et al. (2012)",
        display="BirdSong",
        urls=(_RAW + "BirdSong.mat",),
        notes=("features reach 100000 in size: scale them",),
    ),
    _mat(
        "italian",
        "italian.mat",
        21878,
        519,
        90,
        "part of speech of Italian words",
        "Johan et al. (2009)",
        urls=(_RAW + "italian.mat",),
        sha256="7981fff3efd2df21abfac990d71777dd9637bf6ab8ccd15066b086287b9e6fde",
        notes=(
            "13 classes are never true",
            "36 features are constant",
            "9417 rows repeat an earlier row's features: training and test overlap",
        ),
    ),
    _mat(
        "fg-net",
        "FG-NET.mat",
        1002,
        262,
        78,
        "age of a face, by ten people's guesses",
        "Panis & Lanitis (2014)",
        display="FG-NET",
        notes=("15 classes are never true",),
    ),
    _mat(
        "mirflickr",
        "Mirflickr.mat",
        2780,
        1536,
        14,
        "what a picture shows, by its tags",
        "Huiskes & Lew (2008)",
        display="Mirflickr",
    ),
    _mat(
        "malagasy",
        "Malagasy.mat",
        5303,
        384,
        44,
        "part of speech of Malagasy words",
        "Garrette & Baldridge (2013)",
        display="Malagasy",
    ),
    _mat(
        "soccer-player",
        "SoccerPlayer.mat",
        17472,
        279,
        171,
        "which player, by a face and a caption",
        "Zeng et al. (2013)",
        display="Soccer Player",
    ),
    _mat(
        "yahoo-news",
        "YahooNews.mat",
        22991,
        163,
        219,
        "who is it, by a face and a caption",
        "Guillaumin et al. (2010)",
        display="Yahoo! News",
    ),
    _mat(
        "english",
        "English.mat",
        24000,
        300,
        45,
        "part of speech of English words",
        "Zhou et al. (2018)",
        display="English",
    ),
    _plcifar10(
        "aggregate",
        "CIFAR-10 with all labels that about ten people gave",
        ("the true label is no candidate in 0.13 % of the rows",),
    ),
    _plcifar10(
        "vaguest",
        "CIFAR-10 with the labels of whoever gave most",
        ("the true label is no candidate in 17.56 % of the rows",),
    ),
]
