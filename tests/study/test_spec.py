import pytest
from hypothesis import strategies as st

from caveat.exceptions import CaveatError, InvalidInput
from caveat.study import load_study, plan
from caveat.study.files._spec import parse_bytes

GOOD = """\
study: small
topic: fake
datasets: [iris]
scenario:
  size: [1, 2]
learners:
  - fake
  - {name: other, factor: [0.5, 1]}
repeats: 3
"""


def write(tmp_path, text):
    path = tmp_path / "small.yaml"
    path.write_text(text)
    return path


def test_a_good_file_is_read(tmp_path):
    study = load_study(write(tmp_path, GOOD))
    assert study.study == "small"
    assert len(study.all_repeats) == 3


@pytest.mark.parametrize(
    ("written", "seconds", "is_ours"),
    [
        ("", 3600.0, True),
        ("budget: {trial-minutes: 60}", 3600.0, False),
        ("budget: {trial-minutes: 0.5}", 30.0, False),
        ("budget: {trial-minutes: null}", None, False),
    ],
)
def test_a_trial_has_an_hour_unless_the_study_says_otherwise(
    tmp_path, written, seconds, is_ours
):
    budget = load_study(write(tmp_path, GOOD + written)).budget
    assert budget.seconds == seconds
    assert budget.is_default_time is is_ours


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("datasets:", "datsets:"), ["line 3", "'datsets'", "'datasets'"]),
        (("topic: fake", "topic: fkae"), ["line 2", "'fkae'", "'fake'"]),
        (("- fake\n", "- fkae\n"), ["line 7", "no learner", "'fkae'", "'fake'"]),
        (("factor", "fcator"), ["line 8", "no parameter 'fcator'", "'factor'"]),
        (("- fake\n", "- {name: other, factor: [2]}\n"), ["line 8", "listed twice"]),
        (("iris", "irsi"), ["line 3", "'irsi'", "'iris'"]),
        (("size: [1, 2]", "sise: [1, 2]"), ["line 4", "'sise'", "'size'"]),
        (("repeats: 3", "repeats: three"), ["line 9", "repeats", "'three'"]),
        (("repeats: 3", "repeats: 0"), ["line 9", "repeats", "0"]),
        (("repeats: 3", "repeats: true"), ["line 9", "repeats"]),
        (("repeats: 3", "seeds: [1, -1]"), ["line 9", "-1"]),
        (("repeats: 3", "seeds: [1]\nrepeats: 2"), ["line 9", "2", "1"]),
        (("repeats: 3", "seeds: [1, 1, 1]"), ["line 9", "1 stands 3 times", "copies"]),
        (("repeats: 3", "'[x]': 1"), ["line 9", "no key is called '[x]'"]),
        (("repeats: 3", "search: {'[grid]': 1}"), ["line 9", "'[grid]'", "'grid'"]),
        (("repeats: 3", "then: {'a[0]': {}}"), ["line 9", "'a[0]'"]),
        (("repeats: 3", "measures: [scroe]"), ["line 9", "'scroe'", "'score'"]),
        (("repeats: 3", "selection: [oracle]"), ["line 9", "'oracle'"]),
        (("repeats: 3", "protocol: othr"), ["line 9", "'othr'", "'other'"]),
        (("repeats: 3", "then: {shfit: {}}"), ["line 9", "'shfit'", "'shift'"]),
        (("repeats: 3", "budget: {trial-minute: 1}"), ["line 9", "'trial-minutes'"]),
        (("repeats: 3", "budget: {trial-memory: lots}"), ["line 9", "'lots'"]),
        (("study: small\n", ""), ["'study' is missing"]),
        (("study: small", "study: ../../x"), ["line 1", "study"]),
        (("- fake\n", "- {nam: fake}\n"), ["line 7", "no name"]),
        (("[0.5, 1]", "[]"), ["line 8", "empty"]),
        (("learners:\n  - fake", "learners: 5\nx:\n  - fake"), ["learners"]),
    ],
)
def test_a_mistake_gives_file_line_and_nearest_name(tmp_path, change, words):
    with pytest.raises(CaveatError) as caught:
        load_study(write(tmp_path, GOOD.replace(*change)))
    message = str(caught.value)
    assert "small.yaml" in message
    assert "\n" not in message
    assert [word for word in words if word not in message] == []


def test_all_mistakes_are_told_at_once(tmp_path):
    text = GOOD.replace("datasets:", "datsets:").replace("- fake", "- fkae")
    text = text.replace("repeats: 3", "repeats: x\nmeasures: [scroe, score]")
    with pytest.raises(InvalidInput) as caught:
        load_study(write(tmp_path, text))
    assert str(caught.value) == (
        "small.yaml has 4 mistakes: "
        "(1) line 3: no key is called 'datsets'; did you mean 'datasets'? "
        "(2) line 7: no learner is called 'fkae'; did you mean 'fake'? "
        "(3) line 9: repeats: input should be a valid integer (found 'x') "
        "(4) line 10: no measure is called 'scroe'; did you mean 'score'?"
    )


def test_what_follows_from_a_mistake_is_not_told(tmp_path):
    text = "study: small\ntopic: fake\ndatasets: [iris]\nlearners: 5\n"
    with pytest.raises(InvalidInput) as caught:
        load_study(write(tmp_path, text))
    assert "mistakes" not in str(caught.value)
    assert "line 4: learners" in str(caught.value)


@pytest.mark.parametrize(
    ("topic", "learner", "words"),
    [
        (
            "supervised",
            "{name: logistic-regression, C: fast}",
            "C is 'fast'; write a number",
        ),
        ("supervised", "{name: logistic-regression, C: [1, fast]}", "C is 'fast'"),
        ("supervised", "{name: k-nn, n_neighbors: 2.5}", "2.5; write a whole number"),
        ("supervised", "{name: k-nn, n_neighbors: true}", "True; write a whole number"),
        ("supervised", "{name: random-forest, max_depth: deep}", "number or null"),
        ("bags", "{name: mm, fit_intercept: 1}", "1; write true or false"),
        ("multilabel", "{name: ml-knn, k: many}", "k is 'many'"),
    ],
)
def test_a_value_of_another_type_is_refused_before_anything_runs(
    tmp_path, topic, learner, words
):
    text = f"study: s\ntopic: {topic}\ndatasets: [iris]\nlearners:\n  - {learner}\n"
    with pytest.raises(InvalidInput, match="line 5") as caught:
        load_study(write(tmp_path, text))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "learner",
    [
        {"name": "random-forest", "max_features": "sqrt", "max_depth": None},
        {"name": "logistic-regression", "C": [1, 0.5], "max_iter": 10},
        {"name": "mlp", "hidden": [[8], [8, 8]]},
    ],
)
def test_values_that_fit_are_taken(learner):
    study = {"study": "s", "topic": "supervised", "datasets": ["iris"]}
    assert load_study({**study, "learners": [learner]}).learners == [learner]


def test_a_registered_study_is_found_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load_study("demo").topic == "supervised"
    (tmp_path / "demo").mkdir()
    assert load_study("demo").topic == "supervised"


def test_a_study_that_is_no_mapping_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="mapping"):
        load_study(write(tmp_path, "- a\n- b\n"))


def test_data_files_are_read_from_beside_the_study(tmp_path):
    (tmp_path / "loans.csv").write_text("a,b\n1,x\n2,y\n3,x\n4,y\n")
    text = GOOD.replace("[iris]", "[{file: loans.csv, target: b}]")
    study = load_study(write(tmp_path, text))
    assert study.datasets[0]["file"] == str(tmp_path / "loans.csv")


@pytest.mark.parametrize("size", ["", "-1GB", "4XB", "GB", "nan", "0"])
def test_a_memory_size_that_is_none_is_refused(size):
    with pytest.raises(InvalidInput, match="memory size"):
        parse_bytes(size)


KEYS = ["study", "topic", "datasets", "scenario", "learners", "repeats", "seeds"]
MORE_KEYS = ["measures", "selection", "protocol", "search", "then", "budget", "basline"]
words = st.sampled_from(["fake", "iris", "other", "size", "1e-3", "..", "", "no", "😀"])
values = st.recursive(
    words | st.none() | st.booleans() | st.integers() | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3)
    ),
    max_leaves=4,
)


@pytest.mark.thorough
def test_any_study_is_planned_or_refused_in_one_sentence(holds):
    change = st.dictionaries(st.sampled_from(KEYS + MORE_KEYS), values, max_size=2)
    holds(planned_or_refused, change)


def planned_or_refused(change):
    good = {"study": "small", "topic": "fake", "datasets": ["iris"]}
    try:
        trials = plan({**good, "learners": ["fake"], **change})
    except CaveatError:
        return
    assert len({trial.key for trial in trials}) == len(trials)
