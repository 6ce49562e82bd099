import numpy as np
import pytest
from scipy import sparse
from scipy.stats import binom
from sklearn.metrics import pairwise_distances

from caveat.bags import bag_hardness
from caveat.exceptions import InvalidInput


def test_separation_is_that_of_all_pairs_of_items(bagged):
    found = bag_hardness(bagged.X, bagged.bags, bagged.shares)
    gaps = pairwise_distances(bagged.X, metric="sqeuclidean")
    sep = np.array(
        [
            [gaps[np.ix_(bagged.bags == j, bagged.bags == k)].mean() for k in range(4)]
            for j in range(4)
        ]
    )
    inter = (sep.sum(axis=1) - np.diag(sep)) / 3
    assert found.intra["mean"] == pytest.approx(np.diag(sep).mean())
    assert found.inter["mean"] == pytest.approx(inter.mean())
    assert found.ratio["max"] == pytest.approx((inter / np.diag(sep)).max())
    assert found.separation == pytest.approx(inter.mean() / np.diag(sep).mean())


def test_sizes_and_shares_are_summarised(bagged):
    found = bag_hardness(bagged.X, bagged.bags, bagged.shares)
    sizes = np.bincount(bagged.bags)
    assert found.proportion_std == pytest.approx(bagged.shares[:, 1].std())
    assert (found.size_min, found.size_max) == (sizes.min(), sizes.max())
    assert found.size_quantiles[0.5] == sorted(sizes)[2]
    counts, share = bagged.shares[:, 1] * sizes, bagged.y.mean()
    wanted = binom.logpmf(counts.round(), sizes, share).mean()
    assert found.log_likelihood == pytest.approx(wanted)
    assert "separation" in found.to_frame()["statistic"].tolist()


def test_sparse_items_and_empty_bags_make_no_difference(bagged):
    dense = bag_hardness(bagged.X, bagged.bags, bagged.shares)
    longer = np.vstack([bagged.shares, [np.nan, np.nan]])
    thin = bag_hardness(sparse.csr_matrix(bagged.X), bagged.bags, longer)
    assert thin.separation == pytest.approx(dense.separation)
    assert thin.n_bags == dense.n_bags == 4


def test_one_bag_cannot_be_compared():
    with pytest.raises(InvalidInput, match="one bag"):
        bag_hardness([[1.0], [2.0]], [0, 0], [0.5])
