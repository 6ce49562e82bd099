"""LIMO: one linear model that optimises the label-wise and the instance-wise margin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.utils import check_random_state

from caveat.exceptions import InvalidInput, UnknownName
from caveat.multilabel._arrays import ByteArray, FloatArray, IntArray
from caveat.multilabel.learners._base import (
    MultiLabelClassifier,
    check_count,
    check_positive,
    make_scaler,
)
from caveat.multilabel.learners._limo_kernels import (
    Pairs,
    ScaledWeights,
    Settings,
    dense_steps,
    draw_steps,
    finish_dense,
    finish_sparse,
    sparse_steps,
)
from caveat.multilabel.theory._margins import margins
from caveat.multilabel.thresholds._names import make_threshold

DRAWS = 4096
"""Random numbers come in blocks of so many iterations, six per iteration."""


class LIMO(MultiLabelClassifier):
    """Label-wise and instance-wise margin optimisation by stochastic steps.

    Every iteration draws one instance with a relevant and an irrelevant label,
    and one label with a positive and a negative instance; where a pair's margin is
    below 1, the weights move (Algorithm 1 of [1]_). The model is the mean of all
    iterates. ``lambda1=0`` gives LIMO-inst, ``lambda2=0`` gives LIMO-label.

    Parameters
    ----------
    lambda1, lambda2 : float, default=1.0
        Weight of the label-wise and of the instance-wise margin.
    eta : float, default=0.01
        Step size.
    n_passes : int, default=10
        The number of iterations is n_passes · m · max(1, round(mean p_i)), as in
        the published code; the paper does not say. 30 is a good choice for use.
    max_iter : int, optional
        The number of iterations itself; overrides `n_passes`.
    sampling : {'paper', 'code'}, default='paper'
        All pairs alike, as Algorithm 1 prints; or instances alike, as the
        published code draws.
    decay : {'active', 'always'}, default='active'
        Whether weights shrink only when the drawn hinge is above zero, as
        printed, or whenever they are drawn.
    scaling : {'auto', 'standard', 'max-abs', 'none'}, default='auto'
        Scaling of the features, learnt in `fit`; ``auto`` standardises dense
        features and divides sparse ones by their largest absolute value.
    fit_intercept : bool, default=True
        Add a constant feature.
    features : {'rff', 'nystroem', None}, default=None
        Replace the scaled features by random Fourier or Nyström features of an
        RBF kernel with γ = 1/d, for a non-linear model.
    n_components : int, default=500
        How many of them.
    threshold : str, float or Threshold, default='auto'
        How `predict` decides; fitted to training scores. ``auto`` takes
        ``per-instance`` without the instance-wise margin, ``per-label`` without
        the label-wise one, and ``global`` with both.
    random_state : int, RandomState or None
        Seed of the start and of the draws.

    Attributes
    ----------
    coef_ : array of shape (l, features)
        Mean weights on the scaled features (and the constant one, last).
    margins_ : MarginReport
        Both margins on the training rows.
    n_active_ : array of shape (passes, 2)
        Share of drawn hinges above zero in each pass, label-wise and
        instance-wise; it flattens out when more passes will not help.
    n_iter_ : int
        Iterations.
    threshold_ : fitted Threshold

    Warnings
    --------
    Linear in its features, and sensitive to their scale far more than to the
    number of passes. Scores have no unit and are not probabilities. The step is
    not an unbiased gradient of the paper's objective, because weights shrink only
    when the hinge is active; ``decay="always"`` shrinks them always.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Algorithm 1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(300, 2))
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 0, X.sum(axis=1) > 0]).astype(int)
    >>> model = LIMO(random_state=0).fit(X, Y)
    >>> bool((model.predict(X) == Y).mean() > 0.9)
    True
    """

    def __init__(
        self,
        lambda1: float = 1.0,
        lambda2: float = 1.0,
        *,
        eta: float = 0.01,
        n_passes: int = 10,
        max_iter: int | None = None,
        sampling: str = "paper",
        decay: str = "active",
        scaling: str | None = "auto",
        fit_intercept: bool = True,
        features: str | None = None,
        n_components: int = 500,
        threshold: Any = "auto",
        random_state: Any = None,
    ) -> None:
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.eta = eta
        self.n_passes = n_passes
        self.max_iter = max_iter
        self.sampling = sampling
        self.decay = decay
        self.scaling = scaling
        self.fit_intercept = fit_intercept
        self.features = features
        self.n_components = n_components
        self.threshold = threshold
        self.random_state = random_state

    def _fit(self, X: Any, Y: ByteArray) -> None:
        self._check_parameters()
        threshold = make_threshold(self._threshold_name())
        random = check_random_state(self.random_state)
        generator = np.random.default_rng(random.randint(2**31, size=4))
        self._fit_features(X, generator)
        Z = self._features(X)
        pairs = self._pairs(Y)
        per_pass = len(Y) * max(1, int(np.floor(Y.sum() / len(Y) + 0.5)))
        passes = (
            [per_pass] * check_count("n_passes", self.n_passes)
            if self.max_iter is None
            else _cut(check_count("max_iter", self.max_iter), per_pass)
        )
        self.n_iter_ = sum(passes)
        start = generator.normal(0, 1 / np.sqrt(Z.shape[1]), (Y.shape[1], Z.shape[1]))
        run = _SparseRun if sparse.issparse(Z) else _DenseRun
        self.coef_, self.n_active_ = self._iterate(
            run(Z, start, pairs), passes, generator
        )
        scores = self._linear(Z)
        self.margins_ = margins(Y, scores)
        self.threshold_ = threshold.fit(scores, Y, self._scaled(X))

    def _check_parameters(self) -> None:
        check_positive("lambda1", self.lambda1, zero=True)
        check_positive("lambda2", self.lambda2, zero=True)
        if self.lambda1 == 0 and self.lambda2 == 0:
            raise InvalidInput("lambda1 and lambda2 are both 0; raise one of them")
        if check_positive("eta", self.eta) >= 1:
            raise InvalidInput(f"eta is {self.eta}; pass a step size below 1")
        for name, known in (
            ("sampling", ("paper", "code")),
            ("decay", ("active", "always")),
            ("features", ("rff", "nystroem", None)),
        ):
            if getattr(self, name) not in known:
                names = [str(item) for item in known]
                raise UnknownName.among(name, getattr(self, name), names)

    def _threshold_name(self) -> Any:
        if not (isinstance(self.threshold, str) and self.threshold == "auto"):
            return self.threshold
        if self.lambda2 == 0:
            return "per-instance"
        return "per-label" if self.lambda1 == 0 else "global"

    def _fit_features(self, X: Any, generator: np.random.Generator) -> None:
        self.scaler_ = make_scaler(self.scaling, X)
        self.feature_map_ = None
        if self.features is not None:
            count = check_count("n_components", self.n_components)
            seed = int(generator.integers(2**31))
            gamma = 1.0 / X.shape[1]
            self.feature_map_ = (
                RBFSampler(gamma=gamma, n_components=count, random_state=seed)
                if self.features == "rff"
                else Nystroem(
                    gamma=gamma,
                    n_components=min(count, X.shape[0]),
                    random_state=seed,
                )
            ).fit(self._scaled(X))

    def _features(self, X: Any) -> Any:
        """Scale, map, and add the constant feature."""
        Z = self._scaled(X)
        if self.feature_map_ is not None:
            Z = self.feature_map_.transform(Z)
        if self.fit_intercept:
            ones = np.ones((Z.shape[0], 1))
            if sparse.issparse(Z):
                return sparse.csr_array(sparse.hstack([Z, sparse.csr_array(ones)]))
            return np.hstack([Z, ones])
        return sparse.csr_array(Z) if sparse.issparse(Z) else np.ascontiguousarray(Z)

    def _pairs(self, Y: ByteArray) -> Pairs:
        pairs = Pairs.of(Y, self.sampling)
        if self.lambda1 > 0 and pairs.row_weights[-1] == 0:
            raise InvalidInput(
                "no instance has both a relevant and an irrelevant label, so there is "
                "no label-wise margin; set lambda1=0"
            )
        if self.lambda2 > 0 and pairs.label_weights[-1] == 0:
            raise InvalidInput(
                "no label has both a positive and a negative instance, so there is no "
                "instance-wise margin; set lambda2=0"
            )
        return pairs

    def _iterate(
        self, run: _DenseRun | _SparseRun, passes: list[int], rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        settings = Settings(
            eta=float(self.eta),
            lambda1=float(self.lambda1),
            lambda2=float(self.lambda2),
            code=self.sampling == "code",
            always=self.decay == "always",
        )
        drawn, used, done = np.empty((0, 6), dtype=np.int64), 0, 0
        shares = np.zeros((len(passes), 2))
        for number, size in enumerate(passes):
            active = np.zeros(2, dtype=np.int64)
            left = size
            while left:
                if used == len(drawn):
                    drawn, used = run.draw(rng.random((DRAWS, 6)), settings.code), 0
                part = drawn[used : used + left]
                run.steps(part, done, settings, active)
                used, done, left = used + len(part), done + len(part), left - len(part)
            shares[number] = active / size
        return run.finish(done), shares

    def _linear(self, Z: Any) -> FloatArray:
        return np.asarray(Z @ self.coef_.T)

    def _scores(self, X: Any) -> FloatArray:
        return self._linear(self._features(X))

    def _decide(self, scores: FloatArray, X: Any) -> NDArray[np.int64]:
        return self.threshold_.predict(scores, self._scaled(X))


class _Run:
    """What both kinds of features share: turning random numbers into choices."""

    def __init__(self, X: Any, start: FloatArray, pairs: Pairs) -> None:
        self.X, self.pairs, self._n_labels = X, pairs, len(start)

    def draw(self, draws: FloatArray, code: bool) -> IntArray:
        """Choose instances and labels for one iteration per row of `draws`."""
        return draw_steps(self.pairs, self.X.shape[0], self._n_labels, code, draws)


class _DenseRun(_Run):
    """Weights, their running sum, and the loop over dense features."""

    def __init__(self, X: FloatArray, start: FloatArray, pairs: Pairs) -> None:
        super().__init__(X, start, pairs)
        self.W = start
        self.A = np.zeros_like(start)
        self.last = np.zeros(len(start), dtype=np.int64)

    def steps(
        self, drawn: IntArray, done: int, settings: Settings, active: IntArray
    ) -> None:
        """Run one iteration per row of `drawn`."""
        dense_steps(self.X, self.W, self.A, self.last, drawn, done, settings, active)

    def finish(self, total: int) -> FloatArray:
        """Return the mean of all iterates."""
        finish_dense(self.W, self.A, self.last, total)
        return self.A


class _SparseRun(_Run):
    """The same over a CSR matrix."""

    def __init__(self, X: Any, start: FloatArray, pairs: Pairs) -> None:
        super().__init__(X, start, pairs)
        self.columns = X.indices.astype(np.int64)
        self.ends = X.indptr.astype(np.int64)
        self.weights = ScaledWeights(
            vector=start,
            scale=np.ones(len(start)),
            rest=np.zeros_like(start),
            factor=np.zeros(len(start)),
            last=np.zeros(len(start), dtype=np.int64),
        )

    def steps(
        self, drawn: IntArray, done: int, settings: Settings, active: IntArray
    ) -> None:
        """Run one iteration per row of `drawn`."""
        sparse_steps(
            self.X.data,
            self.columns,
            self.ends,
            self.weights,
            drawn,
            done,
            settings,
            active,
        )

    def finish(self, total: int) -> FloatArray:
        """Return the mean of all iterates."""
        return finish_sparse(self.weights, total)


def _cut(total: int, size: int) -> list[int]:
    """Cut a number of iterations into passes of `size` and a rest."""
    return [size] * (total // size) + ([total % size] if total % size else [])
