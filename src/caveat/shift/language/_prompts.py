"""Rows as prompts: the published List Template, without what is gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class ListTemplate:
    """Write a row as a list of its columns, then ask for its class.

    Attributes
    ----------
    description : str
        What the table is about, one or two sentences.
    entity : str
        What a row is: "patient".
    explanations : mapping of column to sentence
        Columns without one are listed by their name.
    question : str
        Asked last; the classes follow in brackets.

    References
    ----------
    .. [1] Z.-J. Cheng et al. (2025). TabFSBench, appendix on language models. ICML.

    Examples
    --------
    >>> template = ListTemplate("Loans of a bank.", entity="loan")
    >>> print(template.prompt({"age": 40}, ["no", "yes"]))
    Loans of a bank.
    Features and their explanations:
    age.
    ---
    Here's the specifics about one loan:
    - age : 40 .
    What is its class? Answer with one of [no/yes].
    """

    description: str = ""
    entity: str = "row"
    explanations: Mapping[str, str] = field(default_factory=dict)
    question: str = "What is its class? Answer with one of"

    def prompt(
        self,
        row: Mapping[str, Any],
        classes: Sequence[Any],
        shots: Sequence[tuple[Mapping[str, Any], Any]] = (),
    ) -> str:
        """Write the prompt of a row; only columns in `row` occur in it.

        Parameters
        ----------
        row : mapping of column to value
            Without the columns that are gone.
        classes : sequence of labels
        shots : sequence of (row, label)
            Examples; they lose the same columns.
        """
        told = [self.explanations.get(name, f"{name}.") for name in row]
        lines = [self.description] if self.description else []
        lines += ["Features and their explanations:", *told, "---"]
        asked = f"{self.question} [{'/'.join(map(str, classes))}]."
        for example, label in shots:
            known = {name: value for name, value in example.items() if name in row}
            lines += [self._about(known), asked, f"Answer: {label}", "---"]
        return "\n".join([*lines, self._about(row), asked])

    def _about(self, row: Mapping[str, Any]) -> str:
        listed = [f"- {name} : {_value(value)} ." for name, value in row.items()]
        return "\n".join([f"Here's the specifics about one {self.entity}:", *listed])


def as_text(row: Mapping[str, Any]) -> str:
    """Write a row as the sentence of TabLLM and UniPredict.

    Examples
    --------
    >>> as_text({"max_rate": 150, "sex": "F"}), as_text({})
    ('max rate is 150; sex is F; .', '.')
    """
    told = [f"{name.replace('_', ' ')} is {_value(one)}; " for name, one in row.items()]
    return "".join(told) + "."


def legend(classes: Sequence[Any]) -> str:
    """Say which number stands for which class.

    Examples
    --------
    >>> legend(["ill", "well"])
    ' class 0 stands for "ill"; class 1 stands for "well";'
    """
    return "".join(
        f' class {code} stands for "{label}";' for code, label in enumerate(classes)
    )


def _value(value: Any) -> str:
    """Write a number in at most four decimals, a missing cell as unknown."""
    if pd.isna(value):
        return "unknown"
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return str(value)
