"""The client of language models, against a server that is bad on purpose."""

import importlib.util
import math
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from caveat.exceptions import DataError, InvalidInput
from caveat.shift import shift_curve
from caveat.shift.language import (
    Endpoint,
    ListTemplate,
    PromptedClassifier,
    ReplyStore,
)

spec = importlib.util.spec_from_file_location(
    "fake_endpoint", Path(__file__).with_name("server.py")
)
fake = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fake)


@pytest.fixture
def serve(tmp_path, monkeypatch):
    """Start a server that acts so, and a client of it."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("CAVEAT_OFFLINE", raising=False)
    made = []

    def start(act, **settings):
        server = fake.FakeEndpoint(act)
        made.append(server)
        store = ReplyStore(tmp_path / f"replies-{len(made)}.sqlite")
        settings = {"pause": 0.0, "timeout": 2.0, "store": store, **settings}
        return server, Endpoint(server.url, "toy", **settings)

    yield start
    for server in made:
        server.close()


def test_equal_and_kept_prompts_are_asked_once(serve):
    server, client = serve(lambda prompt, attempt: fake.said(prompt.upper()))
    assert [one.text for one in client.ask(["a", "b", "a"])] == ["A", "B", "A"]
    client.ask(["b", "c"])
    assert dict(server.asked) == {"a": 1, "b": 1, "c": 1}


BAD = {
    "busy": 429,
    "broken": 500,
    "cut off": "cut",
    "no JSON": b"<html>",
    "no choices": {"choices": []},
    "no text": {"choices": [{"message": {"content": None}}]},
    "impossible": fake.said("x", {"x": 3.0}),
    "a list of tokens": {**fake.said("x"), "usage": [1]},
    "endless tokens": b'{"choices": [{"message": {"content": "x"}}],'
    b' "usage": {"prompt_tokens": 1e999}}',
    "endless brackets": b"[" * 100_000,
}


@pytest.mark.parametrize("kind", BAD)
def test_a_fault_is_asked_again_and_only_then_kept(serve, kind):
    server, client = serve(
        lambda prompt, attempt: BAD[kind] if attempt < 3 else fake.said("fine")
    )
    assert client.ask(["p"])[0].text == "fine"
    assert server.asked["p"] == 3
    assert len(client.store) == 1


def test_silence_is_a_fault_too(serve):
    def slow(prompt, attempt):
        time.sleep(1.0 if attempt == 1 else 0.0)
        return fake.said("fine")

    _, client = serve(slow, timeout=0.3)
    assert client.ask(["p"])[0].text == "fine"


def test_a_refusal_is_no_fault_and_what_was_answered_is_kept(serve):
    def act(prompt, attempt):
        return 401 if prompt == "bad" else fake.said("fine")

    server, client = serve(act, at_a_time=1)
    with pytest.raises(DataError, match="status 401 1 times"):
        client.ask(["good", "bad", "later"])
    assert server.asked == {"good": 1, "bad": 1}
    assert len(client.store) == 1


def test_pauses_double(serve):
    pauses = []
    _, client = serve(lambda *_: 503, pause=1.0, retries=4, sleep=pauses.append)
    with pytest.raises(DataError, match="status 503 5 times"):
        client.ask(["p"])
    assert pauses == [1.0, 2.0, 4.0, 8.0]


def test_a_budget_is_kept_before_the_first_call(serve):
    server, client = serve(
        lambda *_: fake.said("x"), budget_tokens=100, price=(1.0, 2.0)
    )
    with pytest.raises(InvalidInput, match="the budget is 100"):
        client.ask(["word " * 100])
    assert not server.asked
    assert client.estimate(["abcd"]) == {"prompts": 1, "tokens": 9, "cost": 17e-6}


def test_offline_means_no_call(serve, monkeypatch):
    server, client = serve(lambda *_: fake.said("x"))
    monkeypatch.setenv("CAVEAT_OFFLINE", "1")
    with pytest.raises(DataError, match="CAVEAT_OFFLINE"):
        client.ask(["p"])
    assert not server.asked


def test_the_key_is_sent_and_kept_nowhere(serve, monkeypatch):
    server, client = serve(lambda *_: fake.said("x"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    client.ask(["p"])
    assert server.headers == ["Bearer sk-very-secret"]
    assert b"very-secret" not in client.store.path.read_bytes()
    assert "very-secret" not in repr(client.__dict__)


def test_a_key_in_the_address_is_refused_and_not_repeated():
    for address in ("http://me:very-secret@host/v1", "http://host/v1?k=very-secret"):
        with pytest.raises(InvalidInput) as told:
            Endpoint(address, "toy")
        assert "very-secret" not in str(told.value)


def test_nobody_is_followed_to_another_address(serve, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    thief, _ = serve(lambda *_: fake.said("x"))
    _, client = serve(lambda *_: ("moved", thief.url))
    with pytest.raises(DataError, match="status 302"):
        client.ask(["p"])
    assert not thief.headers


def test_the_budget_is_for_all_calls(serve):
    server, client = serve(lambda *_: fake.said("x"), budget_tokens=20)
    client.ask(["abcd"])
    client.ask(["abcd", "efgh"])
    with pytest.raises(InvalidInput, match="the budget is 20"):
        client.ask(["ijkl"])
    assert sum(server.asked.values()) == 2


CHILD = """
import sys
from caveat.shift.language import Endpoint, ReplyStore
url, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
client = Endpoint(url, "toy", store=ReplyStore(path), pause=0.01, at_a_time=4)
client.ask([f"row {number}" for number in range(count)])
"""


@pytest.mark.parametrize(
    "count",
    [
        pytest.param(300, marks=pytest.mark.thorough),
        pytest.param(10_000, marks=pytest.mark.slow),
    ],
)
def test_a_killed_run_pays_again_at_most_for_what_was_in_flight(serve, tmp_path, count):
    rng = np.random.default_rng(0)
    server, _ = serve(lambda *_: 500 if rng.random() < 0.05 else fake.said("x"))
    path = tmp_path / "killed.sqlite"
    words = [sys.executable, "-c", CHILD, server.url, str(path), str(count)]
    probe = Endpoint(server.url, "toy", store=ReplyStore(path))
    rows = [f"row {number}" for number in range(count)]
    kept, before = [], []
    for stop in (count // 3, 2 * count // 3):
        child = subprocess.Popen(words, env={**os.environ, "CAVEAT_OFFLINE": ""})
        while sum(server.answered.values()) < stop:
            assert child.poll() is None
            time.sleep(0.01)
        child.kill()
        child.wait()
        known = [one for one in rows if probe.estimate([one])["prompts"] == 0]
        kept.append(len(known))
        before.append({one: server.asked[one] for one in known})
    subprocess.run(words, check=True, env={**os.environ, "CAVEAT_OFFLINE": ""})
    assert len(ReplyStore(path)) == count
    paid = sum(server.answered.values())
    assert count <= paid <= count + 2 * 4
    assert kept[0] < kept[1] < count
    for known in before:  # no recorded answer was asked for again
        assert {one: server.asked[one] for one in known} == known


class Echo:
    """Answers by what a prompt holds, without a network."""

    def __init__(self):
        self.seen = []

    def ask(self, prompts):
        self.seen += prompts
        return [self.reply(one) for one in prompts]

    def reply(self, prompt):
        last = prompt.rsplit("Here's the specifics", 1)[1]
        value = 0.0
        for line in last.splitlines():
            if line.startswith("- a :"):
                value = float(line.split(":")[1].rstrip(" ."))
        yes = 1 / (1 + math.exp(-value))
        from caveat.shift.language import Reply

        return Reply("yes", {" yes": math.log(yes), " no": math.log(1 - yes)}, 7, 1)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40)})
    return X, np.where(X["a"] + 0.5 * rng.normal(size=40) > 0, "yes", "no")


def test_a_dropped_column_is_in_no_part_of_the_prompt(rows):
    X, y = rows
    template = ListTemplate("Toys.", explanations={"b": "b is the breadth."})
    model = PromptedClassifier(Echo(), template, shots=2).fit(X[:20], y[:20])
    full, cut = (model.prompts(X[20:21], gone)[0] for gone in ([], ["b"]))
    assert "breadth" in full
    assert full.count("- b :") == 3
    assert "breadth" not in cut
    assert "- b :" not in cut
    assert cut.count("- a :") == 3


def test_the_curve_of_a_prompted_model_ends_at_chance(rows):
    X, y = rows
    model = PromptedClassifier(Echo(), shots=2).fit(X[:20], y[:20])
    curve = shift_curve(model, X[:20], y[:20], X[20:], y[20:], metric="auc").of()
    assert curve["value"].iloc[0] > 0.8
    assert curve["value"].iloc[-1] == 0.5
    assert model.tokens_["asked"] > 0


def test_an_answer_without_log_probabilities_is_read(rows, serve):
    X, y = rows
    _, client = serve(lambda *_: fake.said("The answer is yes."))
    model = PromptedClassifier(client, shots=1).fit(X, y)
    assert model.predict(X[:2]).tolist() == ["yes", "yes"]


def test_an_answer_that_names_no_class_is_told_or_becomes_the_shares(rows, serve):
    X, y = rows
    _, client = serve(lambda *_: fake.said("I would rather not say yes or no"))
    model = PromptedClassifier(client, shots=1).fit(X, y)
    with pytest.raises(DataError, match="names no class"):
        model.predict_proba(X[:1])
    model.set_params(unreadable="shares")
    np.testing.assert_allclose(model.predict_proba(X[:1])[0].sum(), 1)
