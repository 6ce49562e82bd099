"""Models that read a table in context, with small random weights made on the spot."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from caveat.models import make_model
from caveat.shift import shift_curve
from tests.models.checkpoints import tiny

torch = pytest.importorskip("torch")
UNCACHED = {
    "tabicl": {"kv_cache": False},
    "tabpfn": {"fit_mode": "fit_preprocessors"},
}
# Where the package rounds to half precision, two ways to compute differ by that.
EXACT = {"tabicl": {}, "tabpfn": {"inference_precision": torch.float32}}


@pytest.fixture(params=["tabicl", "tabpfn"])
def fitted(request, tmp_path):
    weights = tiny(request.param, tmp_path / "weights.ckpt")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd"))
    y = np.where(X["a"] > 0, "yes", "no")

    def fit(**options):
        settings = {"weights": weights, "n_estimators": 2, "random_state": 0}
        options = {**EXACT[request.param], **options}
        model = make_model(request.param, "binary", **settings, options=options)
        return model.fit(X[:50], y[:50])

    return fit(), fit(**UNCACHED[request.param]), (X, y)


def work(model, X):
    """Count the numbers that go through linear layers while rows are answered."""
    seen = []

    def count(module, args):
        if isinstance(module, torch.nn.Linear):
            seen.append(args[0].numel())

    hook = torch.nn.modules.module.register_module_forward_pre_hook(count)
    try:
        model.predict_proba(X)
    finally:
        hook.remove()
    return sum(seen)


def test_training_rows_are_encoded_once_and_answers_stay(fitted):
    kept, again, (X, _) = fitted
    told = kept.predict_proba(X[50:])
    assert told[:, 0].std() > 1e-4
    np.testing.assert_allclose(told, again.predict_proba(X[50:]), atol=1e-5)
    assert work(kept, X[50:51]) < 0.3 * work(again, X[50:51])


def test_columns_can_vanish_from_it(fitted):
    kept, _, (X, y) = fitted
    curve = shift_curve(
        kept, X[:50], y[:50], X[50:], y[50:], metric="auc", random_state=0
    )
    rows = curve.table.set_index("k")["value"]
    assert rows[4] == 0.5
    second = kept.predict_proba(X[50:])[:, 1]
    assert rows[0] == pytest.approx(roc_auc_score(y[50:] == "yes", second))
