"""A scikit-learn classifier that learns from candidate sets."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from caveat.candidates._algorithm import Algorithm
from caveat.candidates._candidates import (
    CandidateSets,
    aligned,
    are_labels,
    as_candidates,
)
from caveat.candidates._items import Normalised, encode, fitted_encoder, items_of
from caveat.candidates._splits import Shares, warn_if_sorted
from caveat.candidates.criteria import approximated_accuracy, covering_rate
from caveat.candidates.registry import LEARNERS
from caveat.datasets import Dataset
from caveat.exceptions import InvalidInput, UnknownName
from caveat.tables import remember_columns
from caveat.training import (
    Best,
    Job,
    Paired,
    Run,
    Sampler,
    Shuffled,
    Training,
    View,
    Weighted,
    adam,
    as_it_is,
    check_device,
    mlp,
    outputs,
)
from caveat.training.images import ImageEncoder, image_views, make_network

Floats = NDArray[np.float64]
Watch = Callable[["PartialLabelClassifier"], Mapping[str, float]]


def _approximation(logits: Floats, candidates: CandidateSets) -> float:
    return approximated_accuracy(logits, candidates, log=True)


CRITERIA: dict[str, Callable[[Floats, CandidateSets], float]] = {
    "covering-rate": covering_rate,
    "approximated-accuracy": _approximation,
}


class PartialLabelClassifier(ClassifierMixin, BaseEstimator):
    """Neural network that learns from a set of candidate labels per item.

    Numbers of a table are standardised and categories encoded by the training rows,
    images normalised by the training images; then a network learns by Adam.

    Parameters
    ----------
    algorithm : str or subclass of Algorithm, default="proden"
        A name from `algorithms`, or a class of one's own.
    network : str, callable or None, default=None
        "small-cnn", "resnet-32" or "densenet-22" for images, or a factory: called with
        the shape of an item, (h, w, c) or (columns,), and the number of classes, it
        gives any torch module whose last step is a linear layer. None is a network
        with ReLU layers for a table, "small-cnn" for images.
    variant : {"paper", "plench"}, default="paper"
        The method as published, or as the PLENCH benchmark implemented it.
    params : mapping, optional
        Parameters of the algorithm, such as ``{"window": 3}`` for "pop".
    hidden : sequence of int, default=(500,)
        Width of every hidden layer of the network for tables.
    learning_rate : float, default=1e-3
    weight_decay : float, default=1e-5
        L2 penalty, added to the gradient.
    batch_size : int, default=128
        Items in a step; the last, smaller batch of an epoch is left out.
    max_steps : int, default=10_000
    checkpoint_every : int, default=1000
        Steps between two looks at the criterion.
    criterion : {None, "covering-rate", "approximated-accuracy"}, default=None
        Keep the checkpoint that is best by it on held-out candidate sets, which needs
        no true label. None trains on all items to the end.
    validation_fraction : float, default=0.1
        Share of the items held out for the criterion.
    flips : bool, default=True
        Whether a mirrored image shows the same thing; not so for letters and digits.
    device : str, default="cpu"
    precision : {"float32", "bfloat16"}, default="float32"
        "bfloat16" computes products of the training in half the width.
    channels_last : bool, default=False
        Lay convolutions out as GPUs like them.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    algorithm_ : Algorithm
        With whatever it kept for the training items.
    network_ : torch.nn.Module
    encoder_ : TableEncoder or ImageEncoder
    history_ : list of dict
        Steps, epoch, mean loss and scores of every checkpoint.
    best_checkpoint_ : int or None
        Which of them the criterion chose.
    losses_ : list of float
        Of every step.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if `X` was a frame whose names are text.

    Warnings
    --------
    Nothing in the training tells a true label from a wrong one that always comes with
    it. Whoever tunes on true labels reports a number that users cannot reach. CUDA
    devices are accepted but were never tested.

    References
    ----------
    .. [1] W. Wang et al. (2025). Realistic evaluation of deep partial-label learning
       algorithms. ICLR.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from caveat.candidates import PartialLabelClassifier, uniform_candidates
    >>> X, y = load_iris(return_X_y=True)
    >>> candidates = uniform_candidates(y, random_state=0)
    >>> model = PartialLabelClassifier("cc", hidden=(32,), max_steps=150,
    ...                                learning_rate=0.02, random_state=0)
    >>> model.fit(X, candidates).score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        algorithm: str | type[Algorithm] = "proden",
        network: Any = None,
        *,
        variant: str = "paper",
        params: Mapping[str, Any] | None = None,
        hidden: Sequence[int] = (500,),
        learning_rate: float = 1e-3,
        weight_decay: float = 1e-5,
        batch_size: int = 128,
        max_steps: int = 10_000,
        checkpoint_every: int = 1000,
        criterion: str | None = None,
        validation_fraction: float = 0.1,
        flips: bool = True,
        device: str = "cpu",
        precision: str = "float32",
        channels_last: bool = False,
        random_state: Any = None,
    ) -> None:
        self.algorithm = algorithm
        self.network = network
        self.variant = variant
        self.params = params
        self.hidden = hidden
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_steps = max_steps
        self.checkpoint_every = checkpoint_every
        self.criterion = criterion
        self.validation_fraction = validation_fraction
        self.flips = flips
        self.device = device
        self.precision = precision
        self.channels_last = channels_last
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        candidates: Any = None,
        *,
        sample_weight: Any = None,
        encoder: Any = None,
        checkpoints: Sequence[int] | None = None,
        watch: Watch | None = None,
        save_to: str | os.PathLike[str] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Learn from items and their candidate sets.

        Parameters
        ----------
        X : DataFrame, array-like of shape (n_items, n_columns), images, or Dataset
            Images are an array (n_items, h, w) or (n_items, h, w, c) of bytes.
        candidates : bool array of shape (n_items, n_classes), CandidateSets, or sets
            Or one label per item: then this is an ordinary classifier. A Dataset
            brings its own where none are given.
        sample_weight : array-like of shape (n_items,), optional
            Items are drawn as often as they weigh, one of weight 0 never.
        encoder : fitted transformer, optional
            Used instead of one that is fitted on the training rows here. It must not
            have seen anything that training may not see.
        checkpoints : sequence of int, optional
            Steps to look at, instead of every `checkpoint_every`.
        watch : callable, optional
            Gets this classifier at every checkpoint and returns numbers for
            `history_`. It has no influence on training.
        save_to : path, optional
            File for the state of the run: fit goes on from it if it is there.
        progress : callable, optional
            Gets ``(steps, total)`` now and then.

        Returns
        -------
        self
        """
        encoded, sets = self._prepare(X, candidates, encoder)
        weights = None
        if sample_weight is not None:
            weights = check_weights(sample_weight, len(encoded))
        job = self._job(encoded, sets, checkpoints, watch, save_to, progress, weights)
        self._keep(job.train())
        return self

    def _prepare(
        self, X: Any, candidates: Any, encoder: Any
    ) -> tuple[NDArray, CandidateSets]:
        """Check everything, and turn items and sets into numbers."""
        self._check_parameters()
        items = items_of(X)
        if candidates is None and isinstance(X, Dataset):
            candidates = X.candidates if X.candidates is not None else X.y
            if X.candidates is not None:
                candidates = CandidateSets(X.candidates, tuple(X.classes))
        self.encoder_ = fitted_encoder(items) if encoder is None else encoder
        encoded = self._encode(items)
        remember_columns(self, self.encoder_)
        sets = as_candidates(candidates, n_items=len(encoded))
        self.classes_ = label_array(sets.classes)
        self.candidate_shares_ = Shares.found(sets.matrix)
        return encoded, sets

    def _job(
        self,
        encoded: NDArray,
        sets: CandidateSets,
        checkpoints: Sequence[int] | None = None,
        watch: Watch | None = None,
        save_to: str | os.PathLike[str] | None = None,
        progress: Callable[[int, int], None] | None = None,
        weights: NDArray[np.float64] | None = None,
        everything: Mapping[str, Tensor] | None = None,
    ) -> Job:
        """Describe the run; `everything` are all rows, where others train on them."""
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        learn, judge = self._held_out(len(encoded), seed)
        self.algorithm_ = make_algorithm(self.algorithm, self.variant, self.params)
        self.network_ = self._make_network(encoded.shape[1:], sets.shape[1], seed)
        held = torch.as_tensor(encoded[judge])
        data: Mapping[str, Any] = everything or {}
        if len(judge) or not data:
            data = {"x": encoded[learn], "candidates": sets.matrix[learn]}

        def evaluate(run: Run) -> dict[str, float]:
            scores: dict[str, float] = {}
            if self.criterion is not None:
                logits = self._answers(run.module, held).double().cpu().numpy()
                scores[self.criterion] = CRITERIA[self.criterion](logits, sets[judge])
            return {**scores, **(watch(self) if watch else {})}

        return Job(
            module=self.network_,
            objective=self.algorithm_,
            data=data,
            steps=self.max_steps,
            batch_size=self.batch_size,
            drop_last=True,
            sampler=self._sampler(len(learn), weights, learn),
            views=self._views(),
            optimiser=adam(self.learning_rate, weight_decay=self.weight_decay),
            evaluate=evaluate,
            checkpoints=self.checkpoint_every
            if checkpoints is None
            else list(checkpoints),
            best=Best(self.criterion, "max") if self.criterion else None,
            seed=seed,
            device=self.device,
            precision=self.precision,
            channels_last=self.channels_last,
            save_to=save_to,
            progress=progress,
        )

    @property
    def _is_image_model(self) -> bool:
        return isinstance(self.encoder_, ImageEncoder)

    def _make_network(self, shape: tuple[int, ...], classes: int, seed: int) -> Any:
        self.item_shape_ = self.encoder_.shape_ if self._is_image_model else shape
        if self._is_image_model:
            name = "small-cnn" if self.network is None else self.network
            return make_network(name, self.item_shape_, classes, seed=seed)
        if self.network is None:
            return mlp(shape[0], self.hidden, classes, seed=seed)
        return make_network(self.network, shape, classes, seed=seed)

    def _views(self) -> dict[str, View] | None:
        """Name the views that there are: of images; of a table its rows, if need be."""
        if self._is_image_model:
            self.algorithm_.show("weak")
            return image_views(self.encoder_, flips=self.flips)
        if not self.algorithm_.needs_views:
            return None
        return dict.fromkeys(self.algorithm_.views, as_it_is)

    def _sampler(
        self, count: int, weights: NDArray[np.float64] | None, learn: NDArray
    ) -> Sampler | None:
        """Say which items go into a step; None is all of them, in any order."""
        size = self.batch_size

        def one() -> Shuffled | Weighted:
            if weights is None:
                return Shuffled(count, size, drop_last=True)
            return Weighted(weights[learn], size, drop_last=True)

        if self.algorithm_.needs_second_batch:
            return Paired(one(), one())
        return None if weights is None else one()

    def _keep(self, training: Training) -> None:
        self.history_ = training.checkpoints
        self.losses_ = training.losses
        self.best_checkpoint_ = training.best

    def predict_proba(self, X: Any) -> Floats:
        """Probability of every class, shape (n_items, n_classes)."""
        return self._logits(X).softmax(dim=1).numpy()

    def predict(self, X: Any) -> NDArray:
        """Most probable class of every item; the first of several."""
        best = self._logits(X).argmax(dim=1).numpy()
        return self.classes_[best]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Give the accuracy for labels, the covering rate for candidate sets.

        So a search with scikit-learn's tools needs no true label.

        Parameters
        ----------
        X : as in `fit`
        y : as `candidates` in `fit`
        sample_weight : array-like, optional

        Warns
        -----
        UserWarning
            If the sets come from other classes than those learnt from, as they do when
            rows that are sorted by class are cut without shuffling.
        """
        if y is not None and are_labels(y):
            return float(super().score(X, np.asarray(y), sample_weight))
        best = self._logits(X).argmax(dim=1).numpy()
        classes = self.classes_.tolist()
        allowed = aligned(as_candidates(y, n_items=len(best), warn=False), classes)
        if hasattr(self, "candidate_shares_"):
            warn_if_sorted(self.candidate_shares_, Shares.found(allowed), classes)
        hits = allowed[np.arange(len(best)), best]
        return float(np.average(hits, weights=sample_weight))

    def decision_function(self, X: Any) -> Floats:
        """Logits of every class; with two classes, how far the second is ahead."""
        logits = self._logits(X).numpy()
        return logits[:, 1] - logits[:, 0] if logits.shape[1] == 2 else logits

    def _logits(self, X: Any) -> Tensor:
        check_is_fitted(self, "network_")
        return self._answers(self.network_, torch.as_tensor(self._encode(X)))

    def _answers(self, network: nn.Module, x: Tensor) -> Tensor:
        """Ask the network about encoded items.

        Rows of a table in double precision, so that an item's answer does not depend on
        the others that are asked about with it; images as in training, on its device:
        doubles would take ten times as long there.
        """
        if isinstance(self.encoder_, ImageEncoder):
            asked = Normalised(self.encoder_, network)
            return outputs(asked, x, batch_size=512).cpu().double()
        return outputs(deepcopy(network).cpu().double(), x.double())

    def _encode(self, X: Any) -> NDArray:
        return encode(self.encoder_, X)

    def _held_out(self, count: int, seed: int) -> tuple[NDArray, NDArray]:
        if self.criterion is None:
            return np.arange(count), np.arange(0)
        size = max(1, round(self.validation_fraction * count))
        if size >= count:
            raise InvalidInput(
                f"criterion: {count} items leave none to learn from; pass more "
                "items or criterion=None"
            )
        order = np.random.default_rng([seed, 1]).permutation(count)
        return np.sort(order[size:]), np.sort(order[:size])

    def _check_parameters(self) -> None:
        check_device(self.device)
        if self.criterion is not None and self.criterion not in CRITERIA:
            raise UnknownName.among("criterion", self.criterion, CRITERIA)
        for name in ("batch_size", "max_steps", "checkpoint_every"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise InvalidInput(f"{name} is {value!r}; pass a whole number")
            if value < 1:
                raise InvalidInput(f"{name} is {value}; pass 1 or more")
        if not 0 < self.validation_fraction < 1:
            raise InvalidInput(
                f"validation_fraction is {self.validation_fraction}; pass a share "
                "between 0 and 1"
            )
        if not self.learning_rate > 0 or not self.weight_decay >= 0:
            raise InvalidInput(
                f"learning_rate is {self.learning_rate} and weight_decay "
                f"{self.weight_decay}; pass a positive and a non-negative number"
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.non_deterministic = False
        return tags


def make_algorithm(
    algorithm: str | type[Algorithm],
    variant: str = "paper",
    params: Mapping[str, Any] | None = None,
) -> Algorithm:
    """Build an algorithm from its name or class.

    Examples
    --------
    >>> make_algorithm("pop", params={"window": 3}).window
    3
    >>> make_algorithm("prodne")
    Traceback (most recent call last):
    ...
    caveat.exceptions.UnknownName: no learner is called 'prodne'; did you mean 'proden'?
    """
    if isinstance(algorithm, str):
        kind, fixed = LEARNERS[algorithm].load(), LEARNERS[algorithm].params
    else:
        kind, fixed = algorithm, {}
    if not (isinstance(kind, type) and issubclass(kind, Algorithm)):
        raise InvalidInput(
            f"algorithm is {algorithm!r}; pass a name or a subclass of "
            "caveat.candidates.Algorithm"
        )
    return kind(**{**fixed, **(params or {}), "variant": variant})


def check_weights(sample_weight: Any, count: int) -> NDArray[np.float64]:
    """Check weights of items: one each, none negative, not all 0."""
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (count,):
        raise InvalidInput(
            f"sample_weight has the shape {weights.shape}; pass one weight for each of "
            f"{count} items"
        )
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise InvalidInput(
            "sample_weight holds a negative or unknown number, or only zeros; pass "
            "weights from 0 up"
        )
    return weights


def label_array(classes: tuple[Any, ...]) -> NDArray:
    values: ArrayLike = list(classes)
    found = np.asarray(values)
    if found.ndim != 1 or len({type(item) for item in classes}) > 1:
        found = np.empty(len(classes), dtype=object)
        found[:] = classes
    return found
