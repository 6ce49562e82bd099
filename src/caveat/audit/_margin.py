"""Caveats in the margin of their section."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from caveat import pages as kit
from caveat.audit._remark import Remark


def caveats_of(
    section: str, remarks: Sequence[Remark], starred: Collection[str] = ()
) -> list[kit.Caveat]:
    """Return the caveats of a section as the page shows them, worst first.

    Those that a number's star leads to (`starred`) have a name, and lead back.
    """
    return [
        kit.Caveat(
            remark.severity,  # type: ignore[arg-type]
            remark.sentence,
            remark.number,
            how=remark.how,
            name=f"caveat-{place}" if f"caveat-{place}" in starred else "",
            size=remark.rank,
        )
        for place, remark in enumerate(remarks, start=1)
        if remark.section == section
    ]
