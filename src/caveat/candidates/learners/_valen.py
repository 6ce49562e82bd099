"""VALEN: label distributions recovered by a variational encoder over a graph."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, ClassVar

import torch
from sklearn.neighbors import NearestNeighbors
from torch import Tensor, nn
from torch.distributions import Dirichlet
from torch.nn import functional as F

from caveat.candidates import _slopes as slopes
from caveat.candidates._algorithm import Algorithm, check_number
from caveat.candidates._losses import TINY, uniform_confidences
from caveat.candidates.learners._idgp import cross_entropy
from caveat.exceptions import InvalidInput
from caveat.training import Batch, Diverged, Run, outputs, sgd, with_features


def dirichlet_divergence(alpha: Tensor) -> Tensor:
    """Mean over rows of KL(Dirichlet(alpha) || Dirichlet(1))."""
    total = alpha.sum(dim=1)
    classes = torch.tensor(float(alpha.shape[1]), dtype=alpha.dtype)
    spread = (alpha - 1.0) * (torch.digamma(alpha) - torch.digamma(total)[:, None])
    rows = torch.lgamma(total) - torch.lgamma(alpha).sum(dim=1) + spread.sum(dim=1)
    return rows.mean() - torch.lgamma(classes)


def graph_block(neighbours: Tensor, rows: Tensor, spots: Tensor) -> Tensor:
    """Row-normalised adjacency with self-loops, among the rows of a batch.

    Parameters
    ----------
    neighbours : tensor of shape (n_items, k)
    rows : tensor
        Of the batch.
    spots : tensor of shape (n_items,)
        Scratch space, all -1; left as found.
    """
    count, k = len(rows), neighbours.shape[1]
    spots[rows] = torch.arange(count, device=rows.device)
    there = spots[neighbours.index_select(0, rows)]
    spots[rows] = -1
    # Neighbours elsewhere share a last column, which is cut off.
    block = torch.zeros(count, count + 1, device=rows.device)
    block.scatter_(1, there.where(there >= 0, count), 1.0)
    return block[:, :count].fill_diagonal_(1.0) / (k + 1)


def evidence(a: Tensor, O: Tensor) -> Tensor:  # noqa: E741
    """Parameters of the sampled label distribution."""
    s = a.softmax(dim=1) * (O > 0)
    return s / s.sum(dim=1, keepdim=True).detach().clamp(min=TINY) + 0.01


def variational_loss(
    z: Tensor, a: Tensor, d: Tensor, rebuilt: Tensor, parts: dict[str, Tensor]
) -> Tensor:
    """Loss of the third phase.

    Parameters
    ----------
    z, a : tensor
        Logits of the classifier and of the encoder.
    d : tensor
        Sampled label distributions.
    rebuilt : tensor
        Features as the decoder makes them of `d`.
    parts : dict
        ``x``, ``S``, ``O``, ``D`` and ``graph`` of the batch.
    """
    alpha = torch.exp(a / 4.0).clamp(0.01, 30.0)
    similar = torch.sigmoid(d @ d.T).softmax(dim=1)
    return (
        0.01 * F.mse_loss(rebuilt, parts["x"])
        + 0.01 * F.binary_cross_entropy_with_logits(d, parts["S"].to(d.dtype))
        + F.mse_loss(similar, parts["graph"])
        + dirichlet_divergence(alpha)
        + cross_entropy(a, parts["O"])
        + cross_entropy(z, parts["D"])
    )


class Features(nn.Module):
    """What a network knows before its last layer."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor) -> Tensor:
        """Give the features of rows."""
        return with_features(self.network, x)[1]


class Valen(Algorithm):
    """VALEN: candidate sets as degenerate views of a latent label distribution.

    First plain identification for `warm_up` steps; then a graph of the nearest
    neighbours in feature space; then classifier, encoder and decoder learn together
    from sampled label distributions.

    Parameters
    ----------
    warm_up : int, default=1000
        Steps of the first phase.
    neighbours : int, default=3
        Of every item in the graph.
    variant : {"paper", "plench"}, default="paper"

    Warnings
    --------
    The slowest algorithm here, and no better on tables than plain ones. With fewer
    steps than `warm_up` it is plain identification with SGD.

    References
    ----------
    .. [1] N. Xu et al. (2021). Instance-dependent partial label learning. NeurIPS.
    """

    deviation: ClassVar[str] = (
        "the encoder never learns: no optimiser holds its weights"
    )
    kept: ClassVar[tuple[str, ...]] = ("O", "D")

    def __init__(
        self, *, warm_up: int = 1000, neighbours: int = 3, **common: Any
    ) -> None:
        super().__init__(**common)
        self.warm_up = check_number("warm_up", warm_up, 1)
        self.k = check_number("neighbours", neighbours, 1)

    def begin(self, run: Run) -> None:
        """Start with SGD on the classifier."""
        if run.data["x"].ndim != 2:
            raise InvalidInput(
                "valen rebuilds the columns of a table, and images have none; use "
                "another algorithm, such as 'proden', or frozen features of the images"
            )
        self.O = uniform_confidences(run.data["candidates"])
        self.D = self.O.clone()
        self.adam = (type(run.optimiser), dict(run.optimiser.defaults))
        lr, decay = self.adam[1]["lr"], self.adam[1].get("weight_decay", 0.0)
        recipe = sgd(lr, momentum=0.9, weight_decay=decay)
        run.optimiser = recipe(run.module.parameters())
        self.encoder: nn.Module = nn.Identity()
        self.is_warm = False

    def step(self, run: Run, batch: Batch) -> float:
        """Make the update of the phase."""
        if run.updates < self.warm_up:
            return self._identify(run, batch)
        if not self.is_warm:
            self.graph = self._neighbours(run)
            self._build(run)
        return self._recover(run, batch)

    def _identify(self, run: Run, batch: Batch) -> float:
        z = run.forward(batch["x"])
        known = self.O.index_select(0, batch.rows)
        value = run.follow(z, *slopes.label_loss(z.detach(), known, None, 0.0))
        self._follow(z, batch)
        return value

    def _follow(self, z: Tensor, batch: Batch) -> None:
        p = (z.detach().softmax(dim=1) + TINY) * batch["candidates"]
        self.O.index_copy_(0, batch.rows, p / p.sum(dim=1, keepdim=True))

    def _neighbours(self, run: Run) -> Tensor:
        """Nearest neighbours of all rows by the hidden layer, themselves left out."""
        x = run.data["x"]
        features = outputs(Features(run.module), x).cpu().numpy()
        k = min(self.k, len(features) - 1)
        finder = NearestNeighbors(n_neighbors=k).fit(features)
        # Without a query, scikit-learn leaves every row out of its own neighbours.
        found = finder.kneighbors(return_distance=False)
        return torch.as_tensor(found, device=run.device)

    def _build(self, run: Run) -> None:
        """Set encoder and decoder up, and hand all weights to Adam."""
        columns, classes = run.data["x"].shape[1], run.data["candidates"].shape[1]
        self.encoder = deepcopy(run.module)
        self.decoder = nn.Sequential(
            nn.Linear(classes, columns), nn.ReLU(), nn.Linear(columns, columns)
        ).to(run.device)
        for name, weight in self.decoder.named_parameters():
            if name.endswith("bias"):
                nn.init.constant_(weight, 0.01)
            else:
                nn.init.xavier_normal_(weight)
        learning = [run.module, self.decoder]
        if not self.is_plench:
            learning.append(self.encoder)
        kind, how = self.adam
        weights = [w for network in learning for w in network.parameters()]
        run.optimiser = kind(weights, **how)
        self.D = self.O.clone()
        self.spots = torch.full((len(self.O),), -1, device=run.device)
        self.is_warm = True

    def _recover(self, run: Run, batch: Batch) -> float:
        x, S, rows = batch["x"], batch["candidates"], batch.rows
        z = run.forward(x)
        with torch.set_grad_enabled(not self.is_plench):
            a = run.forward(x, self.encoder)
        O, D = self.O.index_select(0, rows), self.D.index_select(0, rows)  # noqa: E741
        shares = evidence(a, O)
        if not bool(shares.isfinite().all()):
            # Sampling would look for a number forever.
            raise Diverged("the encoder's answer is not finite", step=run.updates)
        d = Dirichlet(shares, validate_args=False).rsample()
        parts = {
            "x": x,
            "S": S,
            "O": O,
            "D": D,
            "graph": graph_block(self.graph, rows, self.spots),
        }
        rebuilt = run.forward(d, self.decoder)
        answers = z, a, d, rebuilt
        loss, found = slopes.variational_loss(
            z.detach(), a.detach(), d.detach(), rebuilt.detach(), parts
        )
        value = run.follow_all(loss, zip(answers, found, strict=True))
        kept = (d.detach() + TINY) * S
        self.D.index_copy_(0, rows, kept / kept.sum(dim=1, keepdim=True))
        self._follow(z, batch)
        return value

    def state(self) -> Any:
        """Return confidences, and encoder, decoder and graph once there are any."""
        found = super().state()
        if self.is_warm:
            found["graph"] = self.graph
            found["encoder"] = dict(self.encoder.state_dict())
            found["decoder"] = dict(self.decoder.state_dict())
        return found

    def load_state(self, run: Run, state: Any) -> None:
        """Go back to the phase that the state is of."""
        super().load_state(run, state)
        if "encoder" not in state:
            return
        self._build(run)
        super().load_state(run, state)
        self.graph = state["graph"].to(run.device)
        self.encoder.load_state_dict(state["encoder"])
        self.decoder.load_state_dict(state["decoder"])
