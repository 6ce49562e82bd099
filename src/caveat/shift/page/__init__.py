"""What feature shift's result says: claims, figures and tables, as one Look."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, {"_look": ["look"]})
