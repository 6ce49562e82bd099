"""The curve as a figure: what it says can be read."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from caveat.eapp import EAPP


@pytest.mark.thorough
@pytest.mark.parametrize("apart", [0.0, 0.3, 0.8, 1.5, 3.0])
@pytest.mark.parametrize("share", [0.3, 0.5])
def test_no_curve_crosses_the_value_at_its_dot(apart, share):
    rng = np.random.default_rng(0)
    y = (rng.random(200) < share).astype(int)
    X = rng.normal(size=(200, 3)) + apart * y[:, None]
    axes = EAPP(shuffles=19, folds=3, k_max=6, random_state=0).fit(X, y).plot()
    canvas = FigureCanvasAgg(axes.figure)
    canvas.draw()
    (label,) = [one for one in axes.texts if " at 1/p₀ = " in one.get_text()]
    box = label.get_window_extent(canvas.get_renderer())
    for line in axes.get_lines():
        x, heights = axes.transData.transform(line.get_xydata()).T
        if len(x) < 2:  # the dot itself
            continue
        over = np.linspace(box.x0, min(box.x1, x[-1]), 100)
        at = np.interp(over, x, heights)
        assert not ((at > box.y0) & (at < box.y1)).any(), line
