"""A causal language model that is trained on texts with answers, and scores answers."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Digits, Whitespace
from tokenizers.pre_tokenizers import Sequence as Several
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GPT2Config,
    GPT2LMHeadModel,
)

from caveat._extras import explain
from caveat.exceptions import DataError, InvalidInput

Encode = Callable[[Sequence[str]], list[list[int]]]
_IGNORED = -100
_AT_A_TIME = 64


class Scorer:
    """A model and its tokens.

    Parameters
    ----------
    name : str or None
        Folder or name that `transformers` loads; None builds a small model.
    texts : sequence of str
        What the tokens of a small model are made from.
    rank : int or None
        Of low-rank adapters; None trains all weights.
    seed : int
    """

    def __init__(
        self, name: str | None, texts: Sequence[str], *, rank: int | None, seed: int
    ) -> None:
        # The global generator is put back: nobody else's numbers change.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.encode, self.model = _built(texts) if name is None else _loaded(name)
            if rank is not None:
                self.model = _adapted(self.model, rank)
        self.seed = seed
        self.longest = int(getattr(self.model.config, "n_positions", 1024))

    @property
    def parameters(self) -> int:
        """How many weights the model has."""
        return sum(weights.numel() for weights in self.model.parameters())

    def train(
        self,
        epochs: Iterable[Sequence[str]],
        answers: Sequence[str],
        *,
        learning_rate: float,
        batch_size: int,
        steps: int,
        rng: np.random.Generator,
    ) -> list[float]:
        """Learn to go on with the answers; returns the mean loss of every epoch.

        The rate rises over the first tenth of the steps and falls to 0 from there.
        """
        able = [one for one in self.model.parameters() if one.requires_grad]
        optimiser = torch.optim.AdamW(able, lr=learning_rate, weight_decay=0.01)
        rise = max(1, steps // 10)
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimiser,
            lambda step: min((step + 1) / rise, (steps - step) / max(1, steps - rise)),
        )
        losses = []
        self.model.train()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            for texts in epochs:
                told = []
                order = rng.permutation(len(texts))
                for start in range(0, len(order), batch_size):
                    mine = order[start : start + batch_size]
                    each = self._each(
                        [texts[i] for i in mine], [answers[i] for i in mine]
                    )
                    loss = each.mean()
                    optimiser.zero_grad()
                    loss.backward()
                    torch.nn.utils.clip_grad_norm_(able, 1.0)
                    optimiser.step()
                    schedule.step()
                    told.append(float(loss.detach()))
                losses.append(float(np.mean(told)))
        self.model.eval()
        if not np.isfinite(losses[-1:]).all():
            raise InvalidInput("the model diverged; use a smaller learning_rate")
        return losses

    def scores(
        self, texts: Sequence[str], answers: Sequence[str]
    ) -> NDArray[np.float64]:
        """Give the log-probability of every answer after every text."""
        self.model.eval()
        found = np.empty((len(texts), len(answers)))
        for place, answer in enumerate(answers):
            for start in range(0, len(texts), _AT_A_TIME):
                part = texts[start : start + _AT_A_TIME]
                with torch.no_grad():
                    each = self._each([*part], [answer] * len(part))
                found[start : start + len(part), place] = -each.double().numpy()
        return found

    def _each(self, texts: list[str], answers: list[str]) -> torch.Tensor:
        """Give the summed loss of every answer's tokens."""
        heads, tails = self.encode(texts), self.encode(answers)
        # Room for the answer; the text loses its beginning.
        heads = [h[len(h) + len(t) - self.longest :] if len(h) + len(t) > self.longest
                 else h for h, t in zip(heads, tails, strict=True)]  # fmt: skip
        heads = [head or [0] for head in heads]
        size = max(len(h) + len(t) for h, t in zip(heads, tails, strict=True))
        tokens = torch.zeros(len(texts), size, dtype=torch.long)
        known = torch.zeros(len(texts), size, dtype=torch.long)
        wanted = torch.full((len(texts), size), _IGNORED)
        for row, (head, tail) in enumerate(zip(heads, tails, strict=True)):
            both = torch.tensor([*head, *tail])
            tokens[row, : len(both)], known[row, : len(both)] = both, 1
            wanted[row, len(head) : len(both)] = both[len(head) :]
        logits = self.model(input_ids=tokens, attention_mask=known).logits[:, :-1]
        loss = torch.nn.functional.cross_entropy(
            logits.transpose(1, 2),
            wanted[:, 1:],
            ignore_index=_IGNORED,
            reduction="none",
        )
        return loss.sum(dim=1)


def _built(texts: Sequence[str]) -> tuple[Encode, Any]:
    """Build about a million random weights; tokens are words, digits and signs."""
    cut = Several([Whitespace(), Digits(individual_digits=True)])
    words = ["<unknown>", *"0123456789.-:;"]
    for text in texts:
        words += [word for word, _ in cut.pre_tokenize_str(text)]
    known = {word: number for number, word in enumerate(dict.fromkeys(words))}
    tokeniser = Tokenizer(WordLevel(known, unk_token="<unknown>"))
    tokeniser.pre_tokenizer = cut

    def encode(texts: Sequence[str]) -> list[list[int]]:
        return [one.ids for one in tokeniser.encode_batch(list(texts))]

    longest = max(len(one) for one in encode(texts))
    config = GPT2Config(
        vocab_size=len(known),
        n_positions=2 * longest + 16,
        n_embd=144,
        n_layer=4,
        n_head=4,
        bos_token_id=0,
        eos_token_id=0,
    )
    return encode, GPT2LMHeadModel(config)


def _loaded(name: str) -> tuple[Encode, Any]:
    """Load weights as plain numbers: no pickle, no code of others."""
    offline = os.environ.get("CAVEAT_OFFLINE", "") not in ("", "0")
    try:
        tokeniser = AutoTokenizer.from_pretrained(name, local_files_only=offline)
        model = AutoModelForCausalLM.from_pretrained(
            name,
            local_files_only=offline,
            use_safetensors=True,
            trust_remote_code=False,
        )
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:160]
        raise DataError(
            f"the language model {name!r} cannot be loaded ({reason}); pass a folder "
            "with safetensors and a tokeniser"
        ) from error

    def encode(texts: Sequence[str]) -> list[list[int]]:
        return list(tokeniser(list(texts), add_special_tokens=False)["input_ids"])

    return encode, model


def _adapted(model: Any, rank: int) -> Any:
    """Freeze a model and put low-rank adapters beside its attention."""
    try:
        from peft import LoraConfig, get_peft_model
    except ImportError as error:
        raise explain(error, "rank") or error from error
    settings = LoraConfig(r=rank, lora_alpha=2 * rank, task_type="CAUSAL_LM")
    with warnings.catch_warnings():  # it tells how it treats GPT-2's layers
        warnings.simplefilter("ignore", UserWarning)
        return get_peft_model(model, settings)
