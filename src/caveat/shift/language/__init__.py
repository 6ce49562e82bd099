"""Language models asked about rows of a table: a dropped column is really absent."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_asked": ["asked_notes", "is_endpoint", "prompted", "rehearse"],
        "_endpoint": ["Endpoint", "Reply"],
        "_prompts": ["ListTemplate"],
        "_prompted": ["PromptedClassifier"],
        "_replies": ["ReplyStore"],
        "_tuned": ["TunedClassifier"],
    },
)
