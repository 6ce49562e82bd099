"""What a step of every algorithm takes on images: cost.csv.

    OMP_NUM_THREADS=1 python -m papers.candidates.cost

As in the benchmark's Figure 4, but on one core: the small network, batches of 64
pictures of 8 x 8, the settings of the study digits-images. CPU time of a step, views
included: the tenth percentile, which leaves out steps that others disturbed.
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
import yaml

import caveat.candidates
from caveat.candidates import PartialLabelClassifier, flip_candidates
from caveat.candidates._algorithm import TRAINING
from caveat.datasets import load

OUT = Path(__file__).with_name("cost.csv")
STUDY = Path(caveat.candidates.__file__).parent / "studies" / "digits-images.yaml"
STEPS, WARM = 60, 20


def measured(settings: dict[str, Any], images: Any, sets: Any) -> float:
    """Milliseconds of a step."""
    name = settings.pop("name")
    told = {key: settings.pop(key) for key in TRAINING if key in settings}
    if name == "valen":
        images = images.reshape(len(images), -1).astype(float)
        settings["warm_up"] = WARM // 2
    if "start" not in settings and name in ("pico", "dirk", "alim", "pico+"):
        settings["start"] = WARM // 2
    model = PartialLabelClassifier(
        name, params=settings, max_steps=STEPS, random_state=0, **told
    )
    moments: list[float] = []

    def now(_: Any) -> dict[str, float]:
        moments.append(time.process_time())
        return {}

    every = range(1, STEPS + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.fit(images, sets, checkpoints=list(every), watch=now)
    steps = np.diff(moments)[WARM:]
    return 1e3 * float(np.percentile(steps, 10))


def main() -> None:
    """Measure every algorithm of the study."""
    torch.set_num_threads(1)
    digits = load("digits")
    codes = np.unique(np.asarray(digits.y), return_inverse=True)[1]
    sets = flip_candidates(codes, 10, rate=0.3, random_state=0)
    rows = []
    for settings in yaml.safe_load(STUDY.read_text())["learners"]:
        name = settings["name"]
        spent = measured(dict(settings), np.asarray(digits.images), sets)
        rows.append({"learner": name, "milliseconds": spent})
    pd.DataFrame(rows).to_csv(OUT, index=False, float_format="%.4g")


if __name__ == "__main__":
    main()
