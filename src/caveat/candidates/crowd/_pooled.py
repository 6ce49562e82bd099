"""Several models of one crowd, pooled."""

from __future__ import annotations

import numpy as np

from caveat.candidates.crowd._dawid_skene import DawidSkene
from caveat.candidates.crowd._long_table import Answers
from caveat.candidates.crowd._model import CrowdModel, Floats
from caveat.candidates.crowd._skill import ClassSkill, OneCoin
from caveat.candidates.crowd._vote import MajorityVote


class PooledCrowd(CrowdModel):
    """The mean of the vote and of three models: one coin, class skill, Dawid-Skene.

    Which model of a crowd is right is not known beforehand, and on small crowds the
    answers cannot tell. The mean of their probabilities is rarely far from the best.

    Attributes
    ----------
    models_ : list of fitted models
    classes_, annotators_, objective_, n_iter_
        As in all crowd models. `objective_` is the sum of the models' own, at the end.

    Warnings
    --------
    All four take people for independent, given the truth; so does their mean.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [(i, who, i % 2) for i in range(6) for who in ("ann", "ben")]
    >>> rows += [(i, "cy", 1) for i in range(6)]
    >>> answers = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    >>> PooledCrowd().fit(answers).predict().tolist()
    [0, 1, 0, 1, 0, 1]
    """

    def _fit(self, found: Answers) -> tuple[Floats, list[float]]:
        kinds: list[CrowdModel] = [
            MajorityVote(),
            OneCoin(),
            ClassSkill(),
            DawidSkene(),
        ]
        self.models_ = [model.fit(found) for model in kinds]
        posterior = np.mean([model.posterior_ for model in self.models_], axis=0)
        return posterior, [sum(float(m.objective_[-1]) for m in self.models_)]
