"""SwitchTab: what rows have in common and what is their own, told apart."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from sklearn.utils import Tags
from torch import Tensor, nn

from caveat.models._tasks import is_classification
from caveat.models.networks._base import NetworkModel
from caveat.models.networks._layout import Layout
from caveat.models.networks._objective import Supervised
from caveat.training import Batch, Paired, Recipe, Run, Sampler, Shuffled, rmsprop


class SwitchNet(nn.Module):
    """Encoder, two projectors, a decoder and a predictor."""

    def __init__(self, layout: Layout, n_outputs: int) -> None:
        super().__init__()
        # Two heads need an even width.
        self.pad = layout.width % 2
        d = layout.width + self.pad
        layer = nn.TransformerEncoderLayer(
            d, nhead=2, dim_feedforward=2048, dropout=0.1, batch_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
        self.mutual = nn.Sequential(nn.Linear(d, d), nn.Sigmoid())
        self.salient = nn.Sequential(nn.Linear(d, d), nn.Sigmoid())
        self.decoder = nn.Linear(2 * d, d)
        self.predictor = nn.Linear(d, n_outputs)

    def padded(self, x: Tensor) -> Tensor:
        """Add a column of zeros where the width is odd."""
        return torch.cat([x, x.new_zeros(len(x), self.pad)], 1)

    def encode(self, x: Tensor) -> Tensor:
        """Encode rows, each a sequence of one token."""
        return self.encoder(self.padded(x)[:, None])[:, 0]

    def forward(self, x: Tensor) -> Tensor:
        """Answer rows."""
        return self.predictor(self.encode(x))


class Switching(Supervised):
    """Reconstruct two rows with their mutual parts switched, and predict both."""

    def __init__(self, classify: bool, view: str, alpha: float) -> None:
        super().__init__(classify, view)
        self.alpha = alpha

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """Compute the loss of a batch and the one beside it."""
        module = run.module
        assert isinstance(module, SwitchNet)
        assert batch.beside is not None
        both = (batch, batch.beside)
        seen = [one.view(self.look) for one in both]
        rows = [module.padded(x) for x in seen]
        encoded = [module.encode(x * (torch.rand_like(x) >= 0.3)) for x in seen]
        mutual = [module.mutual(z) for z in encoded]
        salient = [module.salient(z) for z in encoded]
        task = sum(
            self.risk(module.predictor(z), one)
            for z, one in zip(encoded, both, strict=True)
        )
        return reconstruction(module.decoder, rows, mutual, salient) + self.alpha * task


def reconstruction(
    decoder: nn.Module, rows: list[Tensor], mutual: list[Tensor], salient: list[Tensor]
) -> Tensor:
    """Sum the errors of both rows, each with its own and the other's mutual part."""
    total = torch.zeros((), device=rows[0].device)
    for own in (0, 1):
        for lent in (0, 1):
            made = decoder(torch.cat([mutual[lent], salient[own]], 1))
            total = total + (made - rows[own]).square().mean()
    return total


@dataclass(eq=False, repr=False)
class SwitchTab(NetworkModel):
    """An encoder that learns to tell mutual from salient information by switching.

    z = encoder(x with 30 % of its inputs set to 0); m = sigmoid(W z), s = sigmoid(V z);
    decoder D [m; s]. Loss of two batches = mean squared errors of D[m1; s1], D[m2; s1]
    against x1 and of D[m2; s2], D[m1; s2] against x2, + α (loss 1 + loss 2).

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    alpha : float, default=1.0
        Weight of the prediction, against the reconstruction.
    learning_rate, weight_decay : float, default=3e-4, 2e-4
        Of RMSprop.

    The other parameters and the attributes are those of `NetworkModel`.

    Warnings
    --------
    The encoder is as wide as the table and norms its rows: of two columns only the
    larger is known. Two things differ from the published code. There, the rows of a
    batch attend to each other, so that an answer depends on what else is asked; here
    each row is a sequence of its own. There, a sigmoid ends the decoder, which cannot
    reach standardised columns; here it does not.

    References
    ----------
    .. [1] J. Wu et al. (2024). SwitchTab: switched autoencoders are effective tabular
       learners. AAAI.
    """

    alpha: float = 1.0
    learning_rate: float = 3e-4
    weight_decay: float = 2e-4

    def _network(self, layout: Layout, n_outputs: int) -> nn.Module:
        return SwitchNet(layout, n_outputs)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        for kind in (tags.classifier_tags, tags.regressor_tags):
            if kind is not None:
                # The norm over two columns leaves which of them is larger.
                kind.poor_score = True
        return tags

    def _objective(self, view: str) -> Supervised:
        return Switching(is_classification(self.task), view, self.alpha)

    def _sampler(self, n_rows: int, size: int) -> Sampler:
        return Paired(Shuffled(n_rows, size), Shuffled(n_rows, size))

    def _recipe(self) -> Recipe:
        return rmsprop(self.learning_rate, weight_decay=self.weight_decay)
