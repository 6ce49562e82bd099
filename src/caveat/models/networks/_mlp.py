"""The multi-layer perceptron."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import nn

from caveat.models.networks._base import NetworkModel
from caveat.models.networks._layout import Layout
from caveat.training import mlp


@dataclass(eq=False, repr=False)
class MLP(NetworkModel):
    """Layers of rectified linear units, on standardised and one-hot columns.

    h_0 = x, h_l = dropout(relu(W_l h_{l-1} + b_l)), answer = W h_L + b.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    hidden : sequence of int, default=(384, 384)
        Width of each hidden layer.
    dropout : float, default=0.1
        Share of hidden units that a training step leaves out.
    learning_rate, weight_decay : float, default=3e-4, 1e-5
        Of AdamW.

    The other parameters and the attributes are those of `NetworkModel`.

    Warnings
    --------
    Over-confident far away from the training rows. Its answers depend on the seed:
    judge it on several.

    References
    ----------
    .. [1] Y. Gorishniy et al. (2021). Revisiting deep learning models for tabular data.
       NeurIPS.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from caveat.models import MLP
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = MLP(hidden=(32,), learning_rate=0.01, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    hidden: Sequence[int] = (384, 384)
    dropout: float = 0.1
    learning_rate: float = 3e-4

    def _network(self, layout: Layout, n_outputs: int) -> nn.Module:
        return mlp(layout.width, self.hidden, n_outputs, dropout=self.dropout)
