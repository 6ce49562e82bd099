"""RealMLP, by the package of its authors."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytabkit
import torch
from numpy.typing import ArrayLike
from sklearn.dummy import DummyClassifier, DummyRegressor

from caveat.exceptions import InvalidInput
from caveat.models._base import Lesson, TabularModel
from caveat.models._tasks import is_classification
from caveat.models.files._pack import Pack, pack_dummy, unpack_dummy
from caveat.training import sandbox

# Standardised numbers beyond this are held: the package computes in single precision,
# whose end their squares would pass. It bends numbers far nearer than that by itself.
_FAR = 1e6
# Where the package, and what it trains with, would speak to the terminal.
_TALKERS = ("pytorch_lightning", "lightning.pytorch", "lightning_fabric", "lightning")


@dataclass(eq=False, repr=False)
class RealMLP(TabularModel):
    """A perceptron with tuned defaults: the package `pytabkit`.

    Text columns go in as categories, a missing category is one of its own, missing
    numbers become the training mean. The package keeps the pass that is best on the
    validation rows. Numbers go in standardised, which changes no more than rounding:
    the package scales them again, by their quartiles.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    n_epochs : int, default=256
        Passes over the rows; none is left out.
    validation : float or None, default=0.2
        Share of rows held out where `fit` is not told; None is none.
    mask_rate : float, default=0.0
        Share of training rows that lose columns: so many rows are added, and what they
        lost is missing. Training for loss; the model then offers `predict_masked`.
    device : str, default="cpu"
        Where to train.
    options : mapping or None, default=None
        Further keywords for the package's estimator.
    kinds : mapping of column to kind, or None
        ``numerical``, ``categorical`` or ``boolean`` where detection would err.
    random_state : int, RandomState instance or None
        Seeds the first weights and the order of the rows.

    Attributes
    ----------
    classes_ : array
        The labels, sorted; classification only.
    estimator_ : fitted RealMLP_TD_Classifier or RealMLP_TD_Regressor
        Or the dummy, if no column has two values: there is nothing to scale by.
    levels_ : dict of column to list of str
        The levels of every text column; of a number, none.
    validation_rows_ : array of int
        Which training rows were held out.

    Warnings
    --------
    Cannot weigh rows. A number is never told to be missing or gone: the network sees
    the training mean. Its answers to a regression stay within the range of the training
    rows.

    References
    ----------
    .. [1] D. Holzmüller, L. Grinsztajn, I. Steinwart (2024). Better by default: strong
       pre-tuned MLPs and boosted trees on tabular data. NeurIPS.
    """

    encoding: ClassVar[Mapping[str, Any]] = {"categories": "keep", "scale": "standard"}
    weighs: ClassVar[bool] = False
    stops_early: ClassVar[bool] = True
    scales_target: ClassVar[bool] = True

    task: str = "classification"
    _: KW_ONLY
    n_epochs: int = 256
    validation: float | None = 0.2
    mask_rate: float = 0.0
    device: str = "cpu"
    options: Mapping[str, Any] | None = None
    kinds: Mapping[str, str] | None = None
    random_state: Any = None

    def _build(self, seed: int, n_rows: int, **more: Any) -> Any:
        kind = (
            pytabkit.RealMLP_TD_Classifier
            if is_classification(self.task)
            else pytabkit.RealMLP_TD_Regressor
        )
        settings = {"n_epochs": self.n_epochs, "device": self.device, "verbosity": 0}
        settings |= {"random_state": seed, **(self.options or {}), "n_threads": 1}
        return kind(**settings | more)

    def _learn(self, lesson: Lesson) -> Any:
        # Few rows: what is learnt from also says when it was best.
        watch = lesson.watch or lesson
        table, held = _filled(lesson.table), _filled(watch.table)
        self.levels_ = _levels(pd.concat([table, held]))
        if (table.nunique() < 2).all():
            classify = is_classification(self.task)
            constant = DummyClassifier() if classify else DummyRegressor()
            return constant.fit(table, lesson.target)
        estimator = self._build(lesson.seed, len(lesson.target))
        with _alone(lesson.seed, self.device):
            return estimator.fit(
                table,
                lesson.target,
                X_val=held,
                y_val=watch.target,
                cat_col_names=self._texts,
            )

    @property
    def _texts(self) -> list[str]:
        return [name for name, levels in self.levels_.items() if levels]

    def _answer(self, table: Any) -> ArrayLike:
        with _alone(0, self.device):
            found = np.asarray(super()._answer(_filled(table)))
        if not np.isfinite(found).all():
            raise InvalidInput(
                "RealMLP's training left numbers that are not finite, so it has no "
                "answers; fit it with fewer n_epochs, or choose another model"
            )
        return found

    def _pack(self) -> Pack:
        facts = {"levels": self.levels_}
        if isinstance(self.estimator_, DummyClassifier | DummyRegressor):
            pack = pack_dummy(self.estimator_)
            return Pack({**facts, **pack.facts}, pack.arrays)
        arrays = {
            f"{part}.{name}": tensor.detach().cpu().numpy()
            for part, network in _networks(self.estimator_).items()
            for name, tensor in network.state_dict().items()
        }
        pack = Pack(facts, arrays)
        self._check_packed(pack)
        return pack

    def _check_packed(self, pack: Pack) -> None:
        """Ask what would come back: options may hide numbers outside of the tensors."""
        rows = _rows_of(self.levels_, 2)
        ask = "predict_proba" if is_classification(self.task) else "predict"
        again = self._rebuilt(pack)
        with _alone(0, self.device):
            found = [getattr(one, ask)(rows) for one in (self.estimator_, again)]
        if not np.array_equal(*found):
            raise InvalidInput(
                f"RealMLP with the options {dict(self.options or {})} cannot be saved: "
                "a part of it is no tensor; keep its training rows and fit it again"
            )

    def _unpack(self, pack: Pack) -> None:
        self.levels_ = pack.facts["levels"]
        dummy = "dummy" in pack.facts
        self.estimator_ = unpack_dummy(pack) if dummy else self._rebuilt(pack)

    def _rebuilt(self, pack: Pack) -> Any:
        """Build the network on made rows of the same columns and levels, then fill it.

        Its shapes follow from the columns, the levels and the number of classes; all
        that was learnt, scales and medians included, is in its tensors.
        """
        classify = is_classification(self.task)
        rows = _rows_of(self.levels_, len(self.classes_) if classify else 2)
        target = np.arange(len(rows))
        target = target % len(self.classes_) if classify else target.astype(float)
        estimator = self._build(0, len(rows), n_epochs=1)
        with _alone(0, self.device):
            estimator.fit(
                rows, target, X_val=rows, y_val=target, cat_col_names=self._texts
            )
        for part, network in _networks(estimator).items():
            state = {
                name.removeprefix(f"{part}."): torch.tensor(array)
                for name, array in pack.arrays.items()
                if name.startswith(f"{part}.")
            }
            try:
                network.load_state_dict(state)
            except RuntimeError as error:
                reason = str(error).splitlines()[0]
                raise ValueError(f"its tensors do not fit ({reason})") from error
        return estimator


@contextmanager
def _alone(seed: int, device: str) -> Iterator[None]:
    """Let the package work in silence, and leave torch's generators as they were."""
    talkers = [logging.getLogger(name) for name in _TALKERS]
    before = [talker.level for talker in talkers]
    try:
        for talker in talkers:
            talker.setLevel(logging.ERROR)
        with warnings.catch_warnings(), sandbox(seed, device=device):
            # About itself and the libraries below it: nothing that a user could mend.
            warnings.simplefilter("ignore")
            yield
    finally:
        for talker, level in zip(talkers, before, strict=True):
            talker.setLevel(level)


def _filled(table: pd.DataFrame) -> pd.DataFrame:
    """Put the mean, which is 0, where a number is gone; hold those that are far."""
    numbers = table.select_dtypes("number")
    # As precise as the package is, so that what it cannot tell apart is one value.
    held = numbers.fillna(0.0).clip(-_FAR, _FAR).astype(np.float32)
    return table.assign(**{name: held[name] for name in held})


def _levels(table: pd.DataFrame) -> dict[str, list[str]]:
    texts = set(table.select_dtypes(exclude="number").columns)
    return {
        name: sorted(table[name].unique().tolist()) if name in texts else []
        for name in table.columns
    }


def _rows_of(levels: Mapping[str, list[str]], fewest: int) -> pd.DataFrame:
    """Make rows that have every level, and numbers that are not all the same."""
    count = max(4, fewest, *map(len, levels.values()))
    made = {
        name: np.resize(np.array(known, dtype=object), count)
        if known
        else np.arange(count) / count
        for name, known in levels.items()
    }
    return pd.DataFrame(made)


def _networks(estimator: Any) -> dict[str, torch.nn.Module]:
    """Find what scales the columns, and what learns from them."""
    model = getattr(estimator.alg_interface_, "model", None)
    if model is None:
        raise InvalidInput(
            f"RealMLP learnt by a {type(estimator.alg_interface_).__name__} cannot be "
            "saved; leave out the options that ask for it"
        )
    return {"scales": model.creator.static_model, "network": model.model}
