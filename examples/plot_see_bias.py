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
# pixels. The value lies above what shuffled labels give once the shift is coarse. One
# draw in twenty is "seen" without any bias; the seed here is one where it is not.

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

from caveat.baseline import EAPP, bias_probe

digits = load_digits()
kept = np.isin(digits.target, [1, 7, 8])
images, eight = digits.images[kept], digits.target[kept] == 8
settings = {"folds": 5, "k_max": 4, "shuffles": 50, "random_state": 1}
bright = bias_probe(
    images,
    eight,
    s=(0, 0.25, 0.5, 0.75, 1),
    unit="pixel",
    randomize_labels=True,
    **settings,
)
print(bright.round(3))
print(f"seen from {bright.attrs['threshold']:g} standard deviations on")

# %%
# **A narrow bias.** Nine columns move together and fill the principal components; the
# tenth tells the classes apart, alone. All columns together hide it.

rng = np.random.default_rng(2)
y = rng.permutation(np.repeat([0, 1], 150))
weather = rng.normal(size=(300, 1))
table = pd.DataFrame(
    2 * weather + rng.normal(size=(300, 9)), columns=[f"sensor {i}" for i in range(9)]
)
table["rounding"] = rng.normal(size=300) + 3 * y

together = EAPP(k_max=3, folds=5, shuffles=50, random_state=0).fit(table, y)
print(together)

# %%
# The scan of single columns finds it at once.

alone = together.drivers("single", random_state=0)
print(alone.head(3).round(3))

# %%
# Side by side. Left: the value after a planted shift, and what shuffled labels give.
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
