"""Caveats in the margin of their section."""

from __future__ import annotations

from collections.abc import Sequence

from caveat.audit._remark import Remark
from caveat.report import kit


def caveats_of(section: str, remarks: Sequence[Remark]) -> list[kit.Caveat]:
    """Return the caveats of a section as the page shows them, worst first."""
    return [
        kit.Caveat(
            remark.severity,  # type: ignore[arg-type]
            remark.sentence,
            remark.number,
            how=remark.how,
            name=f"caveat-{place}",
            size=remark.rank,
        )
        for place, remark in enumerate(remarks, start=1)
        if remark.section == section
    ]
