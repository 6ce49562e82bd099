from types import MappingProxyType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.exceptions import CaveatError, InvalidInput, UnknownName
from caveat.statistics import SelectionTable, criterion_agreement, regret, select
from caveat.statistics.selection._rules import resolve_measure

few = settings(max_examples=20, deadline=None)

GLOSSARY = {
    ("measure", "test.f1"): {"direction": "max"},
    ("measure", "test.loss"): {"direction": "min"},
    ("criterion", "criterion.cover"): {"direction": "max"},
    ("criterion", "criterion.error"): {"direction": "min"},
    ("rule", "cover"): {"column": "criterion.cover", "checkpoint": "best"},
    ("rule", "cover-last"): {"column": "criterion.cover", "checkpoint": "last"},
    ("rule", "error"): {"column": "criterion.error", "checkpoint": "best"},
    ("rule", "oracle"): {
        "column": "oracle.f1",
        "checkpoint": "last",
        "oracle": True,
    },
}


def one_group(**columns):
    return pd.DataFrame({"group": "g", **columns})


def make_records(tables, *, size=None, states=None, reasons=None, repeat=0):
    """One trial per configuration; `tables` maps a group to its rows."""
    trials, rows = [], []
    states, reasons = states or {}, reasons or {}
    for number, (group, table) in enumerate(tables.items()):
        learner = {
            "study": "s", "topic": "t", "dataset": "d", "world": "",
            "learner": f"l{number}", "protocol": "p", "repeat": repeat,
        }  # fmt: skip
        held = (size or {}).get(group, table["config"].nunique())
        for config in range(held):
            key = f"{group}-{config}"
            present = (table["config"] == config).any()
            trials.append(
                {
                    "key": key,
                    "group": group,
                    **learner,
                    "state": states.get(key, "done" if present else "pending"),
                    "reason": reasons.get(key, ""),
                    "configurations": 1,
                    "group_size": held,
                    "baseline": False,
                }
            )
        rows.append(
            table.assign(
                group=group,
                key=[f"{group}-{c}" for c in table["config"]],
                params=[f'{{"c":{c}}}' for c in table["config"]],
                **{k: v for k, v in learner.items() if k != "protocol"},
            )
        )
    return SimpleNamespace(
        trials=pd.DataFrame(trials),
        rows=pd.concat(rows, ignore_index=True),
        glossary=GLOSSARY,
    )


def chosen(records, rule, **options):
    row = select(records, rule, **options).iloc[0]
    return row["config"], row["checkpoint"]


TWO_BY_TWO = one_group(
    **{
        "config": [0, 0, 1, 1],
        "checkpoint": [10, 20, 10, 20],
        "criterion.cover": [0.5, 0.9, 0.8, 0.7],
        "criterion.error": [0.5, 0.4, 0.1, 0.3],
        "oracle.f1": [0.1, 0.2, 0.9, 0.8],
        "test.f1": [0.6, 0.5, 0.7, 0.8],
        "test.loss": [0.4, 0.5, 0.3, 0.2],
    }
)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("cover", (0, 20)),
        ("criterion.cover", (0, 20)),
        ("cover-last", (0, 20)),
        ("error", (1, 10)),
        ("criterion.error", (1, 10)),
        ("oracle", (1, 20)),
        ("test.f1", (1, 20)),
        ("test.loss", (1, 20)),
    ],
)
def test_a_rule_chooses_by_its_column_direction_and_checkpoint(rule, expected):
    assert chosen(make_records({"g": TWO_BY_TWO}), rule) == expected


def test_the_result_has_the_columns_of_the_contract():
    found = select(make_records({"g": TWO_BY_TWO}), "cover", measure="f1")
    assert list(found.columns) == [
        *["group", "study", "topic", "dataset", "world", "learner", "settings"],
        *["protocol", "baseline", "repeat", "config", "params", "checkpoint"],
        *["complete", "missing", "failed", "undefined", "reason", "value"],
        *["criterion.cover", "criterion.error", "oracle.f1", "test.f1", "test.loss"],
    ]
    row = found.iloc[0]
    assert (row["params"], row["value"], row["complete"]) == ('{"c":0}', 0.5, True)
    assert (row["missing"], row["failed"], row["reason"]) == (0, 0, "")


def test_ties_go_to_the_earliest_checkpoint_of_the_smallest_configuration():
    table = one_group(
        **{
            "config": [2, 1, 1, 2, 1],
            "checkpoint": [10, 30, 20, 20, 10],
            "criterion.x": [0.7, 0.7, 0.7, 0.7, 0.1],
        }
    )
    assert chosen(table, "criterion.x", direction="max") == (1, 20)


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(0)
    table = one_group(
        config=np.repeat(range(5), 4),
        checkpoint=np.tile(range(4), 5),
        **{"criterion.x": rng.integers(0, 3, 20) / 2},
    )
    found = {
        chosen(table.sample(frac=1, random_state=seed), "criterion.x", direction="max")
        for seed in range(8)
    }
    assert len(found) == 1


@pytest.mark.parametrize("nothing", [None, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("direction", ["max", "min"])
def test_a_criterion_that_is_no_number_is_never_chosen(nothing, direction):
    table = one_group(**{"config": [0, 1, 2], "criterion.x": [nothing, 0.5, nothing]})
    found = select(table, "criterion.x", direction=direction).iloc[0]
    assert (found["config"], found["undefined"]) == (1, 2)
    assert found["complete"]


def test_the_last_checkpoint_counts_even_if_its_criterion_is_undefined():
    table = one_group(
        **{
            "config": [0, 0, 1],
            "checkpoint": [10, 20, 10],
            "criterion.cover": [0.9, None, 0.1],
        }
    )
    records = make_records({"g": table})
    assert chosen(records, "cover-last") == (1, 10)
    assert chosen(records, "cover") == (0, 10)


def test_rows_without_checkpoints_are_their_own_last_ones():
    table = one_group(
        **{"config": [0, 1], "checkpoint": [None, None], "criterion.cover": [0.1, 0.2]}
    )
    found = select(make_records({"g": table}), "cover-last").iloc[0]
    assert (found["config"], found["checkpoint"] is pd.NA) == (1, True)


def test_a_group_without_a_usable_row_stays_and_says_why():
    dead = TWO_BY_TWO.assign(**{"criterion.cover": None})
    found = select(make_records({"g": TWO_BY_TWO, "h": dead}), "cover", measure="f1")
    row = found.set_index("group").loc["h"]
    assert row["reason"] == "criterion.cover is not defined in any row"
    assert row["config"] is pd.NA
    assert np.isnan(row["value"])
    assert np.isnan(row["test.f1"])
    assert (row["complete"], row["undefined"]) == (True, 2)


def test_one_configuration_is_enough_to_be_chosen_or_to_say_why_not():
    single = TWO_BY_TWO.iloc[:1]
    dead = single.assign(**{"criterion.cover": None})
    found = select(make_records({"g": single, "h": dead}), "cover", measure="f1")
    reasons = found.set_index("group")["reason"].to_dict()
    assert reasons == {"g": "", "h": "criterion.cover is not defined in any row"}


def test_failed_and_missing_configurations_make_a_group_incomplete():
    records = make_records(
        {"g": TWO_BY_TWO},
        size={"g": 5},
        states={"g-2": "timeout", "g-3": "failed"},
        reasons={"g-3": "non-finite"},
    )
    row = select(records, "cover").iloc[0]
    assert (row["complete"], row["failed"], row["missing"]) == (False, 2, 1)
    assert row["config"] == 0
    assert row["reason"] == (
        "2 of 5 configurations failed (non-finite: 1, timeout: 1); "
        "1 of 5 configurations without a result yet"
    )


def test_a_group_whose_trials_all_failed_is_there_with_its_reason():
    records = make_records(
        {"g": TWO_BY_TWO, "h": TWO_BY_TWO.iloc[:0]},
        size={"h": 2},
        states={"h-0": "oom", "h-1": "oom"},
    )
    row = select(records, "cover").set_index("group").loc["h"]
    assert (row["complete"], row["failed"]) == (False, 2)
    assert row["reason"] == "2 of 2 configurations failed (oom: 2)"


def test_rows_of_trials_that_are_not_done_take_no_part():
    records = make_records({"g": TWO_BY_TWO}, states={"g-0": "failed"})
    row = select(records, "cover").iloc[0]
    assert (row["config"], row["failed"], row["complete"]) == (1, 1, False)


def test_a_configuration_that_a_finished_trial_left_out_has_failed():
    records = make_records({"g": TWO_BY_TWO})
    records.trials = records.trials.iloc[[0]].assign(configurations=3, group_size=3)
    records.rows = records.rows.assign(key=records.trials["key"].iloc[0])
    row = select(records, "cover").iloc[0]
    assert (row["missing"], row["failed"], row["complete"]) == (0, 1, False)
    assert row["reason"] == "1 of 3 configurations failed (in finished trials: 1)"


def test_trials_of_many_configurations_are_counted_by_configuration():
    records = make_records({"g": TWO_BY_TWO})
    records.trials = pd.concat(
        [
            records.trials,
            records.trials.iloc[[0]].assign(
                key="late", state="running", configurations=3
            ),
        ]
    ).assign(group_size=5)
    row = select(records, "cover").iloc[0]
    assert (row["missing"], row["failed"], row["complete"]) == (3, 0, False)


def test_rows_without_a_trial_are_not_dropped():
    records = make_records({"g": TWO_BY_TWO, "h": TWO_BY_TWO})
    records.trials = records.trials[records.trials["group"] == "g"]
    assert select(records, "cover")["group"].tolist() == ["g", "h"]


def test_an_empty_ledger_gives_an_empty_table():
    records = make_records({"g": TWO_BY_TWO})
    records.trials, records.rows = records.trials.iloc[:0], records.rows.iloc[:0]
    assert select(records, "cover", measure="f1").empty
    assert regret(records, "cover", measure="f1").empty
    assert criterion_agreement(records, "cover", "f1").empty


def test_a_ledger_of_failures_without_any_column_gives_reasons():
    records = make_records({"g": TWO_BY_TWO}, states={"g-0": "oom", "g-1": "oom"})
    records.rows = pd.DataFrame(columns=["key", "group", "config", "checkpoint"])
    found = select(records, "criterion.cover", measure="f1")
    assert found["reason"].tolist() == ["2 of 2 configurations failed (oom: 2)"]
    assert found["value"].isna().all()
    assert regret(records, "cover", measure="f1")["regret"].isna().all()


def test_groups_come_in_the_order_of_what_they_are():
    parts = [make_records({f"g{r}": TWO_BY_TWO}, repeat=r) for r in (10, 2, 1)]
    records = SimpleNamespace(
        trials=pd.concat([part.trials for part in parts]),
        rows=pd.concat([part.rows for part in parts]),
        glossary=GLOSSARY,
    )
    assert select(records, "cover")["repeat"].tolist() == [1, 2, 10]


def test_a_measure_that_the_chosen_row_lacks_is_told():
    table = TWO_BY_TWO.assign(**{"test.f1": [0.6, None, 0.7, 0.8]})
    records = make_records({"g": table})
    row = select(records, "cover", measure="f1").iloc[0]
    assert row["reason"] == "test.f1 is not defined in the chosen row"
    lost = regret(records, "cover", measure="f1").iloc[0]
    assert (lost["best"], np.isnan(lost["regret"])) == (0.8, True)
    assert lost["reason"] == "test.f1 is not defined in the chosen row"


def test_names_as_categories_and_numbers_as_objects_are_read():
    records = make_records({"g": TWO_BY_TWO})
    records.rows = records.rows.astype(
        {
            **dict.fromkeys(["key", "group", "learner", "params"], "category"),
            "criterion.cover": object,
            "test.f1": object,
        }
    )
    found = select(records, "cover", measure="f1").iloc[0]
    assert (found["config"], found["value"], found["params"]) == (0, 0.5, '{"c":0}')


def test_a_plain_frame_is_grouped_by_what_it_says():
    frame = TWO_BY_TWO.drop(columns="group")
    both = pd.concat([frame.assign(learner="a"), frame.assign(learner="b")])
    assert len(select(frame, "criterion.cover", direction="max")) == 1
    assert len(select(both, "criterion.cover", direction="max")) == 2
    short = select(both.assign(group_size=3), "criterion.cover", direction="max")
    assert short["missing"].tolist() == [1, 1]
    assert not short["complete"].any()


def test_a_row_without_a_configuration_number_takes_part_and_comes_last():
    frame = one_group(**{"config": [None, 3, 4], "criterion.x": [0.9, 0.9, 0.1]})
    assert select(frame, "x", direction="max")["config"].tolist() == [3]
    alone = one_group(**{"config": [None, 3], "criterion.x": [0.9, 0.1]})
    found = select(alone, "x", direction="max").iloc[0]
    assert (found["config"] is pd.NA, found["criterion.x"]) == (True, 0.9)


def test_rows_without_any_configuration_are_one_each():
    frame = pd.DataFrame({"criterion.x": [0.1, None, 0.3], "test.y": [1.0, 2.0, 3.0]})
    found = select(frame, "x", measure="y", direction="max").iloc[0]
    assert (found["value"], found["undefined"], found["complete"]) == (3.0, 1, True)


def test_a_bare_name_means_the_criterion():
    assert chosen(TWO_BY_TWO, "cover", direction="max") == (0, 20)


def test_direction_by_column_wins_over_the_glossary():
    records = make_records({"g": TWO_BY_TWO})
    assert chosen(records, "cover", direction={"criterion.cover": "min"}) == (0, 10)
    assert chosen(records, "cover", direction={"test.f1": "min"}) == (0, 20)


def test_one_learner_with_two_settings_is_two_groups_that_say_so():
    records = make_records({"g": TWO_BY_TWO, "h": TWO_BY_TWO})
    records.trials["learner"] = records.rows["learner"] = "lmm"
    records.trials["params"] = records.trials["group"].map(
        {"g": '{"gamma":1}', "h": '{"gamma":0.1}'}
    )
    found = select(records, "cover")
    assert found["settings"].tolist() == ['{"gamma":0.1}', '{"gamma":1}']


def test_nothing_that_was_passed_is_changed():
    records = make_records({"g": TWO_BY_TWO}, size={"g": 3})
    trials, rows = records.trials.copy(), records.rows.copy()
    select(records, "cover", measure="f1")
    regret(records, "cover", measure="f1")
    criterion_agreement(records, "cover", "f1")
    pd.testing.assert_frame_equal(records.trials, trials)
    pd.testing.assert_frame_equal(records.rows, rows)


def test_regret_is_what_the_rule_gave_up_in_the_direction_of_the_measure():
    records = make_records({"g": TWO_BY_TWO})
    gain = regret(records, "cover", measure="f1").iloc[0]
    assert (gain["best"], gain["chosen"]) == (0.8, 0.5)
    assert gain["regret"] == pytest.approx(0.3)
    loss = regret(records, "cover", measure="test.loss").iloc[0]
    assert (loss["best"], loss["chosen"]) == (0.2, 0.5)
    assert loss["regret"] == pytest.approx(0.3)
    assert (loss["best_config"], loss["best_checkpoint"]) == (1, 20)
    assert regret(records, "test.f1", measure="f1")["regret"].tolist() == [0.0]


def test_the_measure_that_nobody_names_is_the_only_one_or_the_studys_first():
    records = make_records({"g": TWO_BY_TWO})
    with pytest.raises(InvalidInput, match=r"'test.f1', 'test.loss'; pass measure"):
        regret(records, "cover")
    records.studies = {"s": {"measures": ["loss", "f1"]}}
    assert regret(records, "cover")["best"].tolist() == [0.2]
    alone = TWO_BY_TWO.drop(columns="test.loss")
    assert regret(make_records({"g": alone}), "cover")["best"].tolist() == [0.8]


CELLS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.integers(0, 2),
        st.sampled_from([0.0, 0.5, 1.0, None]),
        st.sampled_from([0.0, 0.5, 1.0, None]),
    ),
    min_size=1,
    max_size=12,
    unique_by=lambda cell: cell[:2],
)


def chosen_by_the_book(cells, sign, last):
    """Per configuration the checkpoint, then the configuration, in loops."""
    winners = []
    for config in sorted({cell[0] for cell in cells}):
        own = sorted(cell for cell in cells if cell[0] == config)
        pool = own[-1:] if last else own
        pool = [cell for cell in pool if cell[2] is not None]
        if pool:
            winners.append(max(pool, key=lambda cell: (sign * cell[2], -cell[1])))
    if not winners:
        return None
    return max(winners, key=lambda cell: (sign * cell[2], -cell[0]))


@pytest.mark.thorough
@few
@given(st.lists(CELLS, min_size=1, max_size=3), st.booleans(), st.booleans())
def test_selection_and_regret_equal_plain_loops(groups, last, smaller):
    names = ["config", "checkpoint", "criterion.x", "test.y"]
    rows = pd.concat(
        [
            pd.DataFrame(cells, columns=names).assign(group=f"g{i}")
            for i, cells in enumerate(groups)
        ]
    )
    direction = "min" if smaller else "max"
    sign = -1 if smaller else 1
    facts = {
        ("rule", "r"): {
            "column": "criterion.x",
            "checkpoint": "last" if last else "best",
            "direction": direction,
        },
        ("measure", "test.y"): {"direction": direction},
    }
    records = SimpleNamespace(
        trials=pd.DataFrame({"group": [f"g{i}" for i in range(len(groups))]}),
        rows=rows,
        glossary=facts,
    )
    table = SelectionTable.of(records)
    picked = select(table, "r", measure="y")
    lost = regret(table, "r", measure="y")
    for i, cells in enumerate(groups):
        expected = chosen_by_the_book(cells, sign, last)
        row = picked.iloc[i]
        found = None if row["config"] is pd.NA else (row["config"], row["checkpoint"])
        assert found == (expected and expected[:2])
        values = [cell[3] for cell in cells if cell[3] is not None]
        best = sign * max((sign * v for v in values), default=np.nan)
        value = np.nan if expected is None or expected[3] is None else expected[3]
        np.testing.assert_equal(lost.loc[i, "best"], best)
        np.testing.assert_equal(lost.loc[i, "regret"], abs(best - value))
        np.testing.assert_equal(row["value"], value)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda r: select(r, "covr"), UnknownName, "did you mean 'cover'"),
        (lambda r: select(r, "fact.epochs"), UnknownName, "no rule or column"),
        (lambda r: select(r, "cover", measure="f2"), UnknownName, "no measure"),
        (lambda r: select(r, "cover", direction="up"), InvalidInput, "direction"),
        (lambda r: select(r.rows, "criterion.cover"), InvalidInput, "nothing says"),
        (lambda r: select([1], "cover"), InvalidInput, "records are a list"),
        (
            lambda r: select(
                r.rows.assign(**{"criterion.cover": "high"}),
                "criterion.cover",
                direction="max",
            ),
            InvalidInput,
            "not a number",
        ),
        (
            lambda r: select(
                SimpleNamespace(
                    trials=r.trials.drop(columns="group"), rows=r.rows, glossary={}
                ),
                "cover",
            ),
            InvalidInput,
            "no column 'group'",
        ),
        (
            lambda r: select(
                SimpleNamespace(
                    trials=r.trials, rows=r.rows, glossary={("rule", "cover"): {}}
                ),
                "cover",
            ),
            InvalidInput,
            "names no column",
        ),
    ],
)
def test_bad_input_is_one_clear_sentence(call, error, words):
    with pytest.raises(error, match=words):
        call(make_records({"g": TWO_BY_TWO}))
    assert issubclass(error, CaveatError)


@pytest.mark.parametrize("named", ["auc", "test.auc"])
@pytest.mark.parametrize("columns", [[], ["test.auc"], ["criterion.x", "test.auc"]])
def test_a_measure_is_its_test_column_however_it_is_called(named, columns):
    for key in ("auc", "test.auc"):
        words = {("measure", key): {"direction": "max"}}
        assert resolve_measure(named, glossary=words, columns=columns) == "test.auc"


class Repeated:
    """Records of one learner on one data set, with a split for every repeat."""

    glossary = MappingProxyType({("rule", "x"): {"column": "criterion.x"}})

    def __init__(self, splits):
        keys = [f"key-{number}" for number in range(len(splits))]
        shared = {"key": keys, "group": [f"group-{key}" for key in keys]}
        shared |= {"learner": "a", "dataset": "d", "repeat": range(len(splits))}
        self.trials = pd.DataFrame({**shared, "state": "done", "params": "{}"})
        values = np.linspace(0.5, 0.9, len(splits))
        numbers = {"config": 0, "criterion.x": values, "test.f1": values}
        self.rows = pd.DataFrame({**shared, **numbers})
        self._splits = pd.DataFrame({"key": keys, "split": splits})

    def digests(self):
        return self._splits


def chosen_repeats(records):
    found = select(records, "criterion.x", measure="f1", direction="max")
    return found["repeat"].tolist()


def test_repeats_of_one_split_count_once():
    assert chosen_repeats(Repeated(["s", "s", "s", "t", "s"])) == [0, 3]
    assert SelectionTable.of(Repeated(["s", "s", "s", "t", "s"])).copies == 3


def test_repeats_of_several_or_unknown_splits_all_count():
    assert chosen_repeats(Repeated(["s", "t", "u"])) == [0, 1, 2]
    assert chosen_repeats(Repeated([None, None, "u"])) == [0, 1, 2]


def test_learners_of_one_repeat_share_its_split():
    records = Repeated(["s", "s"])
    for frame in (records.trials, records.rows):
        frame["learner"], frame["repeat"] = ["a", "b"], 0
    assert chosen_repeats(records) == [0, 0]
