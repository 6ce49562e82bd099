"""Everything the baseline is made of. To add a part: its module, and a row here."""

from dataclasses import replace

from caveat import measures
from caveat._registry import Entry, Registry, rule

PAPER = "Ortiz Castelló et al. (2022)"

LEARNERS = Registry(
    "learner",
    [
        Entry(
            name="eapp",
            target="caveat.eapp._eapp:EAPP",
            display="EAPP",
            summary="AUC of named clusters, labels used only to name them",
            paper=PAPER,
            grid={
                "clusterer": ["kmeans", "ward", "spectral", "gmm"],
                "representation": ["pca", "none"],
            },
            quick={"k_max": 3, "shuffles": 20},
            tasks=("binary", "multiclass", "multilabel", "regression"),
        ),
    ],
)

MEASURES = Registry(
    "measure",
    [
        replace(
            measures.get("auc"),
            summary="EAPP at 1/p₀: labeling chosen on training, judged on test rows",
        ),
        replace(
            measures.get("concordance"),
            summary="EAPP of numbers: share of test pairs in the right order",
        ),
    ],
)

CRITERIA = Registry(
    "criterion",
    [
        Entry(
            name="train-auc",
            target="caveat.eapp:best_labeling",
            display="training AUC",
            summary="AUC (of numbers: concordance) on the rows that named the clusters",
            facts={"direction": "max", "range": (0.0, 1.0)},
        ),
    ],
)

RULES = Registry(
    "rule",
    [
        rule(
            "train-auc",
            "criterion.train-auc",
            "the setting whose labeling fits the training rows best",
            target="caveat.eapp:best_labeling",
            direction="max",
            checkpoint="last",
        ),
    ],
)

# Facts: `linear`, its axes tell what each column adds; `learned`, it is trained;
# `clusters`, which clusterer it brings along.
REPRESENTATIONS = Registry(
    "representation",
    [
        Entry(
            name="pca",
            target="caveat.eapp.representations._representation:PrincipalComponents",
            display="PCA",
            summary="principal components, not whitened",
            facts={"linear": True},
        ),
        Entry(
            name="none",
            target="caveat.eapp.representations._representation:Plain",
            display="no PCA",
            summary="the encoded columns or pixels as they are",
        ),
        Entry(
            name="cae",
            target="caveat.eapp.representations._autoencoders:LearnedFeatures",
            display="autoencoder",
            summary="autoencoder, convolutional for images",
            extra="deep",
            facts={"learned": True},
        ),
        Entry(
            name="vae",
            target="caveat.eapp.representations._autoencoders:VariationalFeatures",
            display="variational autoencoder",
            summary="means of a variational autoencoder's codes",
            extra="deep",
            facts={"learned": True},
        ),
        Entry(
            name="kmeans_ae",
            target="caveat.eapp.representations._clustered_autoencoder:KMeansFeatures",
            display="autoencoder trained with its clusters",
            summary="autoencoder trained with k-means, one cluster more at a time",
            paper=PAPER,
            extra="deep",
            facts={"learned": True, "clusters": "kmeans"},
        ),
    ],
)

# Facts: who finds clusters by another scheme or distance that is asked for by name.
CLUSTERERS = Registry(
    "clusterer",
    [
        Entry(
            name="kmeans",
            target="caveat.eapp.clusters._clusterers:kmeans_path",
            display="k-means",
            summary="k-means, ten starts",
            facts={"incremental": "caveat.eapp.clusters._clusterers:incremental_path"},
        ),
        Entry(
            name="ward",
            target="caveat.eapp.clusters._clusterers:ward_path",
            summary="agglomerative, Ward's criterion",
        ),
        Entry(
            name="average",
            target="caveat.eapp.clusters._clusterers:average_path",
            summary="agglomerative, mean distance",
        ),
        Entry(
            name="complete",
            target="caveat.eapp.clusters._clusterers:complete_path",
            summary="agglomerative, largest distance",
        ),
        Entry(
            name="spectral",
            target="caveat.eapp.clusters._clusterers:spectral_path",
            summary="k-means on eigenvectors of the nearest-neighbour graph",
        ),
        Entry(
            name="gmm",
            target="caveat.eapp.clusters._clusterers:gmm_path",
            display="GMM",
            summary="Gaussian mixture, diagonal covariances",
            facts={
                "mahalanobis": "caveat.eapp.clusters._clusterers:gmm_mahalanobis_path"
            },
        ),
        Entry(
            name="dbscan",
            target="caveat.eapp.clusters._clusterers:dbscan_path",
            summary="DBSCAN, its radius swept for every k; rarely finds all k",
            known_weak=True,
        ),
    ],
)
