"""`caveat sample`: a file to try things on, made on the spot."""

from __future__ import annotations

import click

from caveat.cli._console import note, say, table


@click.command(epilog="Example:  caveat sample patients")
@click.argument("name", required=False)
@click.argument("folder", required=False, default=".")
def sample(name: str | None, folder: str) -> None:
    """Write the sample NAME into FOLDER and print its path; without NAME, list them.

    Each comes with a story that says what is planted in it.
    """
    from caveat.datasets.samples import SAMPLES, write_sample

    if name is None:
        rows = [
            [entry.name, entry.summary, entry.facts["try"]]
            for entry in SAMPLES.values()
        ]
        table(["sample", "what it is", "try"], rows, bold=(0,))
        return
    path = write_sample(name, folder)
    say(str(path))
    note(f"Its story: {path.with_name(f'{name}-story.txt')}")
    note(f"Try: {SAMPLES[name].facts['try']}")
