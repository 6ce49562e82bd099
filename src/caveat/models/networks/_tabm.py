"""TabM: many perceptrons that share almost all of their weights."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor, nn

from caveat.models._tasks import is_classification
from caveat.models.networks._base import NetworkModel
from caveat.models.networks._layout import Layout
from caveat.models.networks._objective import Supervised, mean_loss
from caveat.training import Batch, Run


class Members(nn.Module):
    """One perceptron for all members; each scales the inputs and has its own head."""

    def __init__(
        self, d: int, n_outputs: int, members: int, layers: tuple[int, int, float]
    ) -> None:
        super().__init__()
        n_layers, width, drop = layers
        self.signs = nn.Parameter(torch.empty(members, d))
        body: list[nn.Module] = []
        for number in range(n_layers):
            inputs = width if number else d
            body += [nn.Linear(inputs, width), nn.ReLU(), nn.Dropout(drop)]
        self.body = nn.Sequential(*body)
        self.head = nn.Parameter(torch.empty(members, width, n_outputs))
        self.shift = nn.Parameter(torch.empty(members, n_outputs))
        self.classify = n_outputs > 1
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw signs, and heads as linear layers do."""
        with torch.no_grad():
            self.signs.copy_(torch.randint(0, 2, self.signs.shape) * 2.0 - 1.0)
        bound = 1 / sqrt(self.head.shape[1])
        nn.init.uniform_(self.head, -bound, bound)
        nn.init.uniform_(self.shift, -bound, bound)

    def members(self, x: Tensor) -> Tensor:
        """Give what each member says: (n, members, outputs)."""
        hidden = self.body(x[:, None] * self.signs)
        return torch.einsum("nkd,kdo->nko", hidden, self.head) + self.shift

    def forward(self, x: Tensor) -> Tensor:
        """Average the members: logarithms of mean probabilities, or mean numbers."""
        said = self.members(x)
        if not self.classify:
            return said.mean(1)
        return said.log_softmax(-1).logsumexp(1) - torch.tensor(said.shape[1]).log()


class EachMember(Supervised):
    """The mean of the members' own losses."""

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """Compute the loss of a batch."""
        module = run.module
        assert isinstance(module, Members)
        said = module.members(batch.view(self.look))
        y, w = batch["y"], batch.tensors.get("w")
        losses = [mean_loss(z, y, w, self.classify) for z in said.unbind(1)]
        return torch.stack(losses).mean()


@dataclass(eq=False, repr=False)
class TabM(NetworkModel):
    """An ensemble of perceptrons in one, in its small form.

    Member i: x * r_i (r_i random signs at first), then layers dropout(relu(W h + b))
    that all members share, then a head of its own. The loss is the mean of the members'
    losses, the answer the mean of their probabilities or numbers.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    k : int, default=32
        How many members.
    n_blocks, d_block : int, default=3, 512
        Layers and their width.
    dropout : float, default=0.1
    learning_rate, weight_decay : float, default=2e-3, 3e-4
        Of AdamW.

    The other parameters and the attributes are those of `NetworkModel`.

    Warnings
    --------
    A step costs as much as a perceptron on `k` times as many rows. Numbers go in as
    they are: the authors' best form embeds them first.

    References
    ----------
    .. [1] Y. Gorishniy, A. Kotelnikov, A. Babenko (2025). TabM: advancing tabular deep
       learning with parameter-efficient ensembling. ICLR.
    """

    k: int = 32
    n_blocks: int = 3
    d_block: int = 512
    dropout: float = 0.1
    learning_rate: float = 2e-3
    weight_decay: float = 3e-4

    def _network(self, layout: Layout, n_outputs: int) -> nn.Module:
        layers = (self.n_blocks, self.d_block, self.dropout)
        return Members(layout.width, n_outputs, self.k, layers)

    def _objective(self, view: str) -> Supervised:
        return EachMember(is_classification(self.task), view)
