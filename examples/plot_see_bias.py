"""
How coarse must a bias be?
==========================

A scanner that makes one class a little brighter, a hospital that rounds one column:
such biases give classes away. EAPP finds coarse ones. This example plants biases of
growing size and looks when they are seen, and shows a narrow one that stays unseen
until every column is asked alone.
"""

# %%
# **Brightness.** Images of the digits 1, 7 and 8, with labels that know nothing: they
# are shuffled first. Class 1 is then brightened, by a share of the spread of all
# pixels. The value lies above what shuffled labels give once the shift is coarse. A
# draw may lie there without any bias, one in forty: the band ends at 97.5 % of the
# shuffles. So five draws are looked at, not one.

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

from caveat.eapp import EAPP, bias_probe

digits = load_digits()
kept = np.isin(digits.target, [1, 7, 8])
images, eight = digits.images[kept], digits.target[kept] == 8
draws = [
    bias_probe(
        images,
        eight,
        s=(0, 0.25, 0.5, 0.75, 1),
        unit="pixel",
        randomize_labels=True,
        folds=5,
        k_max=4,
        shuffles=50,
        random_state=seed,
    )
    for seed in range(5)
]
bright = (
    pd.concat(draws)
    .groupby("s", as_index=False)[["eapp", "null_high", "detected"]]
    .mean()
)
print(bright.round(3).rename(columns={"detected": "seen, share of 5 draws"}))

# %%
# **A narrow bias.** Two rows a day, one of either class. Nine sensors follow the
# weather of the day and fill the principal components; the tenth column tells the
# classes apart, alone. All columns together hide it.


def measured(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw 150 days."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], 150)
    weather = np.repeat(rng.normal(size=150), 2)[:, None]
    sensors = 2 * weather + rng.normal(size=(300, 9))
    table = pd.DataFrame(sensors, columns=[f"sensor {i}" for i in range(9)])
    table["rounding"] = rng.normal(size=300) + 3 * y
    return table, y


table, y = measured(0)
baseline = EAPP(k_max=2, folds=5, shuffles=50, random_state=0)
together = baseline.fit(table, y)
print(together)

# %%
# The scan of single columns finds it at once.

alone = together.drivers("single", random_state=0)
print(alone.head(3).round(3))

# %%
# No luck of one draw: how often do all columns stay within chance, while the one
# alone passes 0.9?

hidden = 0
for seed in range(20):
    drawn, classes = measured(seed)
    everything = EAPP(k_max=2, folds=5, shuffles=50, random_state=seed)
    one = EAPP(k_max=2, folds=5, shuffles=0, random_state=seed)
    unseen = everything.fit(drawn, classes).verdict_ == "chance"
    hidden += unseen and one.fit(drawn[["rounding"]], classes).value_ > 0.9
print(f"hidden among ten, found alone: {hidden} of 20 draws")

# %%
# Side by side. Left: mean value after a planted shift, and what shuffled labels give.
# Right: every column alone, and all together as a line.

figure = Figure(figsize=(9, 3.4))
left = figure.add_axes((0.06, 0.16, 0.38, 0.7))
left.fill_between(bright["s"], 0.4, bright["null_high"], color="#dfe2e6", lw=0)
left.plot(bright["s"], bright["eapp"], color="#0d448e", marker="o")
left.set_ylim(0.4, 1.02)
left.set_xlabel("shift of class 1, standard deviations of all pixels")
left.set_title("brightness: free part", loc="left", fontsize=9, weight="bold")
right = figure.add_axes((0.6, 0.16, 0.36, 0.7))
right.barh(alone["column"], alone["value"], color="#a84c04")
right.axvline(together.value_, color="#0d448e")
right.invert_yaxis()
right.set_xlim(0.4, 1)
right.set_title("one column alone; blue: all", loc="left", fontsize=9, weight="bold")

# %%
# **What to take home.** A low value is no proof that nothing gives the classes away:
# clusters follow directions of large variance only. Ask the columns one by one, too.

figure.savefig("see_bias.svg")
