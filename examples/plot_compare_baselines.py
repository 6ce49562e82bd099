"""
Three tasks, three baselines
============================

How much of an AUC is free? EAPP clusters the rows without labels, lets the labels name
the clusters, and takes the AUC of the names. Three small data sets show what it tells:
noise, an easy task, and XOR.
"""

# %%
# Three data sets of 400 rows. The noise has labels that know nothing. In the easy one
# the classes are two clouds. In XOR each class is two clouds in opposite corners: no
# straight line parts them, and two clusters do not either.

import numpy as np
from matplotlib.figure import Figure

from caveat.eapp import EAPP

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 200)
corner = np.repeat([[0, 0], [1, 1], [0, 1], [1, 0]], 100, axis=0)
tasks = {
    "noise": rng.normal(size=(400, 2)),
    "easy": rng.normal(size=(400, 2)) + 2 * y[:, None],
    "XOR": 4 * corner + rng.normal(size=(400, 2)),
}

# %%
# The same baseline for all three: principal components, k-means, ten folds, 200
# shuffles of the labels.

baselines = {name: EAPP(k_max=8, random_state=0).fit(X, y) for name, X in tasks.items()}
for name, baseline in baselines.items():
    print(f"{name}\n{baseline}\n")

# %%
# Side by side. The solid line is the honest AUC, its names chosen on training rows;
# the dashed line chooses them on the very rows it is scored on, as the paper does.
# Grey is what shuffled labels give. The value is read at the dotted line, k = 1/p₀.

figure = Figure(figsize=(10.5, 5.2))
for column, (name, baseline) in enumerate(baselines.items()):
    left = 0.05 + 0.29 * column
    cloud = figure.add_axes((left, 0.55, 0.2, 0.38))
    for label, colour in ((0, "#868b92"), (1, "#a84c04")):
        cloud.plot(*tasks[name][y == label].T, ".", color=colour, ms=3)
    cloud.set_title(name, loc="left", fontsize=9, weight="bold")
    cloud.set_axis_off()
    last = column == 2
    width = 0.36 if last else 0.26
    axes = figure.add_axes((left, 0.1, width, 0.36))
    baseline.plot(axes, title=False, labels=last, narrow=True)
    axes.set_ylim(0.35, 1.02)

# %%
# **Noise.** The honest line stays in the grey band. The dashed line rises with every
# cluster: a maximum over more and more namings of forty held-out rows. Without its
# shuffles it would look like a finding.
#
# **Easy.** 0.98 without learning anything. A classifier with 0.98 has earned nothing.
#
# **XOR.** At 1/p₀ = 2 there is nothing, from four clusters on there is everything. A
# low value at 1/p₀ is no proof that the task is hard; look at the whole curve.

figure.savefig("compare_baselines.svg")
