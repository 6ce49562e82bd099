"""Fine-tuned language models: what is gone is not read, what is known is learnt."""

import numpy as np
import pandas as pd
import pytest

from caveat.exceptions import DataError, InvalidInput

pytest.importorskip("transformers", reason="needs the extra llm")
pytest.importorskip("tokenizers", reason="needs the extra llm")

from caveat.shift.language import TunedClassifier


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"kind": rng.choice(["red", "blue"], 160), "a_b": rng.random(160)})
    return X, np.where((X["kind"] == "red") ^ (rng.random(160) < 0.1), "yes", "no")


@pytest.fixture(scope="module", params=["tabllm", "unipredict"])
def fitted(request, rows):
    X, y = rows
    settings = {"epochs": 20, "batch_size": 16, "learning_rate": 2e-3}
    return TunedClassifier(style=request.param, **settings).fit(X[:100], y[:100])


@pytest.mark.thorough
def test_it_learns_and_says_nothing_without_columns(fitted, rows):
    X, y = rows
    assert (fitted.predict(X[100:]) == y[100:]).mean() > 0.75
    none = fitted.predict_masked(X[100:], np.ones((60, 2), dtype=bool))
    assert (none == none[0]).all()
    np.testing.assert_allclose(none.sum(axis=1), 1)
    assert 0.5e6 < fitted.parameters_ < 2e6
    assert fitted.losses_[-1] < fitted.losses_[0]


@pytest.mark.thorough
def test_a_column_that_is_gone_is_not_in_the_text(fitted, rows):
    X, _ = rows
    cut = X[:3].to_dict("records")
    texts = fitted._texts(cut, np.tile([True, False], (3, 1)))
    assert all("kind" not in text and "a b is 0." in text for text in texts)
    other = X[:20].assign(kind="blue")
    gone = [True, False]
    np.testing.assert_array_equal(
        fitted.predict_masked(X[:20], gone), fitted.predict_masked(other, gone)
    )


@pytest.mark.thorough
def test_the_answer_to_a_row_does_not_hang_on_the_rows_beside_it(fitted, rows):
    X, _ = rows
    whole = fitted.predict_proba(X[:20])
    np.testing.assert_allclose(fitted.predict_proba(X[7:8]), whole[7:8], atol=1e-5)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:.*gradient_checkpointing:FutureWarning")  # peft's
def test_a_model_of_ones_own_is_adapted_and_no_code_is_run(rows, tmp_path):
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers

    pytest.importorskip("peft", reason="needs the extra llm")
    letters = [chr(code) for code in range(32, 127)]
    small = Tokenizer(models.WordLevel({c: n for n, c in enumerate(letters)}, " "))
    small.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    transformers.PreTrainedTokenizerFast(tokenizer_object=small).save_pretrained(
        tmp_path
    )
    config = transformers.GPT2Config(
        vocab_size=95, n_positions=256, n_embd=16, n_layer=1, n_head=2
    )
    transformers.GPT2LMHeadModel(config).save_pretrained(tmp_path)
    X, y = rows
    model = TunedClassifier(str(tmp_path), rank=2, epochs=1).fit(X[:20], y[:20])
    trained = [one for one in model.scorer_.model.parameters() if one.requires_grad]
    assert sum(one.numel() for one in trained) < 0.2 * model.parameters_
    assert model.predict_proba(X[:3]).shape == (3, 2)
    for file in tmp_path.glob("*.safetensors"):
        file.rename(tmp_path / "pytorch_model.bin")  # a pickle is not read
    with pytest.raises(DataError, match="cannot be loaded"):
        TunedClassifier(str(tmp_path)).fit(X[:20], y[:20])


def test_bad_settings_are_told(rows):
    X, y = rows
    for settings, words in (({"style": "x"}, "style"), ({"mask_rate": 1}, "mask_rate")):
        with pytest.raises(InvalidInput, match=words):
            TunedClassifier(**settings).fit(X, y)
    with pytest.raises(InvalidInput, match="all the same"):
        TunedClassifier().fit(X, ["yes"] * len(X))


@pytest.mark.slow
def test_on_heart_it_is_near_logistic_regression(real):
    from sklearn.metrics import roc_auc_score

    from caveat.models import make_model

    X, y, X_test, y_test = real("heart")
    plain = make_model("logistic-regression", "binary").fit(X, y)
    aim = roc_auc_score(y_test, plain.predict_proba(X_test)[:, 1])
    model = TunedClassifier().fit(X, y)
    found = roc_auc_score(y_test, model.predict_proba(X_test)[:, 1])
    gone = model.predict_masked(X_test, np.ones(X_test.shape, dtype=bool))
    assert found > aim - 0.05
    assert roc_auc_score(y_test, gone[:, 1]) == 0.5
