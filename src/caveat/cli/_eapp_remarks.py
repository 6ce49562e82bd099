"""What belongs beside the value of `caveat eapp`: caveats, and its conditions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from caveat.cli._remark import Remark, Severity

if TYPE_CHECKING:
    import pandas as pd

    from caveat.eapp import EAPP


def make_remarks(model: EAPP, model_auc: float | None = None) -> list[Remark]:
    """Collect the caveats that belong beside the value, worst first."""
    value, null = model.value_, model.null_at_k_star_
    measured = f"skill {model.skill_:.2f}, p = {model.p_value_:.3f}"
    numbers = model.measure_ == "concordance"
    what, them = ("the target", "it") if numbers else ("the classes", "them")
    remarks = []
    if model_auc is not None:
        remarks.append(_compared(model, model_auc))
    words: dict[str, Severity] = {
        "trivially separable or biased": "serious",
        "partly trivial": "careful",
    }
    if model.verdict_ in words:
        remarks.append(Remark(words[model.verdict_], model.verdict_text_, how=measured))
    elif model.verdict_ == "chance":
        remarks.append(
            Remark(
                "note",
                f"Clusters show no sign of {what}: {value:.2f}, as shuffled "
                f"labels do. That does not prove that nothing gives {them} away.",
                f"{value:.2f}",
                "A single telling column stays unseen here; --drivers looks for it.",
            )
        )
    elif model.verdict_ == "not tested":
        least = math.ceil(1 / model.alpha) - 1
        how = f"{model.shuffles} shuffles; {least} are the least that can, --shuffles."
        remarks.append(Remark("careful", model.verdict_text_, how=how))
    else:
        remarks.append(Remark("note", model.verdict_text_))
    if null["mean"] == null["mean"] and model.value_paper_ == model.value_paper_:
        published = model.paper_null_at_k_star_["mean"]
        remarks.append(
            Remark(
                "note",
                f"Named on the rows it is scored on, as published, it would show "
                f"{model.value_paper_:.2f}; shuffled labels reach {published:.2f} that "
                "way.",
                f"{model.value_paper_:.2f}",
                "Compare models with the honest value.",
            )
        )
    remarks += [Remark("note", _sentence(text)) for text in model.notes_]
    order = ("serious", "careful", "note")
    return sorted(remarks, key=lambda remark: order.index(remark.severity))


def probe_remark(probed: pd.DataFrame, *, images: bool) -> Remark:
    """Say how coarse a bias had to be."""
    threshold = probed.attrs["threshold"]
    largest = probed["s"].max()
    unit = "of the images' mean brightness" if images else "in every numerical column"
    how = "Class 1 of shuffled labels was shifted and EAPP computed again."
    if threshold != threshold:
        return Remark(
            "careful",
            f"A shift of {largest:g} standard deviations {unit} stays unseen.",
            f"{largest:g}",
            how,
        )
    if threshold == 0:
        return Remark(
            "note",
            "Shuffled labels lay above their band without any shift, by chance.",
            how="Probe again with another --seed.",
        )
    return Remark(
        "note",
        f"A bias of {threshold:g} standard deviations {unit} would be seen.",
        f"{threshold:g}",
        f"{how} In fewer columns it has to be coarser." if not images else how,
    )


def conditions(model: EAPP) -> str:
    """Say under which conditions the number holds."""
    names = {
        "pca": "PCA",
        "none": "no PCA",
        "cae": "autoencoder",
        "vae": "variational autoencoder",
        "kmeans_ae": "autoencoder trained with its clusters",
        "kmeans": "k-means",
        "gmm": "GMM",
    }
    parts = [
        names.get(model.representation, str(model.representation)),
        names.get(model.clusterer, model.clusterer),
        f"{model.folds} folds",
        f"{model.shuffles} shuffles",
        f"seed {model.random_state}",
    ]
    return ", ".join(parts) + "."


def _compared(model: EAPP, model_auc: float) -> Remark:
    headroom = model.headroom(model_auc)
    value = f"{model.value_:.2f}"
    if headroom <= 0:
        return Remark(
            "serious",
            f"A model with {model_auc:.2f} does not beat clustering with {value}.",
            f"{model_auc:.2f}",
        )
    return Remark(
        "note",
        f"A model with {model_auc:.2f} earns {headroom:.0%} of what clustering leaves "
        f"open.".replace("%", " %"),
        f"{model_auc:.2f}",
        f"clustering has {value}",
    )


def _sentence(text: str) -> str:
    """Turn a note into a sentence."""
    return text[0].upper() + text[1:] + "." if text else text
