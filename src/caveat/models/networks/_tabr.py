"""TabR: a network that looks at the nearest training rows."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from caveat.models._tasks import is_classification
from caveat.models.networks._base import NetworkModel
from caveat.models.networks._layout import Layout
from caveat.models.networks._objective import Supervised
from caveat.models.networks._retrieval import Memory, Retrieval, Waves


class Block(nn.Module):
    """x + W_2 dropout(relu(W_1 LN(x))); the norm is optional."""

    def __init__(self, d: int, drop: float, *, norm: bool) -> None:
        super().__init__()
        self.steps = nn.Sequential(
            nn.LayerNorm(d) if norm else nn.Identity(),
            nn.Linear(d, 2 * d),
            nn.ReLU(),
            nn.Dropout(drop),
            nn.Linear(2 * d, d),
        )

    def forward(self, x: Tensor) -> Tensor:
        """Add the block's answer to its input."""
        return x + self.steps(x)


class LabelEmbedding(nn.Embedding):
    """A vector per class, uniform between -1 and 1 at first."""

    def reset_parameters(self) -> None:
        """Draw the vectors."""
        nn.init.uniform_(self.weight, -1.0, 1.0)


class TabRNet(nn.Module):
    """Encoder, retrieval of the nearest rows, predictor."""

    def __init__(self, model: TabR, layout: Layout, n_outputs: int) -> None:
        super().__init__()
        d = model.d_main
        self.context, self.drop = model.context_size, model.context_dropout
        waves = Waves(layout, model.n_frequencies, model.scale, model.d_embedding)
        encoders = [
            Block(d, model.dropout, norm=number > 0)
            for number in range(model.encoder_blocks)
        ]
        self.encoder = nn.Sequential(waves, nn.Linear(waves.width, d), *encoders)
        norm = nn.LayerNorm(d) if encoders else nn.Identity()
        self.key = nn.Sequential(norm, nn.Linear(d, d))
        self.classify = is_classification(model.task)
        self.label: nn.Module = (
            LabelEmbedding(n_outputs, d) if self.classify else nn.Linear(1, d)
        )
        self.shift = nn.Sequential(
            nn.Linear(d, 2 * d),
            nn.ReLU(),
            nn.Dropout(model.dropout),
            nn.Linear(2 * d, d, bias=False),
        )
        predictors = [
            Block(d, model.dropout, norm=True) for _ in range(model.predictor_blocks)
        ]
        self.predictor = nn.Sequential(
            *predictors,
            nn.LayerNorm(d),
            nn.ReLU(),
            nn.Linear(d, n_outputs),
        )
        self.memory = Memory(layout)

    def keys(self, x: Tensor) -> Tensor:
        """Encode rows as they are looked up."""
        return self.key(self.encoder(x))

    def forward(self, x: Tensor, rows: Tensor | None = None) -> Tensor:
        """Answer rows; `rows` are their own numbers among the training rows."""
        encoded = self.encoder(x)
        key = self.key(encoded)
        near = self._nearest(key, rows)
        chosen, place = near.unique(return_inverse=True)
        found = (
            self.keys(self.memory.x[chosen])
            if self.training
            else self.memory.all(self.keys)[chosen]
        )
        distance = (key[:, None] - found[place]).square().sum(-1)
        weight = dropout((-distance).softmax(-1), self.drop, self.training)[..., None]
        labels = (weight * self._labels(near)).sum(1)
        return self.predictor(
            encoded + labels + self._shifts(key, found, place, weight)
        )

    def _shifts(
        self, key: Tensor, found: Tensor, place: Tensor, weight: Tensor
    ) -> Tensor:
        """Give Σ w_i T(κ - κ_i).

        T's linear maps are applied to rows, not to pairs of rows: the first before the
        difference, the second after the sum. That is a hundredth of the work.
        """
        first, activation, drop, second = self.shift
        assert isinstance(first, nn.Linear)
        gap = first(key)[:, None] - nn.functional.linear(found, first.weight)[place]
        return second((weight * drop(activation(gap))).sum(1))

    @torch.no_grad()
    def _nearest(self, key: Tensor, rows: Tensor | None) -> Tensor:
        """Find the nearest training rows; in training not the row itself."""
        exact = "donot_use_mm_for_euclid_dist"
        others = self.memory.all(self.keys)
        distance = torch.cdist(key, others, compute_mode=exact)
        count = len(others)
        if rows is not None:
            distance[torch.arange(len(rows)), rows] = torch.inf
            count -= 1
        return distance.topk(min(self.context, count), largest=False).indices

    def _labels(self, near: Tensor) -> Tensor:
        y = self.memory.y[near]
        return self.label(y.long() if self.classify else y[..., None])


@dataclass(eq=False, repr=False)
class TabR(NetworkModel):
    """A perceptron that adds what the nearest training rows say.

    x̃ = encoder(waves of the numbers, indicators), key κ = W x̃; context: the nearest
    training rows by |κ - κ_i|, in training without the row itself; weights
    softmax(-|κ - κ_i|²); values E(y_i) + T(κ - κ_i); answer = predictor(x̃ + Σ w v).

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    d_main : int, default=265
        Width of a row's vector.
    context_size : int, default=96
        How many rows are looked at.
    context_dropout, dropout : float, default=0.389, 0.389
    encoder_blocks, predictor_blocks : int, default=0, 1
    n_frequencies : int, default=77
    scale : float, default=0.044
        Of the waves' first frequencies.
    d_embedding : int, default=34
        Width of a number's vector.
    learning_rate, weight_decay : float, default=3.12e-4, 1.2e-6
        Of AdamW.

    The other parameters and the attributes are those of `NetworkModel`.

    Warnings
    --------
    The training rows are part of the model and of its file. An answer takes time in
    proportion to their number. A row that weighs more is looked up no more often.

    References
    ----------
    .. [1] Y. Gorishniy et al. (2024). TabR: tabular deep learning meets nearest
       neighbors. ICLR.
    """

    d_main: int = 265
    context_size: int = 96
    context_dropout: float = 0.389
    dropout: float = 0.389
    encoder_blocks: int = 0
    predictor_blocks: int = 1
    n_frequencies: int = 77
    scale: float = 0.044
    d_embedding: int = 34
    learning_rate: float = 3.12e-4
    weight_decay: float = 1.2e-6

    def _network(self, layout: Layout, n_outputs: int) -> nn.Module:
        return TabRNet(self, layout, n_outputs)

    def _prepare(self, module: nn.Module, x: Tensor, y: Tensor) -> None:
        assert isinstance(module, TabRNet)
        module.memory.fill(x, y)

    def _objective(self, view: str) -> Supervised:
        return Retrieval(is_classification(self.task), view)
