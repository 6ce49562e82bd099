"""SoLar: labels are dealt out so that every class gets its share of the items."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from caveat.candidates._algorithm import check_number
from caveat.candidates._losses import candidate_softmax
from caveat.candidates.learners._contrast import Queued, Ring
from caveat.candidates.learners._mixup import MixingAlgorithm, larger_share, mixed
from caveat.training import Batch, Run

#: Passes over classes and items, as in the published code.
ITERATIONS = 50


class Solar(Queued, MixingAlgorithm):
    """SoLar: candidates are dealt out by optimal transport to given class shares.

    Rare classes lose every comparison of probabilities. So labels of a batch, and of
    the batches before it, are found together: as close to the model's opinion as
    possible, within the sets, with as many items of each class as its estimated share
    asks for. The most plausible labels of each class are learnt from, also on the
    strong view and on mixed items; the other items are learnt from as by PRODEN.

    Parameters
    ----------
    sharpness : float, default=3.0
        Exponent of the probabilities before labels are dealt out.
    queue : int, default=16384
        Items of earlier steps whose probabilities are kept.
    weight : float, default=0.9
        Of the chosen items against the others, once it is fully in.
    first_ratio, last_ratio : float, default=0.2, 0.8
        Share of the items of a class that are chosen, at first and after the ramp.
    ramp : int, default=50
        Epochs in which weight and share grow.
    confident : float, default=0.99
        Items with labels of this probability are chosen, whatever their number.
    prior_momentum : float, default=0.9
        How much of the estimated class shares is kept after an epoch.
    mixup_shape : float, default=4.0
        Both parameters of the Beta distribution of the mixed shares.
    allow_identical_views : bool, default=False
        See `ViewAlgorithm`.
    variant : {"paper", "plench"}, default="paper"
        The benchmark does not have this algorithm: both are the same.

    Warnings
    --------
    The class shares are an estimate from the model's own predictions; where these
    forget a class, it is dealt no items. The method was tuned over 1,000 epochs: in a
    run of a few, shorten `ramp`.

    Notes
    -----
    Published code estimates the class shares in a run of their own and learns anew;
    here there is one run, which starts from equal shares. It predicts all training
    items after every epoch to do so; here the predictions count with which each item
    was last seen.

    References
    ----------
    .. [1] H. Wang et al. (2022). SoLar: Sinkhorn label refinery for imbalanced
       partial-label learning. NeurIPS.
    """

    parts: ClassVar[tuple[str, ...]] = ("sin", "cons", "mix", "rest")
    kept: ClassVar[tuple[str, ...]] = ("W", "prior", "filled")

    def __init__(
        self,
        *,
        sharpness: float = 3.0,
        queue: int = 16_384,
        weight: float = 0.9,
        first_ratio: float = 0.2,
        last_ratio: float = 0.8,
        ramp: int = 50,
        confident: float = 0.99,
        prior_momentum: float = 0.9,
        mixup_shape: float = 4.0,
        **common: Any,
    ) -> None:
        weight = check_number("weight", weight, 0, 1)
        super().__init__(weight=weight, ramp=ramp, mixup_shape=mixup_shape, **common)
        self.sharpness = check_number("sharpness", sharpness, 0)
        self.queue = check_number("queue", queue, 1)
        self.first_ratio = check_number("first_ratio", first_ratio, 0, 1)
        self.last_ratio = check_number("last_ratio", last_ratio, 0, 1)
        self.confident = check_number("confident", confident, 0, 1)
        self.prior_momentum = check_number("prior_momentum", prior_momentum, 0, 1)

    def begin(self, run: Run) -> None:
        """Start from equal confidences and equal classes."""
        super().begin(run)
        classes = self.W.shape[1]
        self.prior = torch.full((classes,), 1.0 / classes, device=run.device)
        self.ring = Ring(opinions=torch.zeros(self.queue, classes, device=run.device))
        # How many rows of the ring hold something.
        self.filled = 0

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """Cross-entropy of chosen items three ways, and of the others."""
        S = batch["candidates"]
        z = run.module(batch.view("weak"))
        z_strong = run.module(batch.view("strong"))
        opinions = candidate_softmax(z.detach(), S)
        earlier = self.ring["opinions"][: self.filled]
        labels = dealt(
            torch.cat([earlier, opinions]), self.prior, sharpness=self.sharpness
        )[self.filled :]
        entropies = _entropies(z, labels)
        ratio = self.first_ratio + self.grown(run) * (
            self.last_ratio - self.first_ratio
        )
        sure = (labels * z.detach().softmax(dim=1)).sum(dim=1) > self.confident
        chosen = sure | plausible(labels, entropies.detach(), ratio * self.prior)
        rest = _entropies(z, self.W.index_select(0, batch.rows))
        self.keep(logits=z, logits_strong=z_strong, opinions=opinions, labels=labels)
        if run.epoch < 1:
            return rest.mean()
        # At least one item of every class that was dealt is chosen, so there is one.
        sin = entropies[chosen].mean()
        cons = _entropies(z_strong[chosen], labels[chosen]).mean()
        mix = self._mixed(run, batch.view("weak")[chosen], labels[chosen])
        others = (rest * ~chosen).sum() / (~chosen).sum().clamp(min=1)
        self.keep(sin=sin, cons=cons, mix=mix, rest=others)
        weight = self.weight * self.grown(run)
        return weight * (sin + cons + mix) + (1.0 - weight) * others

    def _mixed(self, run: Run, x: Tensor, labels: Tensor) -> Tensor:
        if len(x) < 2:
            # One item has nothing to be mixed with.
            return labels.new_zeros(())
        share = larger_share(self.draws.share(run.updates))
        order = self.draws.order(run.updates, len(x)).to(run.device)
        z = run.module(mixed(x, x.index_select(0, order), share))
        goal = mixed(labels, labels.index_select(0, order), share)
        return _entropies(z, goal).mean()

    def after_step(self, run: Run, batch: Batch) -> None:
        """Keep what the model says of the batch."""
        opinions = self.seen["opinions"]
        self.W.index_copy_(0, batch.rows, opinions)
        self.ring.push(opinions=opinions)
        self.filled = min(self.filled + len(batch), len(self.ring))

    def after_epoch(self, run: Run) -> None:
        """Move the class shares towards those of the items' likeliest labels."""
        classes = self.W.shape[1]
        found = one_hot(self.W.argmax(dim=1), classes).to(self.W.dtype).mean(dim=0)
        m = self.prior_momentum
        self.prior = m * self.prior + (1.0 - m) * found


@torch.no_grad()
def dealt(opinions: Tensor, prior: Tensor, *, sharpness: float) -> Tensor:
    """Labels nearest to what is believed, with given shares of the classes.

    Scales the powers of the opinions by a factor for every item and one for every class
    (Sinkhorn), until items sum to 1 and classes to their shares of all items, as far as
    the sets allow. Items come last, so they sum to 1 exactly.

    Parameters
    ----------
    opinions : tensor of shape (items, classes)
        Probabilities, 0 outside the sets.
    prior : tensor of shape (classes,)
        Shares of the classes.
    sharpness : float
        The exponent.

    Returns
    -------
    tensor of shape (items, classes)

    Examples
    --------
    Both items prefer the first class, but half of them belong to the second.

    >>> import torch
    >>> opinions = torch.tensor([[0.9, 0.1], [0.6, 0.4]])
    >>> dealt(opinions, torch.tensor([0.5, 0.5]), sharpness=3.0).argmax(dim=1)
    tensor([0, 1])
    """
    # A factor for every item changes nothing, so its largest opinion may be 1: then
    # the power of small ones underflows harmlessly.
    scaled = opinions.double() / opinions.amax(dim=1, keepdim=True).double()
    K = scaled**sharpness
    per_item = torch.ones(len(K), dtype=K.dtype, device=K.device)
    wanted = prior.double() * len(K)
    for _ in range(ITERATIONS):
        mass = per_item @ K
        # A class that nobody may have is dealt nothing.
        per_class = torch.where(mass > 0, wanted / mass.clamp(min=1e-300), 0.0)
        total = K @ per_class
        per_item = torch.where(total > 0, 1.0 / total.clamp(min=1e-300), 0.0)
    found = per_item[:, None] * K * per_class
    # Items all of whose classes have the share 0 keep their opinions.
    lost = found.sum(dim=1, keepdim=True) <= 0
    return torch.where(lost, opinions.double(), found).to(opinions.dtype)


def plausible(labels: Tensor, losses: Tensor, shares: Tensor) -> Tensor:
    """Choose the items of smallest loss of every class; of equals, the first.

    Parameters
    ----------
    labels : tensor of shape (items, classes)
        An item belongs to the class of its largest number.
    losses : tensor of shape (items,)
    shares : tensor of shape (classes,)
        How many of a class are chosen, as a share of all items; rounded up, and one at
        least.
    """
    c = labels.argmax(dim=1)
    most = torch.ceil(len(labels) * shares).clamp(min=1).index_select(0, c)
    order = losses.argsort(stable=True)
    member = one_hot(c.index_select(0, order), labels.shape[1])
    before = (member.cumsum(dim=0) * member).sum(dim=1) - 1
    place = torch.empty_like(before)
    place[order] = before
    return place < most


def _entropies(z: Tensor, goal: Tensor) -> Tensor:
    """Cross-entropy of every row."""
    return -(goal * z.log_softmax(dim=1)).sum(dim=1)
