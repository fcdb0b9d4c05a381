"""Replaces a part of a function's source at run time: for a fault in the midst of a function."""

from __future__ import annotations

import inspect
import sys
from textwrap import dedent
from typing import Any


def replace_code(owner: Any, name: str, old_code: str, new_code: str) -> None:
    """Compiles a function of a module or class anew, with a part of its code replaced.

    Raises `ValueError` unless that part is there once: a fault that can't be planted must not count as missed.
    """
    function = inspect.getattr_static(owner, name)
    module = sys.modules[owner.__module__ if inspect.isclass(owner) else owner.__name__]
    source = dedent(inspect.getsource(function))
    if source.count(old_code) != 1:
        raise ValueError(f"{owner.__name__}.{name} has no single {old_code!r}: this fault has to be planted otherwise")
    namespace: dict[str, Any] = {}
    # Annotations stay text, as in the modules themselves.
    code = f"from __future__ import annotations\n{source.replace(old_code, new_code)}"
    exec(compile(code, f"<planted in {name}>", "exec"), vars(module), namespace)
    replace_function(owner, name, namespace[name])


def replace_function(owner: Any, name: str, new_function: Any) -> None:
    """Replaces a function of a module or class, also in modules that have imported it by its name."""
    function = inspect.getattr_static(owner, name)
    setattr(owner, name, new_function)
    if inspect.ismodule(owner):
        for other_module in [*sys.modules.values()]:
            if vars(other_module).get(name) is function:
                setattr(other_module, name, new_function)
