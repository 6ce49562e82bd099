"""Every sample. To add one: a function that makes its tables, and a row here."""

from caveat._registry import Entry, Registry

_AT = "caveat.datasets.samples"

SAMPLES = Registry(
    "sample",
    [
        Entry(
            name="loans",
            target=f"{_AT}._tables:loans",
            summary="1,200 loans, who defaults; one column knows too early",
            facts={"try": "caveat audit loans.csv --target default"},
        ),
        Entry(
            name="patients",
            target=f"{_AT}._tables:patients",
            summary="900 visits of 150 patients, and a code that is written too late",
            facts={"try": "caveat audit patients.csv --target ill"},
        ),
        Entry(
            name="sensors",
            target=f"{_AT}._tables:sensors",
            summary="hourly readings of a machine; two sensors share one cable",
            facts={
                "try": "caveat shift sensors.csv --target fault "
                "--missing vibration,current"
            },
        ),
        Entry(
            name="songs",
            target=f"{_AT}._tables:songs",
            summary="600 songs with four moods, and the scores of two models",
            facts={"try": "caveat multilabel songs.csv --targets calm,sad,happy,angry"},
        ),
        Entry(
            name="birds",
            target=f"{_AT}._people:birds",
            summary="500 recordings named by three people; one is right in half",
            facts={
                "try": "caveat candidates birds.csv --annotators anna,ben,carl "
                "--truth species"
            },
        ),
        Entry(
            name="shops",
            target=f"{_AT}._people:shops",
            summary="customers of 24 shops; who returns is known per shop only",
            facts={
                "try": "caveat bags shops.csv --by shop --shares shop-shares.csv "
                "--positive returns"
            },
        ),
    ],
)
