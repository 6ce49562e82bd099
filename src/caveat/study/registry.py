"""The topics, what may follow a fit, and the engines. To add one: a row here."""

from caveat._registry import Entry, Registry

TOPICS = Registry(
    "topic",
    [
        Entry(
            name="supervised",
            target="caveat.supervised.study:TOPIC",
            display="supervised learning",
            summary="plain classification and regression",
        ),
        Entry(
            name="eapp",
            target="caveat.eapp.study:TOPIC",
            display="baseline",
            summary="what clustering reaches without labels (EAPP)",
        ),
        Entry(
            name="bags",
            target="caveat.bags.study:TOPIC",
            display="label proportions",
            summary="labels known only as shares of bags",
        ),
        Entry(
            name="candidates",
            target="caveat.candidates.study:TOPIC",
            display="partial labels",
            summary="a set of candidate labels for every item",
        ),
        Entry(
            name="multilabel",
            target="caveat.multilabel.study:TOPIC",
            display="multi-label",
            summary="many labels, eleven measures",
        ),
        Entry(
            name="shift",
            target="caveat.shift.study:TOPIC",
            display="feature shift",
            summary="columns that vanish after deployment",
        ),
        Entry(
            name="audit",
            target="caveat.audit.study:TOPIC",
            display="audit",
            summary="what a score on a file of your own is worth",
        ),
    ],
    entry_points_group="caveat.topics",
)

#: The topic whose trials are the floor of all others.
BASELINE = "eapp"

FOLLOW_UPS = Registry(
    "follow-up",
    [
        Entry(
            name="shift",
            target="caveat.shift.study:follow",
            summary="degradation curves of the fitted model",
        ),
    ],
)

ENGINES = Registry(
    "engine",
    [
        Entry(
            name="serial",
            target="caveat.study.engines._pool:SerialEngine",
            summary="one trial after another, each guarded in a child process",
            facts={"local": True},
        ),
        Entry(
            name="processes",
            target="caveat.study.engines._pool:ProcessEngine",
            summary="every core of this machine",
            facts={"local": True},
        ),
        Entry(
            name="dask",
            target="caveat.study.engines._dask:DaskEngine",
            extra="cluster",
            summary="a Dask cluster: local, by address, or in SLURM, SGE, PBS jobs",
        ),
    ],
)
