"""EAPP: the AUC that clusters reach when labels only name them."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from caveat.eapp._attributes import fill_in
from caveat.eapp._inputs import Images, Table, doubts, read_input
from caveat.eapp._null_band import Reading, in_words
from caveat.eapp._settings import SELECTIONS, check_settings
from caveat.eapp.clusters._counts import (
    cluster_counts,
    gaps_in_words,
    lonely_clusters,
    too_rare,
)
from caveat.eapp.folds._curves import SMALL_FOLD, Curves, compute_curves
from caveat.eapp.folds._fold import Plan
from caveat.eapp.folds._splits import Split, make_folds, strata_of
from caveat.eapp.labelings._naming import Naming
from caveat.eapp.representations._by_name import clusterer_of, representation_of
from caveat.eapp.target._prediction import Prediction, ShuffledNumbers
from caveat.eapp.target._read import read_target
from caveat.eapp.target._shuffles import ShuffledLabels
from caveat.eapp.target._target import Target, Task
from caveat.exceptions import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class EAPP(BaseEstimator):
    """Extended a priori probability: how much of an AUC is free.

    The rows are clustered without labels, each cluster is then named 0 or 1, and a
    point scores by its distances to the nearest cluster of either name. The AUC of the
    best naming, one for each number of clusters k, is the bar that a classifier has to
    clear. It is read off at k = 1/p₀, with p₀ the share of the smaller class.

    Parameters
    ----------
    representation : str or transformer, default="pca"
        What the clusterer sees: principal components (``pca``), the encoded columns or
        pixels (``none``), what an autoencoder finds (``cae``, variational ``vae``, or
        ``kmeans_ae``, trained together with its clusters as in the paper; these need
        torch), or what a scikit-learn transformer makes of them without labels.
    latent : int or "auto", default="auto"
        Number of components: 64 for images and tables of at least 64 encoded columns,
        else 2.
    clusterer : str, default="kmeans"
        ``kmeans``, ``ward``, ``average``, ``complete``, ``spectral``, ``gmm`` or
        ``dbscan``. K-means on more than 100,000 training rows tries its ten starts on
        50,000 of them, then runs on all; beyond 64 clusters it takes one start. The
        agglomerative ones, spectral and dbscan use at most 10,000 rows.
    k_max : int, default=10
        Largest number of clusters; raised to ⌈1/p₀⌉ where that is more.
    folds : int or iterable of (train, test), default=10
        Stratified folds, or pairs of row numbers whose test parts do not overlap.
    labeling : {"exact", "greedy", "contribution"}, default="exact"
        How clusters are named: the best of all 2^k - 2 ways; a good one found by
        climbing; or in linear time by the points nearest to each. Beyond 16 clusters
        "exact" becomes "greedy" (without shuffles: branch and bound up to 24), beyond
        64 that becomes "contribution"; `curve_.exact` says where. Of more than 65,536
        points of a part, as many drawn at random choose; all held-out points judge.
    selection : {"both", "train", "test"}, default="both"
        On which part the naming is chosen: the training part (honest), the very test
        part that is then judged (the paper's), or both, one after the other.
    score : {"ratio", "diff", "sqdiff"}, default="ratio"
        How the two distances order the points, see `best_labeling`.
    shuffles : int, default=200
        How often the labels are shuffled to see what chance gives; 0 for never.
    random_state : int, RandomState or None, default=None
        Of folds, clusterers and shuffles.
    kind : {"auto", "table", "images"}, default="auto"
        What `X` is; arrays of 3 or 4 dimensions are images.
    kinds : mapping of column to kind, optional
        ``numerical``, ``categorical`` or ``boolean`` where detection would err.
    scheme : {"independent", "incremental"}, default="independent"
        K-means from scratch for every k, or grown from k - 1 by splitting a cluster.
    aggregate : {"auto", "mean", "pooled"}, default="auto"
        Mean of the folds' AUCs, or one AUC over all held-out scores (honest curve
        only). "auto" pools when a fold has fewer than 5 points of a class.
    alpha : float, default=0.05
        Level of the verdict.
    pos_label : object, optional
        The positive class; with it, many classes become that one against the rest.
    image_size : int or "auto", default="auto"
        Side to which images are resized: "auto" keeps up to 32 pixels and makes larger
        ones 128.
    n_jobs : int, default=1
        Threads over folds; -1 for all cores. Results do not depend on it.
    gmm_distance : {"euclidean", "mahalanobis"}, default="euclidean"
        Distances of ``gmm``: plain, or in units of each component's spread.
    band : {"percentile", "mean_ci"}, default="percentile"
        Null band: 2.5 % to 97.5 % of the shuffles, or mean ± 1.96 standard errors.
    task : {"auto", "classification", "multilabel", "regression"}, default="auto"
        What `y` is: classes; 0/1 columns, one for every label that a row may have
        ("auto" takes two and more columns as such); or numbers. Numbers are predicted
        by the means of the two nearest clusters, and judged by concordance.
    multiclass : {"rest", "joint"}, default="rest"
        Of more than two classes: each against the rest; or all at once, every cluster
        named after one of them, exactly, with up to 12 clusters.
    scaling : {"robust", "standard"}, default="robust"
        Numbers of a table beyond Tukey's far fences are brought back to them before
        all are standardised, so that a few cells far out make no cluster of their own;
        or standardised as they are, as in the paper.
    training : mapping, optional
        Of the networks: ``epochs`` (50; of tables at least a thousand updates),
        ``rounds`` (20, per k), ``lam`` (0.01, weight of the clustering loss),
        ``learning_rate`` (0.001).

    Attributes
    ----------
    curve_ : DataFrame
        Columns k, honest, paper, null_mean, null_low, null_high, paper_null_mean,
        paper_null_low, paper_null_high, exact. For more than two classes the mean over
        classes, each against the rest.
    value_, value_paper_ : float
        Honest and paper value at 1/p₀; NaN for the one that was not asked for.
    measure_ : str
        What all values are: ``AUC``, or ``concordance`` of a target of numbers.
    p_value_, skill_, verdict_ : float, float, str
        Of the honest value (of the paper's with selection="test"): share of shuffles
        that do as well; distance from their mean towards 1; a word.
    null_at_k_star_, paper_null_at_k_star_ : dict
        ``mean``, ``low``, ``high`` of the shuffles at 1/p₀: beside the headline, and
        by the paper's selection.
    k_star_ : float
        1/p₀; of several classes the smallest.
    below_min_k_ : ndarray of bool
        Which rows of `curve_` lie below 1/p₀, where a comparison is not fair.
    per_class_ : DataFrame
        One row per class against the rest: label, share, k_star, value, value_paper,
        null_mean, null_low, null_high, p_value, skill, verdict. Of more than two
        classes, those with fewer rows than folds are left out, and listed in `notes_`.
    value_weighted_ : float
        Mean over classes weighted by their shares; `value_` for two classes.
    fold_values_, null_ : dict
        Under ``honest`` and ``paper``: values per fold, shape (folds, k), and shuffled
        curves, shape (shuffles, k). Of several classes they come first: (classes,
        folds, k) and (classes, shuffles, k).
    labelings_ : dict
        Under ``honest`` and ``paper``, for every fold: k to the mask that was chosen,
        bit j for cluster j; of several classes a list of masks.
    clusters_ : list of dict
        Per fold: k to its centroids in latent space.
    train_value_ : float
        AUC of the chosen labelings on the training parts, at 1/p₀.
    notes_ : list of str
        What a reader has to know: warnings given during `fit`.
    seconds_ : float

    Warnings
    --------
    A high value means an easy task *or* a coarse bias in the data (scanner, hospital,
    brightness); the method cannot tell which. A low value does not prove that there is
    no bias: clusters follow directions of large variance only, a single telling column
    among many stays unseen (`drivers(method="single")` looks for it). The paper's own
    selection is a maximum over labelings on the data it is judged by: pure noise then
    reaches 0.6 to 0.9, so never show `value_paper_` without its null band.

    References
    ----------
    .. [1] V. Ortiz Castelló, F. J. Pérez-Benito, O. del Tejo Catalá, I. Salvador Igual,
       R. Llobet, J.-C. Perez-Cortes (2022). Extended a priori probability (EAPP): a
       data-driven approach for machine learning binary classification tasks. IEEE
       Access 10. https://doi.org/10.1109/ACCESS.2022.3221936

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> baseline = EAPP(k_max=3, folds=5, shuffles=50, random_state=0).fit(X, y)
    >>> round(baseline.value_, 2), baseline.verdict_
    (0.95, 'trivially separable or biased')
    >>> round(baseline.headroom(0.99), 2)
    0.8
    """

    def __init__(
        self,
        representation: Any = "pca",
        latent: int | str = "auto",
        clusterer: str = "kmeans",
        k_max: int = 10,
        folds: int | Iterable[tuple[Any, Any]] = 10,
        labeling: str = "exact",
        selection: str = "both",
        score: str = "ratio",
        shuffles: int = 200,
        random_state: Any = None,
        *,
        kind: str = "auto",
        kinds: Mapping[str, str] | None = None,
        scheme: str = "independent",
        aggregate: str = "auto",
        alpha: float = 0.05,
        pos_label: object = None,
        image_size: int | str = "auto",
        n_jobs: int = 1,
        gmm_distance: str = "euclidean",
        band: str = "percentile",
        task: str = "auto",
        multiclass: str = "rest",
        scaling: str = "robust",
        training: Mapping[str, Any] | None = None,
    ) -> None:
        self.representation = representation
        self.latent = latent
        self.clusterer = clusterer
        self.k_max = k_max
        self.folds = folds
        self.labeling = labeling
        self.selection = selection
        self.score = score
        self.shuffles = shuffles
        self.random_state = random_state
        self.kind = kind
        self.kinds = kinds
        self.scheme = scheme
        self.aggregate = aggregate
        self.alpha = alpha
        self.pos_label = pos_label
        self.image_size = image_size
        self.n_jobs = n_jobs
        self.gmm_distance = gmm_distance
        self.band = band
        self.task = task
        self.multiclass = multiclass
        self.scaling = scaling
        self.training = training

    def fit(
        self,
        X: ArrayLike | pd.DataFrame,
        y: ArrayLike,
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Compute the curve, its null band and the value at 1/p₀.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, columns), or images
            A table, or an array (n, height, width[, channels]).
        y : array-like of shape (n,) or (n, labels)
            Labels of two or more classes; see `task` for others.
        progress : callable, optional
            Gets ``(done, total)`` after every fold and k.

        Returns
        -------
        self
        """
        started = time.perf_counter()
        check_settings(self)
        self.notes_: list[str] = []
        data = read_input(X, self.kind, self.image_size, self.kinds, self.scaling)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        target = read_target(
            y,
            len(data),
            self.pos_label,
            task=self.task,
            multiclass=self.multiclass,
        )
        target = self._leave_out(target, target.left_out)
        target = self._leave_out(target, too_rare(target))
        splits, unfit = make_folds(self.folds, target, seed)
        target = self._leave_out(target, unfit)
        rows = min(len(train) for train, _ in splits)
        ks, changed = cluster_counts(target, self.k_max, rows)
        if changed:
            self._note(changed)
        plan = self._plan(data, target, splits, ks)
        if plan.paper and not plan.honest and len(target.codes) / len(splits) < 30:
            self._note(
                f"folds: the paper's selection on {len(target.codes)} rows in "
                f"{len(splits)} folds is far above chance for any labels; look at "
                "its null band, or use selection='both'"
            )
        if plan.shuffles == 1:
            self._note("shuffles: one shuffle makes no band; pass 0 or at least 20")
        seeds = np.random.SeedSequence(seed).generate_state(len(splits) + 1)
        strata = strata_of(splits, len(data))
        curves = compute_curves(
            plan,
            splits,
            _shuffled(target, strata, plan.shuffles, int(seeds[-1])),
            seeds=[int(s) for s in seeds[:-1]],
            n_jobs=effective_n_jobs(self.n_jobs),
            progress=progress,
        )
        self._explain_gaps(plan, curves)
        for doubt in doubts(data, curves.folds[0].encoder):
            self._note(doubt)
        for doubt in lonely_clusters(curves.folds, target):
            self._note(doubt)
        self._data, self._target, self._splits = data, target, splits
        self._ks, self._folds = ks, curves.folds
        fill_in(self, plan, target, curves)
        self.seconds_ = time.perf_counter() - started
        return self

    def headroom(self, model_auc: float) -> float:
        """Share of what clustering leaves open that a model has earned.

        Parameters
        ----------
        model_auc : float
            The model's AUC on held-out rows.

        Returns
        -------
        float
            (model_auc - value) / (1 - value): 1 is perfect; at 0 or below the model
            does not beat clustering. Minus infinity if clustering is perfect and the
            model is not.

        Warnings
        --------
        Compare like with like: the model's AUC has to come from the same rows.
        """
        check_is_fitted(self, "curve_")
        if not 0 <= model_auc <= 1:
            raise InvalidInput(
                f"model_auc: found {model_auc!r}; an AUC lies between 0 and 1"
            )
        value = self._headline.value
        if value == 1:
            return 0.0 if model_auc == 1 else float("-inf")
        return (model_auc - value) / (1 - value)

    def drivers(
        self, method: str = "permute", *, repeats: int = 5, random_state: Any = None
    ) -> pd.DataFrame:
        """Find the columns that the value rests on, labelings and centroids fixed.

        Parameters
        ----------
        method : {"permute", "single", "loading"}, default="permute"
            ``permute``: AUC lost when one column (of images: one patch of an 8 x 8
            grid) is shuffled in the held-out rows. ``single``: EAPP of each column
            alone, which finds a narrow bias that all columns together hide.
            ``loading`` (pca only): share of each column in the direction from the
            negative to the positive clusters.
        repeats : int, default=5
            Shuffles per column and fold, for ``permute``.
        random_state : int, RandomState or None
            Of the shuffles.

        Returns
        -------
        DataFrame
            Columns ``column`` and ``drop``, ``value`` or ``share``, largest first.

        Warnings
        --------
        Two columns that say the same hide each other from ``permute``.
        """
        from caveat.eapp._drivers import find_drivers

        check_is_fitted(self, "curve_")
        return find_drivers(self, method, repeats, random_state)

    def answers(self) -> list[NDArray[np.float64]]:
        """Answer the held-out rows of every fold by the clusters of its other rows.

        There are ⌈1/p₀⌉ clusters, of the rarest class; two for a target of numbers.

        Returns
        -------
        list of ndarray
            For every fold, in the order of its rows: the shares of `classes_` in the
            nearest cluster, or the means of the two nearest, weighed by closeness.

        Warnings
        --------
        Their AUC is not `value_`, which scores by distances to named clusters.

        Examples
        --------
        >>> X = np.array([[0.0], [0.1], [5.0], [5.1], [0.2], [5.2]])
        >>> parts = [([0, 1, 2, 3], [4, 5])]
        >>> found = EAPP(k_max=2, folds=parts, shuffles=0, random_state=0)
        >>> found.fit(X, ["a", "a", "b", "b", "a", "b"]).answers()[0].argmax(axis=1)
        array([0, 1])
        """
        from caveat.eapp._answers import cluster_answers

        check_is_fitted(self, "curve_")
        return cluster_answers(self)

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the curves, the null band and the value at 1/p₀.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if not given.
        **options
            ``palette``: colours by name, ``title``: False for none, ``narrow``: True
            for phones, ``labels``: False for none, ``model_auc``: a line to compare
            with.

        Returns
        -------
        matplotlib Axes
            Its ``figure`` can be saved.
        """
        from caveat.eapp._plot import plot_curve
        from caveat.eapp.result import Result

        check_is_fitted(self, "curve_")
        return plot_curve(Result.of(self), ax, **options)

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the curve."""
        check_is_fitted(self, "curve_")
        return self.curve_.copy()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain JSON values; None where there is no number."""
        from caveat.eapp._verdict import as_dict

        check_is_fitted(self, "curve_")
        return as_dict(self)

    def __str__(self) -> str:
        if not hasattr(self, "curve_"):
            return repr(self)
        from caveat.eapp._verdict import as_text

        return as_text(self)

    @property
    def verdict_text_(self) -> str:
        """The verdict as a sentence that names both readings."""
        check_is_fitted(self, "curve_")
        return in_words(self.verdict_, numbers=self._target.numbers is not None)

    @property
    def _headline(self) -> Reading:
        return self._readings["honest" if self._honest else "paper"]

    def _leave_out(self, target: Target, reasons: Mapping[str, Task]) -> Target:
        """Go on without some classes, and say why."""
        for reason in reasons:
            self._note(f"{reason}; the class is left out")
        return target.without(list(reasons.values()))

    def _plan(
        self, data: Table | Images, target: Target, splits: list[Split], ks: list[int]
    ) -> Plan:
        honest, paper = SELECTIONS[self.selection]
        numbers = target.numbers is not None
        if numbers:
            honest, paper = self._only_honest(), False
        aggregate = "mean" if numbers else self.aggregate
        if aggregate == "auto":
            aggregate = "pooled" if _smallest(target, splits) < SMALL_FOLD else "mean"
        return Plan(
            data=data,
            ks=ks,
            represent=representation_of(self, data),
            cluster=clusterer_of(self),
            judge=Prediction if numbers else Naming,
            labeling=self.labeling,
            score=self.score,
            honest=honest,
            paper=paper,
            pooled=honest and aggregate == "pooled",
            joint=target.joint,
            shuffles=self.shuffles,
            n_tasks=len(target.tasks),
        )

    def _only_honest(self) -> bool:
        """Refuse for numbers what only names can have."""
        if self.selection not in ("both", "train", "honest"):
            raise InvalidInput(
                f"selection: {self.selection!r} chooses names on test "
                "rows, but numbers have no names; leave it out"
            )
        if self.aggregate == "pooled":
            raise InvalidInput(
                "aggregate: 'pooled' is for classes; use 'mean' for numbers"
            )
        return True

    def _explain_gaps(self, plan: Plan, curves: Curves) -> None:
        """Warn where a curve has no value; refuse one without any."""
        reasons = {
            k: reason for fold in curves.folds for k, reason in fold.reasons.items()
        }
        if len(reasons) == len(plan.ks):
            raise InvalidInput(
                f"X: no number of clusters from {plan.ks[0]} to {plan.ks[-1]} gives a "
                f"value ({reasons[plan.ks[0]]}); pass more varied rows"
            )
        for sentence in gaps_in_words(reasons):
            self._note(sentence)

    def _note(self, sentence: str) -> None:
        self.notes_.append(sentence)
        warnings.warn(sentence, UserWarning, stacklevel=4)


def _shuffled(
    target: Target, strata: list[Any], shuffles: int, seed: int
) -> ShuffledLabels | ShuffledNumbers:
    """Return the shuffles of classes and labels, or of numbers."""
    if target.numbers is None:
        return ShuffledLabels(target, strata, shuffles, seed)
    return ShuffledNumbers(target.numbers, strata, shuffles, seed)


def _smallest(target: Target, splits: list[Split]) -> int:
    """Count the held-out points of the rarest class in the smallest fold."""
    counts = []
    for _, test in splits:
        for task in target.tasks:
            positives = int(target.positive(task, test).sum())
            counts += [positives, len(test) - positives]
    return min(counts)
