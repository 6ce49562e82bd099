"""Public names that import on first use, so that `import caveat` stays instant.

A package lists which of its modules defines which name; PEP 562 does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def attach(
    package: str, table: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Build `__getattr__`, `__dir__` and `__all__` for a package.

    Parameters
    ----------
    package : str
        The package's `__name__`.
    table : mapping of str to sequence of str
        Module (relative to the package, or ``caveat.*`` for one elsewhere) to the
        public names it defines. An empty sequence makes the module itself public.
    """
    home = {name: module for module, names in table.items() for name in names}
    modules = {module for module, names in table.items() if not names}
    public = sorted([*home, *modules])

    def __getattr__(name: str) -> Any:
        if name not in home and name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = home.get(name, name)
        try:
            # A name may live in a package below, which is then written in full.
            is_whole = module.startswith("caveat.")
            found = import_module(module if is_whole else f"{package}.{module}")
        except ImportError as error:
            from caveat._extras import explain

            raise explain(error, f"{package}.{name}") or error from error
        return getattr(found, name) if name in home else found

    def __dir__() -> list[str]:
        return public

    return __getattr__, __dir__, public
