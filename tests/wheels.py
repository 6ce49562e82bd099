"""Build the wheel, install it into clean environments, and use it there.

`make test-wheels` checks the bare package on every Python of 3.11 to 3.13 that is
here, and every extra alone on the one that runs this. Environments lie below `build/`
and are kept while the requirements stay as they are; only the wheel is new each time.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
CONSTRAINTS = ROOT / "constraints.txt"
LEFT_OUT = {
    "all": "repeats the others",
    "dev": "serves the tests",
    "foundation": "gigabytes of models' libraries",
    "realmlp": "gigabytes of libraries",
    "llm": "gigabytes of libraries",
}


@dataclass(frozen=True)
class Environment:
    """A Python, and the extra that is installed with the wheel, if any."""

    python: str
    version: str
    extra: str | None

    @property
    def name(self) -> str:
        """Name its folder and its line."""
        return f"{self.version}-{self.extra or 'core'}"

    @property
    def bin(self) -> Path:
        """Where its programs are."""
        return BUILD / "environments" / self.name / "bin"


def version_of(python: str) -> str:
    """Ask an interpreter for its version; '' if it does not run."""
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([python, "-c", ask], capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def pythons() -> dict[str, str]:
    """Find one interpreter for each version that caveat is made for."""
    versions = ["3.11", "3.12", "3.13"]
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found: dict[str, str] = {}
    for candidate in [
        sys.executable,
        *(path for version in versions if (path := shutil.which(f"python{version}"))),
        *map(str, sorted(kept.glob("3.1[123].*/bin/python"))),
    ]:
        version = version_of(candidate)
        if version in versions:
            found.setdefault(version, candidate)
    return found


def build() -> Path:
    """Build the wheel anew."""
    folder = BUILD / "wheels"
    shutil.rmtree(folder, ignore_errors=True)
    pip(Path(sys.executable), "wheel", "--no-deps", "--wheel-dir", str(folder), ROOT)
    (wheel,) = folder.glob("caveat-*.whl")
    return wheel


def pip(python: Path, *words: str | Path) -> None:
    """Run pip, quietly."""
    quiet = ["-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([python, *quiet, *words], check=True)


def prepare(one: Environment, wheel: Path) -> None:
    """Make the environment, or put the new wheel into the one that is there."""
    folder = one.bin.parent
    stamp = folder / "requirements"
    text = (ROOT / "pyproject.toml").read_text() + CONSTRAINTS.read_text() + one.python
    wanted = hashlib.sha256(text.encode()).hexdigest()
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([one.python, "-m", "venv", folder], check=True)
        target = f"caveat[{one.extra}]" if one.extra else "caveat"
        source = f"{target} @ {wheel.as_uri()}"
        pip(one.bin / "python", "install", "--constraint", CONSTRAINTS, source)
        stamp.write_text(wanted)
    again = ["--no-deps", "--force-reinstall", str(wheel)]
    pip(one.bin / "python", "install", *again)


def check(one: Environment) -> int:
    """Use the wheel in a folder far from the source tree."""
    checks = Path(__file__).with_name("wheel_checks.py")
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    with tempfile.TemporaryDirectory() as folder:
        home = {"HOME": folder, "CAVEAT_DATA_HOME": folder}
        return subprocess.run(
            [one.bin / "python", "-I", "-u", checks], cwd=folder, env={**clean, **home}
        ).returncode


def wanted_environments(*, core_only: bool) -> list[Environment]:
    """List what to check; the first is the bare package on this Python."""
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    found = pythons()
    first = Environment(found[here], here, None)
    if core_only:
        return [first]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [name for name in project["optional-dependencies"] if name not in LEFT_OUT]
    others = [item for item in found.items() if item[0] != here]
    return [
        first,
        *(Environment(python, version, None) for version, python in others),
        *(Environment(found[here], here, extra) for extra in extras),
    ]


def main() -> int:
    """Check all environments, one after another; 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", action="store_true", help="the bare package only")
    given = parser.parse_args()
    wheel = build()
    lines, code = [], 0
    for one in wanted_environments(core_only=given.core):
        print(f"\n{one.name}", flush=True)
        begun = time.monotonic()
        try:
            prepare(one, wheel)
            wrong = check(one)
            outcome = "wrong" if wrong else "good"
        except subprocess.CalledProcessError:
            # What pip said is above; the others are checked all the same.
            wrong, outcome = 1, "not installed"
        code |= wrong
        lines.append(f"{one.name:<20}{outcome:<14}{time.monotonic() - begun:>6.0f} s")
    print("\n" + "\n".join(lines))
    if not given.core:
        print(*(f"left out: {name}, {why}" for name, why in LEFT_OUT.items()), sep="\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
