"""Results of every topic, made up: tied, tiny, at the ends, below chance, unfinished.

To add a topic: a strategy that draws its Look, and a row in `TOPICS`.
"""

import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from caveat.audit import page as audit_page
from caveat.audit.result import Change, Floor, Rung, Vanished, Way
from caveat.audit.result import Model as AuditModel
from caveat.audit.result import Result as AuditResult
from caveat.audit.scan import Finding
from caveat.bags import page as bags_page
from caveat.bags.ecological import page as shares_page
from caveat.bags.ecological.result import SharesResult
from caveat.bags.result import FLOORS, MEASURES, ORACLE, RULE, SCORE_COLUMNS
from caveat.bags.result import Result as BagsResult
from caveat.board import build_page
from caveat.candidates import page as candidates_page
from caveat.candidates.crowd._active_labelling import CURVE
from caveat.candidates.result import Result as CandidatesResult
from caveat.eapp import page as eapp_page
from caveat.eapp._null_band import VERDICTS
from caveat.eapp.result import Result as EAPPResult
from caveat.measures import LABEL_MEASURES
from caveat.multilabel import page as multilabel_page
from caveat.multilabel.result import Model as LabelModel
from caveat.multilabel.result import Result as MultiLabelResult
from caveat.pages import About
from caveat.pages._rules import KINDS
from caveat.pages.claims import Estimate
from caveat.shift import page as shift_page
from caveat.shift.result import Result as ShiftResult

ABOUT = About("made-up.csv", "y", "binary", 120, 5, "30 % yes", "caveat x made-up.csv")
shares = st.floats(0, 1)
scores = st.one_of(shares, st.sampled_from([0.0, 0.5, 1.0]))
verdicts = st.sampled_from(sorted(VERDICTS))


@st.composite
def eapp_results(draw):
    folds = tuple(draw(st.lists(scores, min_size=1, max_size=10)))
    low, mean, high = sorted(draw(st.tuples(shares, shares, shares)))
    verdict = draw(verdicts)
    curve = pd.DataFrame({"k": [2, 3], "honest": draw(scores), "paper": draw(scores)})
    for prefix in ("", "paper_"):
        curve[f"{prefix}null_mean"] = mean
        curve[f"{prefix}null_low"], curve[f"{prefix}null_high"] = low, high
    curve["exact"] = True
    classes = pd.DataFrame(
        {
            "label": ["yes"],
            "share": [0.3],
            "k_star": [2.0],
            "value": [np.mean(folds)],
            "null_low": [low],
            "null_high": [high],
            "verdict": [verdict],
        }
    )
    columns = pd.DataFrame(
        {"column": ["a", "b"], "drop": [0.1, 0.0], "alone": [draw(scores), 0.5]}
    )
    probe = pd.DataFrame(
        {
            "s": [0.0, 1.0],
            "eapp": 0.6,
            "null_high": 0.55,
            "detected": draw(st.booleans()),
        }
    )
    return EAPPResult(
        measure="AUC",
        folds=folds,
        test_share=draw(st.sampled_from([0.0, 0.1, 0.5])),
        smaller=draw(st.integers(1, 500)),
        value_paper=draw(scores),
        k_star=2.0,
        p_value=draw(shares),
        skill=draw(scores),
        alpha=0.05,
        verdict=verdict,
        shuffles=draw(st.sampled_from([0, 5, 200])),
        null=(mean, low, high),
        paper_null=(mean, low, high),
        curve=curve,
        classes=classes,
        conditions="PCA, k-means.",
        notes=tuple(draw(st.lists(st.just("k = 9: no value"), max_size=1))),
        drivers=draw(st.one_of(st.none(), st.just(columns))),
        probe=draw(st.one_of(st.none(), st.just(probe))),
    )


def eapp_looks():
    models = st.one_of(st.none(), scores)
    return st.builds(
        lambda found, auc: eapp_page.look(found, ABOUT, model_auc=auc),
        eapp_results(),
        models,
    )


@st.composite
def label_models(draw, name, measures, floor=False):
    """A model whose draws are all over the place, equal, or not there."""
    seed = draw(st.integers(0, 99))
    center, width = draw(scores), draw(st.sampled_from([0.0, 0.001, 0.1]))
    resamples = draw(st.sampled_from([0, 2, 20]))
    noise = width * np.random.default_rng(seed).normal(
        size=(1 + resamples, len(measures))
    )
    values = np.clip(center + noise, 0, 1)
    if draw(st.integers(0, 9)) == 0:
        values[:, 0] = np.nan
    labels = pd.DataFrame(
        {"positives": [3, 5], "auc": [draw(scores), np.nan], "f1": 0.5},
        index=pd.Index(["a", "b"], name="label"),
    )
    ways = pd.DataFrame(
        {"macro_f1": [draw(scores), draw(scores)]},
        index=pd.Index(["one for all", "tuned on the test rows"], name="threshold"),
    )
    return LabelModel(
        name,
        pd.DataFrame(values, columns=measures),
        floor=floor,
        held_out=draw(st.one_of(st.just(float("nan")), shares)),
        verdict=draw(
            st.sampled_from(["both", "label-wise", "instance-wise", "neither"])
        ),
        labels=labels,
        thresholds=draw(st.sampled_from([ways, pd.DataFrame()])),
        tie_share=draw(shares),
        two_valued=draw(st.booleans()),
    )


@st.composite
def multilabel_results(draw):
    """One to three models with three floors, with and without decisions."""
    measures = list(LABEL_MEASURES)
    if draw(st.booleans()):
        measures = [m for m in measures if "f1" not in m and m != "hamming_loss"]
    count = draw(st.integers(1, 3))
    models = [draw(label_models(f"model-{n}", measures)) for n in range(count)]
    floors = [
        draw(label_models(name, measures, floor=True))
        for name in ("popularity", "every label", "no label")
    ]
    gain = [draw(scores) for _ in range(draw(st.sampled_from([1, 20])))]
    tuned = {"honest": draw(scores), "tuned": draw(scores), "draws": gain}
    return MultiLabelResult(
        tuple(models),
        tuple(floors),
        draw(st.sampled_from([0, 100])),
        draw(st.integers(1, 100)),
        2,
        failed=draw(st.sampled_from([{}, {"limo": "no instance has both"}])),
        notes=draw(st.sampled_from([(), ("1 label has no positive",)])),
        conditions="made up.",
        tuned=draw(st.sampled_from([{}, tuned])),
    )


def multilabel_looks():
    return multilabel_results().map(lambda found: multilabel_page.look(found, ABOUT))


@st.composite
def _ends(draw, name="value", low=0.0, high=1.0):
    """Draw a number with its interval, or without one."""
    ends = ("low", "high") if name in ("value", "loss") else ()
    ends = ends or (f"{name}_low", f"{name}_high")
    three = sorted(draw(st.tuples(*[st.floats(low, high)] * 3)))
    known = draw(st.booleans())
    return {
        name: three[1],
        ends[0]: three[0] if known else None,
        ends[1]: three[2] if known else None,
    }


@st.composite
def shift_results(draw):
    models = draw(st.sampled_from([["lightgbm"], ["ridge", "k-nn"]]))
    asked = draw(st.sampled_from([[], [["a"]], [["a", "b"], ["c"]]]))
    losses = [
        {
            "outage": "without " + " and ".join(gone),
            "kind": "vanish",
            "columns": gone,
            "model": model,
            "imputer": how,
            "all": draw(scores),
            **draw(_ends("after")),
            **draw(_ends("loss", -1.0, 1.0)),
            **draw(_ends("refitted")),
            **draw(_ends("gain", -1.0, 1.0)),
            "by": model,
            "corrected_for": draw(st.sampled_from([1, 2])),
            "better": models[-1],
            "again": draw(st.booleans()),
            "rivals": draw(st.sampled_from([[], [m for m in models if m != model]])),
            "chosen": how == "mean",
            "oracle": how == "median",
            "advice": draw(st.sampled_from(["fill", "refit", "change", "open"])),
        }
        for gone in asked
        for model in models
        for how in ("mean", "median")
    ]
    pairs = [("", *models)] if len(models) > 1 else []
    if pairs:
        pairs += [("without " + " and ".join(gone), *models) for gone in asked]
    pairs += [(f"{r['outage']}: {r['model']}", "mean", "median") for r in losses]
    compared = [
        {
            "what": what,
            "left": left,
            "right": right,
            "difference": 0.0,
            **draw(
                st.sampled_from(
                    [
                        {"low": -0.1, "high": 0.1},
                        {"low": 0.01, "high": 0.2, "difference": 0.1},
                        {"low": None, "high": None},
                    ]
                )
            ),
            "corrected_for": 3,
        }
        for what, left, right in pairs
    ]
    columns = [
        {"model": m, "column": c, **draw(_ends("after")),
         **draw(_ends("loss", -0.9, 1.0)), "sure_low": None}
        for m in models for c in "abc"
    ]  # fmt: skip
    for row in columns:
        # The corrected interval is the wider one.
        if row["low"] is not None:
            near = min(row["low"], -0.0027)
            row["sure_low"] = draw(st.sampled_from([row["low"] - 0.01, near]))
    decay = [{"model": m, "k": k, **draw(_ends())} for m in models for k in range(4)]
    # A measure of amounts has the target's own unit.
    scale = draw(st.sampled_from([1.0, 1.0, 1e-5, 40_000.0, 6e8]))

    def scaled(rows):
        return pd.DataFrame(
            [
                {k: x * scale if isinstance(x, float) else x for k, x in row.items()}
                for row in rows
            ]
        )

    return ShiftResult(
        measure="auc" if scale == 1 else "rmse",
        floor=scale * draw(st.sampled_from([0.5, 0.9])),
        tolerance=0.01 * scale,
        deployed=models[0],
        models=scaled([{"model": m, **draw(_ends())} for m in models]),
        losses=scaled(losses),
        columns=scaled(draw(st.sampled_from([columns, []]))),
        decay=scaled(decay),
        comparisons=scaled(compared),
        values=pd.DataFrame(),
        pairs=pd.DataFrame(),
        monitors=pd.DataFrame(),
        curves=pd.DataFrame(),
        clusters=draw(
            st.none() | _ends().map(lambda one: tuple(scaled([one]).iloc[0]))
        ),
        over_clusters=draw(
            st.none()
            | _ends("loss", -1.0, 1.0).map(lambda one: tuple(scaled([one]).iloc[0]))
        ),
        backup=draw(st.sampled_from([None, (), ("a", "b")])),
        protect=0.02 * scale,
        splits=draw(st.sampled_from([1, 5])),
        test_rows=30,
        training_rows=90,
        rows=draw(st.sampled_from([1, 100])),
        conditions="5 splits.",
        notes=("ridge, native: left out",),
    )


def shift_looks():
    return st.builds(lambda found: shift_page.look(found, ABOUT), shift_results())


@st.composite
def bags_results(draw):
    """Up to three learners and five divisions; one may lack a value."""
    repeats, count = draw(st.integers(1, 5)), draw(st.integers(0, 3))
    names = ["em-lr", "mm", "lmm"][:count]

    def row(**more):
        return {**more, **{name: draw(scores) for name in MEASURES}}

    rules = (ORACLE, RULE, "full-bag-kfold")
    found = [
        row(repeat=k, learner=name, rule=rule, criterion=draw(shares), params={"C": 1})
        for k in range(repeats)
        for name in names
        for rule in rules
    ]
    floors = [row(repeat=k, floor=name) for k in range(repeats) for name in FLOORS]
    tests = {"test": "T1", "question": "label and bag", "p_value": draw(shares)}
    decision = draw(st.sampled_from(["dependent", "independent"]))
    return BagsResult(
        by="town",
        classes=("no", "yes"),
        rows=100,
        n_groups=4,
        spread=draw(shares),
        separation=1.1,
        smallest=10,
        mean_size=25.0,
        largest=40,
        variant=draw(st.sampled_from(["naive", "simple", "hard", "other"])),
        variant_sentence="Nothing matches.",
        looked_at=100,
        tests=pd.DataFrame([{**tests, "decision": decision, "seen": draw(shares)}]),
        groups=pd.DataFrame({"group": ["a"], "rows": [9], "no": [0.4], "yes": [0.6]}),
        scores=pd.DataFrame(found, columns=SCORE_COLUMNS),
        floors=pd.DataFrame(floors),
        ceiling=pd.DataFrame([row(repeat=k) for k in range(repeats)]),
        smaller=draw(st.integers(1, 50)),
        planned=3,
        notes=draw(st.sampled_from([(), ("one group was small",)])),
    )


@st.composite
def shares_results(draw):
    low, high = sorted(draw(st.tuples(scores, scores)))
    constant, majority = sorted(draw(st.tuples(shares, shares)))
    effect = st.floats(-1, 1)
    bottom, top = sorted(draw(st.tuples(effect, effect)))
    effects = {"column": "age", "contrast": "above 3", "class": "yes"}
    effects |= {"learner": draw(effect), "simple": draw(effect), "low": bottom}
    effects |= {"intermediate": draw(effect), "high": top}
    effects |= {"simple_error": draw(shares), "intermediate_error": draw(shares)}
    right, n = draw(shares), draw(st.integers(2, 50))
    ways = [
        {"way": way, "right": round(right * n) / n, "n": n, "more": 0.0}
        for way in ("shares alone", "labels alone")
    ]
    bar = draw(st.integers(0, n)) / n
    gap = ways[0]["right"] - bar
    labelled = pd.DataFrame(ways).assign(low=-0.1, high=0.1, majority=bar)
    labelled = labelled.assign(
        majority_more=gap,
        majority_low=max(gap - 0.1, -1.0),
        majority_high=min(gap + 0.1, 1.0),
    )
    margin = draw(st.sampled_from([0.0, 0.05]))
    return SharesResult(
        by="town",
        classes=("no", "yes"),
        rows=100,
        n_groups=draw(st.integers(2, 9)),
        learner="em-lr",
        params={"C": 1.0},
        rule=RULE,
        criterion=0.2,
        low=low,
        high=high,
        constant=constant,
        constant_low=max(constant - margin, 0.0),
        constant_high=min(constant + margin, 1.0),
        majority=majority,
        majority_low=max(majority - margin, 0.0),
        majority_high=min(majority + margin, 1.0),
        changed=draw(shares),
        spread=draw(shares),
        uncertain=margin > 0,
        groups=pd.DataFrame(
            {"group": ["a"], "rows": [9], "yes": [0.6], "yes, answered": [0.5]}
        ),
        criteria=pd.DataFrame(
            {"learner": ["em-lr"], "params": [{"C": 1.0}], "criterion": [0.2]}
        ),
        effects=pd.DataFrame([effects]),
        labelled=draw(st.sampled_from([pd.DataFrame(), labelled])),
        notes=draw(st.sampled_from([(), ("one learner was left out",)])),
    )


def bags_looks():
    return bags_results().map(lambda found: bags_page.look(found, ABOUT))


def shares_looks():
    return shares_results().map(lambda found: shares_page.look(found, ABOUT))


_PLACE = Path(__file__).parents[1] / "synthetic_records.py"
_SPEC = importlib.util.spec_from_file_location("synthetic_records", _PLACE)
synthetic = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(synthetic)

tied = st.sampled_from([{"a": 0.8, "b": 0.8}, {"a": 0.99, "b": 0.98, "c": 0.5}])
apart = st.sampled_from([{"a": 0.9, "b": 0.6}, {"alone": 0.7}, {"a": 1.0, "b": 1.0}])
free = st.sampled_from([{"a": 0.9, "dummy": 0.5}, {"a": 0.8, "b": 0.79, "dummy": 0.8}])
few_worlds = st.sampled_from([({},), ({"variant": "easy"}, {"variant": "hard"})])


@st.composite
def report_looks(draw):
    """Reports on studies that never ran: tied, one split, failed, running, bounded."""
    torn = draw(st.sampled_from(["", "", "failed", "running"]))
    data = draw(st.sampled_from([1, 1, 2, 7]))
    fixed = {
        "learners": draw(st.one_of(tied, apart, free)),
        "datasets": [f"data-{n}" for n in range(data)],
        "worlds": draw(few_worlds),
        "repeats": draw(st.sampled_from([1, 2, 4])),
        "rules": draw(st.sampled_from([{}, {"good": 0.0}, {"good": 0.0, "bad": 0.5}])),
        "configurations": draw(st.sampled_from([1, 3])),
        "measures": draw(st.sampled_from([("auc",), ("auc", "f1")])),
        "baseline": draw(st.sampled_from([None, 0.5, 0.85, 0.999])),
        "noise": draw(st.sampled_from([0.0, 0.01, 0.1])),
        "seed": draw(st.integers(0, 9)),
    }
    records = synthetic.make_records(
        **fixed,
        fail=lambda trial: (
            ("oom", "", "4 GB")
            if torn == "failed" and trial["learner"] == "b"
            else None
        ),
        state=lambda trial: (
            "pending" if torn == "running" and trial["repeat"] else None
        ),
    )
    measured = [name for name in records.rows.columns if name.startswith("test.")]
    records.rows[measured] = records.rows[measured].clip(0, 1)
    return build_page(records).chapters[0]


@st.composite
def known_scores(draw, low=0.0, high=1.0, measure="AUC"):
    """A value with or without an interval, at the ends too."""
    ends = sorted(draw(st.tuples(*[st.floats(low, high)] * 3)))
    if draw(st.integers(0, 4)) == 0:
        return Estimate(ends[1], measure)
    return Estimate(ends[1], measure, ends[0], ends[2], "10 folds", 10)


known_changes = known_scores(-1.0, 1.0, "")


@st.composite
def audit_rungs(draw, remedy):
    def change(model):
        return Change(
            model, draw(known_scores()), draw(known_scores()), draw(known_changes)
        )

    first = remedy == "stands"
    return Rung(
        remedy,
        () if remedy in ("stands", "copies") else ("a",),
        draw(known_scores()),
        None if first else change("the chosen model"),
        None if first else draw(st.sampled_from([None, change("LightGBM")])),
    )


@st.composite
def scan_findings(draw, kind):
    number, ends = draw(shares), (None, None)
    sentence = f"Column 'a' shows a {kind}: {number:.3f}."
    if draw(st.booleans()):
        ends = (number / 2, (1 + number) / 2)
        sentence = sentence[:-1] + f" ({Estimate(number, '', *ends).interval})."
    return Finding(
        kind,
        draw(st.sampled_from(["serious", "careful", "note"])),
        sentence,
        "Mend it.",
        ("a",) if draw(st.booleans()) else (),
        (3, 1),
        number,
        *ends,
        measure="auc",
        size=draw(shares),
    )


@st.composite
def audit_results(draw):
    """Ladders of one to five steps, half finished, below chance, with any finding."""
    remedies = ["stands", "leak", "group", "copies", "time"]
    count = draw(st.integers(0, 5))
    kinds = draw(st.lists(st.sampled_from(KINDS), unique=True, max_size=4))
    ways = [
        Way("column", "a", draw(known_scores())),
        Way("clusters", "", draw(known_scores())),
    ]
    few = ("k-nn", "n", "o")
    more_or_less = known_changes.map(lambda one: {"accuracy": one})
    models = [
        AuditModel(
            name,
            name,
            draw(known_scores()),
            draw(known_changes) if n else None,
            {"accuracy": draw(scores)},
            over_constant=draw(st.just({}) | more_or_less),
        )
        for n, name in enumerate(draw(st.sampled_from([(), ("k-nn",), few])))
    ]
    gone = Vanished(
        "a", "m", draw(known_scores()), draw(known_scores()), draw(known_changes)
    )
    return AuditResult(
        measure="AUC",
        sign=1,
        chance=0.5,
        task="binary",
        columns=pd.DataFrame(
            {
                "column": ["a", "b"],
                "kind": "number",
                "alone": [draw(scores), 0.5],
                "low": 0.4,
                "high": 0.6,
                "null_high": 0.55,
                "measure": "auc",
                "note": "",
            }
        ),
        classes=pd.DataFrame({"label": ["no", "yes"], "rows": [84, 36]}),
        findings=tuple(draw(scan_findings(kind)) for kind in kinds),
        aside=draw(st.sampled_from([{}, {"b": "date"}])),
        rungs=tuple(draw(audit_rungs(remedy)) for remedy in remedies[:count]),
        models=tuple(models),
        constant={"accuracy": draw(scores)},
        floor=draw(st.sampled_from([None, Floor(tuple(ways), draw(shares), 200)])),
        vanished=draw(st.sampled_from([(), (gone,)])),
        done=draw(st.integers(0, 9)),
        ladder_open=draw(st.sampled_from([0, 0, 2])),
        planned=9,
        rows=120,
        whole_rows=draw(st.sampled_from([120, 5000])),
        sampled=draw(st.sampled_from(["", "120 rows were drawn at random"])),
    )


def audit_looks():
    return audit_results().map(lambda found: audit_page.look(found, ABOUT))


@st.composite
def candidates_results(draw):
    """Draw a crowd: of one or several people, with truth or without."""
    people, known = draw(st.integers(0, 3)), draw(st.sampled_from([0, 1, 40]))
    ends = st.tuples(shares, shares, shares).map(lambda t: tuple(sorted(t)))
    middle = ends.map(lambda t: (t[1], t[0], t[2]))
    unknown = (np.nan, np.nan, np.nan)
    low, value, high = sorted(draw(st.tuples(*[st.floats(-1, 1)] * 3)))
    names = ["majority-vote", "pooled", "joint"]
    methods = pd.DataFrame(
        [
            (name, draw(shares), draw(shares), *draw(middle), "")
            for name in ["most frequent label", *names]
        ],
        columns=[
            *("name", "agreement", "information", "accuracy"),
            *("low", "high", "summary"),
        ],
    )
    flags = st.sampled_from(["", "spammer", "adversary", "undecided"])
    who = pd.DataFrame(
        [(f"p{n}", 9, *draw(middle), draw(flags)) for n in range(people)],
        columns=["annotator", "answers", "accuracy", "low", "high", "flag"],
    )
    gain = draw(st.one_of(st.just((value, low, high)), st.just((0.0, 0.0, 0.0))))
    curve = pd.DataFrame(
        [
            (n + 1, *draw(middle), n == 2, *(gain if n == 2 else unknown))
            for n in range(3)
        ],
        columns=CURVE,
    )
    confused = pd.DataFrame(
        [("a", "b", *draw(middle), "p0", draw(shares))],
        columns=["true", "named", "share", "low", "high", "most_by", "their_share"],
    )
    return CandidatesResult(
        items=50,
        annotators=people,
        answers=120,
        classes=("a", "b"),
        vague=1.2,
        people_known=people > 0,
        chosen=draw(st.sampled_from(names)),
        rule="the rule “pooled, unless the vote predicts better”",
        known=known,
        accuracy=draw(st.one_of(middle, st.just((draw(shares), np.nan, np.nan)))),
        difference=(value, low, high) if known else unknown,
        regret=draw(middle) if known > 1 else unknown,
        constant=(draw(shares), np.nan, np.nan),
        alpha=draw(st.sampled_from([(value, low, high), unknown])),
        unsure=draw(st.sampled_from([0, 1, 3, 30])),
        unanswered=draw(st.sampled_from([0, 1, 2])),
        ambiguous=draw(st.sampled_from([0, 4])),
        calibration=draw(shares) if known else np.nan,
        luck=draw(shares) if known else np.nan,
        methods=methods,
        people=who,
        kappas=pd.DataFrame(
            [("p0", "p1", 9, value, low, high)],
            columns=["one", "other", "items", "kappa", "low", "high"],
        ),
        confusions=confused.head(draw(st.integers(0, 1))),
        curve=draw(st.sampled_from([curve, curve[:0]])),
        sizes=pd.DataFrame({"labels": [1], "answers": [120], "share": [1.0]}),
        suggestions=pd.DataFrame(
            [("1", "a", 0.9, "pooled", "a")],
            columns=["item", "label", "probability", "source", "vote"],
        ),
        ask_again=pd.DataFrame(
            [("1", 0.2, "people disagree")], columns=["item", "gain", "reason"]
        ),
        unnamed=draw(st.integers(0, known)),
        conditions="3 methods.",
        notes=("column 'file' is no feature: identifier",),
        ahead=draw(st.sampled_from([(value, low, high), (0.0, 0.0, 0.0), unknown])),
        label_columns=draw(st.sampled_from([(), ("kind",), ("kind", "sort")])),
    )


def candidates_looks():
    return st.builds(
        lambda found: candidates_page.look(found, ABOUT), candidates_results()
    )


TOPICS = {
    "audit": audit_looks(),
    "report": report_looks(),
    "candidates": candidates_looks(),
    "eapp": eapp_looks(),
    "multilabel": multilabel_looks(),
    "shift": shift_looks(),
}
RESULTS = {
    "audit": audit_results(),
    "candidates": candidates_results(),
    "eapp": eapp_results(),
    "multilabel": multilabel_results(),
    "shift": shift_results(),
}
TOPICS |= {"bags": bags_looks(), "bags-shares": shares_looks()}
RESULTS |= {"bags": bags_results(), "bags-shares": shares_results()}
