"""Neural networks for tables, one file each, on the one training loop."""

from caveat._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_base": ["NetworkModel"],
        "_layout": ["Layout"],
        "_autoint": ["AutoInt"],
        "_danets": ["DANet"],
        "_dcn2": ["DCN2"],
        "_ft_transformer": ["FTTransformer"],
        "_grownet": ["GrowNet"],
        "_mlp": ["MLP"],
        "_modernnca": ["ModernNCA"],
        "_node": ["NODE"],
        "_resnet": ["ResNet"],
        "_saint": ["SAINT"],
        "_snn": ["SNN"],
        "_switchtab": ["SwitchTab"],
        "_tab_transformer": ["TabTransformer"],
        "_tabcaps": ["TabCaps"],
        "_tabm": ["TabM"],
        "_tabnet": ["TabNet"],
        "_tabr": ["TabR"],
        "_tangos": ["TANGOS"],
    },
)
