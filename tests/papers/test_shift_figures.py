"""The figures across data sets draw the numbers of the curves, from a ledger too."""

import numpy as np
import pandas as pd
import pytest

from caveat.exceptions import InvalidInput
from caveat.models import make_model
from caveat.shift import shift_curve
from papers.shift.figures import draw_all, main, save, with_importance


def toys(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=["a", "b", "c"])
    return X, (X["a"] + 0.4 * X["b"] + rng.normal(size=120) > 0).astype(int)


@pytest.fixture(scope="module")
def frame():
    """Curves of two models on two tables, by all four scenarios."""
    parts = []
    for number in (0, 1):
        X, y = toys(number)
        for name in ("logistic-regression", "dummy"):
            model = make_model(name, "binary").fit(X[:60], y[:60])
            for scenario in ("single", "most", "least", "random"):
                curve = shift_curve(
                    model, X[:60], y[:60], X[60:], y[60:],
                    scenario=scenario, metric="accuracy",
                )  # fmt: skip
                parts.append(curve.tidy(dataset=f"toys {number}", model=name))
    return pd.concat(parts, ignore_index=True)


@pytest.mark.thorough
def test_a_tidy_curve_says_how_much_is_gone(frame):
    X, y = toys(0)
    sizes = X[:60].corrwith(y[:60].astype(float)).abs()
    mine = frame[(frame["dataset"] == "toys 0") & (frame["model"] == "dummy")]
    for row in mine[mine["scenario"].isin(["single", "most", "least"])].itertuples():
        gone = [bit == "1" for bit in row.mask]
        assert row.importance == pytest.approx(sizes[gone].sum(), abs=1e-9)
    sizes = {f"toys {n}": toys(n)[0][:60].corrwith(toys(n)[1][:60].astype(float))
             for n in (0, 1)}  # fmt: skip
    again = with_importance(frame, sizes)["importance"]
    known = frame["scenario"] != "random"
    assert np.allclose(again[known], frame["importance"][known])


@pytest.mark.thorough
def test_every_figure_draws_the_means_over_models(frame):
    found = draw_all(frame)
    assert list(found) == ["figure-3", "figure-4", "figure-5", "figure-9", "figure-10"]
    mine = frame[frame["dataset"] == "toys 0"]
    for way, line in zip(("most", "random", "least"), found["figure-9"].axes[0].lines,
                         strict=True):  # fmt: skip
        expected = mine[mine["scenario"] == way].groupby("k")["value"].mean()
        assert np.allclose(line.get_ydata(), expected)
    most = mine[mine["scenario"] == "most"].groupby("k")[["importance", "value"]].mean()
    line = found["figure-10"].axes[0].lines[0]
    assert np.allclose(line.get_xdata(), most["importance"])
    assert np.allclose(line.get_ydata(), most["value"])
    single = mine[(mine["scenario"] == "single") & (mine["k"] == 1)]
    order = single.groupby("column")["importance"].mean().sort_values().index
    means = single.groupby("column")["value"].mean()[order]
    assert np.allclose(found["figure-3"].axes[0].lines[0].get_ydata(), means)
    dots = found["figure-5"].axes[0].collections[0].get_offsets()
    closed = mine[(mine["scenario"] == "random") & (mine["k"] == 0)]
    assert np.allclose(sorted(dots[:, 0]), sorted(closed["value"]))


@pytest.mark.long
@pytest.mark.thorough
def test_the_same_curves_write_the_same_files(frame, tmp_path):
    one, two = (save(draw_all(frame), tmp_path / name) for name in ("one", "two"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
    assert all("<svg" in path.read_text() for path in one)


def test_curves_of_other_scenarios_are_told(frame):
    with pytest.raises(InvalidInput, match="the curves are of least"):
        draw_all(frame[frame["scenario"] == "least"])


@pytest.mark.long
@pytest.mark.thorough
def test_they_come_from_a_ledger(tmp_path, capsys):
    from caveat.study import run

    study = {
        "study": "s",
        "topic": "shift",
        "datasets": ["iris"],
        "learners": ["dummy", "logistic-regression"],
        "scenario": {"scenario": ["random", "single", "most", "least"]},
        "resampling": {"validation": 0},
        "baseline": "none",
    }
    run(study, ledger=str(tmp_path / "s.ledger"), engine="serial")
    main(str(tmp_path / "s.ledger"), str(tmp_path / "figures"))
    assert len(capsys.readouterr().out.splitlines()) == 5
