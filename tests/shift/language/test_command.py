"""`caveat shift --model http://...#name`: a budget first, the key nowhere."""

import importlib.util
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

spec = importlib.util.spec_from_file_location(
    "fake_endpoint", Path(__file__).with_name("server.py")
)
fake = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fake)
KEY = "sk-never-to-be-seen"


def answer(prompt, attempt):
    """Know the sign of column a, where the prompt has it; say nonsense once."""
    value = 0.0
    for line in prompt.rsplit("Here's the specifics", 1)[1].splitlines():
        if line.startswith("- a :"):
            value = float(line.split(":")[1].rstrip(" ."))
    if value > 2.0:
        return fake.said("who knows")
    yes = 1 / (1 + math.exp(-3 * value))
    return fake.said("yes", {"yes": math.log(yes), "no": math.log(1 - yes)})


@pytest.fixture
def server():
    made = fake.FakeEndpoint(answer)
    yield made
    made.close()


@pytest.fixture
def run(tmp_path, server):
    """Run the command in a process of its own, with a key in its environment."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(120, 2)).round(3), columns=["a", "b"])
    rows["y"] = np.where(rows["a"] + 0.5 * rng.normal(size=120) > 0, "yes", "no")
    rows.to_csv(tmp_path / "toys.csv", index=False)
    (tmp_path / "about.txt").write_text("Toys of a shop.")

    def start(*words):
        usual = ["shift", "toys.csv", "--target", "y", "--model", f"{server.url}#toy"]
        return subprocess.run(
            [sys.executable, "-m", "caveat", *usual, "--repeats", "1", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env={
                **os.environ,
                "OPENAI_API_KEY": KEY,
                "CAVEAT_OFFLINE": "",
                "CAVEAT_DATA": str(tmp_path / "home"),
            },
        )

    return start


@pytest.mark.long
@pytest.mark.thorough
def test_without_a_budget_nothing_is_asked_and_with_one_the_loss_is_priced(
    run, server, tmp_path
):
    refused = run("--missing", "a")
    assert refused.returncode == 2
    assert "nothing was asked; pass --budget" in refused.stderr
    assert not server.asked
    budget = refused.stderr.split("--budget ")[-1].split(",")[0]
    words = ["--missing", "a", "--budget", budget, "--describe", "about.txt"]
    short = run(*words)
    assert "--budget is" in short.stderr  # the description made every prompt longer
    done = run(*words[:2], "--budget", budget, "--json", "--out", "page")
    assert done.returncode == 0, done.stderr
    loss = json.loads(done.stdout)["losses"][0]
    assert loss["model"] == "toy"
    assert loss["imputer"] == "told which columns are gone"
    assert loss["after"] == 0.5  # one prompt with b alone, whatever b is, says nothing
    assert loss["low"] > 0.1
    assert set(server.headers) == {f"Bearer {KEY}"}
    asked = sum(server.asked.values())
    again = run(*words[:2], "--json")  # every reply is kept: no budget is needed
    assert json.loads(again.stdout)["losses"] == json.loads(done.stdout)["losses"]
    assert sum(server.asked.values()) == asked
    seen = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    seen += [one.encode() for one in (done.stdout, done.stderr, refused.stderr)]
    assert not any(KEY.encode() in one for one in seen)
    page = (tmp_path / "page" / "index.html").read_text()
    assert "Toys of a shop" not in page
    assert "tokens" in page
