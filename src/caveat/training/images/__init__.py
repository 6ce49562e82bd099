"""Images for the training loop: networks, and the views that methods compare."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_encoder": ["ImageEncoder"],
        "_networks": ["Classified", "NETWORKS", "make_network"],
        "_densenet": ["densenet22"],
        "_resnet": ["resnet32"],
        "_small": ["small_cnn"],
        "_views": ["image_views"],
    },
)
