"""Every model of a crowd. To add one: its module, and a row here."""

from caveat._registry import Entry, Registry

_AT = "caveat.candidates.crowd"

# Facts: `floor`, no model of people at all, which every other has to beat;
# `calibrated`, as sure as it is right without being told how right it is.
MODELS = Registry(
    "crowd model",
    [
        Entry(
            name="majority-vote",
            target=f"{_AT}._vote:MajorityVote",
            summary="the label that most people name",
            facts={"floor": True},
        ),
        Entry(
            name="weighted-vote",
            target=f"{_AT}._vote:WeightedVote",
            summary="a vote by how well people agree with the majority",
        ),
        Entry(
            name="one-coin",
            target=f"{_AT}._skill:OneCoin",
            summary="everybody has one skill",
        ),
        Entry(
            name="class-skill",
            target=f"{_AT}._skill:ClassSkill",
            summary="everybody has a skill for every class",
        ),
        Entry(
            name="dawid-skene",
            target=f"{_AT}._dawid_skene:DawidSkene",
            summary="everybody has a table of confusions",
        ),
        Entry(
            name="glad",
            target=f"{_AT}._glad:GLAD",
            summary="people have a skill, items a difficulty",
        ),
        Entry(
            name="pooled",
            target=f"{_AT}._pooled:PooledCrowd",
            summary="Dawid-Skene over kinds of people, a mean over draws",
            facts={"calibrated": True},
        ),
    ],
)
