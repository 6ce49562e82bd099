"""The ledger's tables. A result is inserted once and never changed.

`trial` says what is to be done and who holds it, `result` what came out,
`attempt` what it cost and where (volatile facts live nowhere else), `plan`
which study wants which trial, `glossary` what the names meant at run time.
Every row that reaches a page carries a digest of what it says (`_digests`).
"""

from __future__ import annotations

import sqlalchemy as sa

APPLICATION_ID = 0x43564154  # "CVAT", in the header of every SQLite ledger
SCHEMA_VERSION = 2

metadata = sa.MetaData()

meta = sa.Table(
    "meta",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

study = sa.Table(
    "study",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("spec", sa.Text, nullable=False),
    # Covers the spec and the keys of all trials that the study wants, in order.
    sa.Column("digest", sa.Text, nullable=False),
)

trial = sa.Table(
    "trial",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("search", sa.Text, nullable=False),
    sa.Column("spec", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("owner", sa.Text),
    sa.Column("token", sa.Integer, nullable=False, server_default="0"),
    sa.Column("expires", sa.Float(53), nullable=False, server_default="0"),
)

plan = sa.Table(
    "plan",
    metadata,
    sa.Column("study", sa.Text, sa.ForeignKey("study.name"), primary_key=True),
    sa.Column("key", sa.Text, sa.ForeignKey("trial.key"), primary_key=True),
    # Place in the study's order; NULL once an edited study no longer wants it.
    sa.Column("place", sa.Integer),
)

result = sa.Table(
    "result",
    metadata,
    sa.Column("key", sa.Text, sa.ForeignKey("trial.key"), primary_key=True),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("record", sa.Text),
    sa.Column("reason", sa.Text),
    sa.Column("digest", sa.Text, nullable=False),
)

attempt = sa.Table(
    "attempt",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("key", sa.Text, sa.ForeignKey("trial.key"), nullable=False, index=True),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("token", sa.Integer),
    sa.Column("outcome", sa.Text, nullable=False),
    sa.Column("ended", sa.Float(53), nullable=False),
    sa.Column("seconds", sa.Float(53)),
    sa.Column("rss", sa.BigInteger),
    sa.Column("host", sa.Text),
    sa.Column("versions", sa.Text),
    sa.Column("error", sa.Text),
    sa.Column("digest", sa.Text, nullable=False),
)

glossary = sa.Table(
    "glossary",
    metadata,
    sa.Column("topic", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("facts", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
)
