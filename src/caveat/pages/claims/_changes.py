"""What becomes of a score: mended, or with something gone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from caveat.pages._model import Words
from caveat.pages._prose import Prose, say
from caveat.pages.claims._claim import Claim
from caveat.pages.claims._estimate import Estimate, score, started, written


@dataclass(frozen=True)
class Remedy(Claim):
    """A step of the ladder: the score before and after something was mended.

    Attributes
    ----------
    what : Prose, Span or str
        What was done: "kept together by patient".
    before, after : Estimate
    change : Estimate
        After minus before, paired, negative where the score falls.
    """

    what: Words
    before: Estimate
    after: Estimate
    change: Estimate
    sign: int = 1

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """What is left, what there was, and the change."""
        return (self.after, self.before, self.change)

    @property
    def decided(self) -> bool:
        """Whether the change lies beyond its interval."""
        return self.change.is_decided

    def _change(self) -> dict[str, Any]:
        return {"before": self.before.to_dict(), "after": self.after.to_dict()}

    @property
    def words(self) -> Prose:
        """Say what becomes of the score, with its interval."""
        verb = "becomes" if self.decided else "stays within its interval at"
        return self._say(verb, written(self.after))

    @property
    def short(self) -> Prose:
        """Say it without the interval."""
        return self._say("becomes" if self.decided else "stays", score(self.after))

    @property
    def headed(self) -> Prose:
        """Say it in short, with the interval."""
        return self._say("becomes" if self.decided else "stays", written(self.after))

    def _say(self, verb: str, after: Prose) -> Prose:
        parts = {"what": self.what, "before": self.before.text, "verb": verb}
        return started(say("{what}, {before} {verb} {after}.", **parts, after=after))


@dataclass(frozen=True)
class Loss(Claim):
    """What a model loses without something, and what refitting would leave.

    Attributes
    ----------
    subject : Prose, Span or str
        The model.
    what : Prose, Span or str
        What is gone.
    before, after : Estimate
    loss : Estimate
        Positive where it gets worse; paired.
    refitted : Estimate or None
        The score of a model that was fitted without it.
    tolerance : float
        A loss that nobody would mind. No loss is seen only where the whole interval
        stays within it; an interval that holds 0 and more than this leaves it open.
    """

    subject: Words
    what: Words
    before: Estimate
    after: Estimate
    loss: Estimate
    refitted: Estimate | None = None
    tolerance: float = 0.0

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The loss, then the scores."""
        others = (self.before, self.after)
        return (self.loss, *others, *((self.refitted,) if self.refitted else ()))

    @property
    def may_lead(self) -> bool:
        """Whether the loss itself is known beyond its interval."""
        return self.decided and self.loss.may_lead

    @property
    def decided(self) -> bool:
        """Whether something is lost beyond the interval."""
        return self.loss.low is not None and self.loss.low > 0

    @property
    def absent(self) -> bool:
        """Whether no loss that anybody would mind is left in the interval."""
        return self.loss.high is not None and self.loss.high <= self.tolerance

    @property
    def _unseen(self) -> str:
        """Say of an undecided loss that there is none, or that this is open."""
        if self.absent:
            return "without {what}, no loss of {who} is seen"
        return "without {what}, whether {who} loses cannot be told at this size"

    def _change(self) -> dict[str, Any]:
        return {"before": self.before.to_dict(), "after": self.after.to_dict()}

    @property
    def words(self) -> Prose:
        """Say what is lost, with its interval, and what refitting would leave."""
        parts = {"who": self.subject, "what": self.what, "loss": written(self.loss)}
        scores = {"before": self.before.text, "after": self.after.text}
        if not self.decided:
            evidence = ": {before} and {after}, a difference of {loss}."
            return started(say(self._unseen + evidence, **parts, **scores))
        template = "without {what}, {who} loses {loss}: {before} becomes {after}"
        words = say(template, **parts, **scores)
        if self.refitted is not None:
            words += say("; refitted, {again}", again=written(self.refitted))
        return started(words + ".")

    @property
    def short(self) -> Prose:
        """Say it without the interval."""
        return self._briefly(score(self.loss))

    @property
    def headed(self) -> Prose:
        """Say it in short, with the interval."""
        return self._briefly(written(self.loss))

    def _briefly(self, loss: Prose) -> Prose:
        parts = {"who": self.subject, "what": self.what, "loss": loss}
        if not self.decided:
            return started(say(self._unseen + ".", **parts))
        return started(say("without {what}, {who} loses {loss}.", **parts))
