"""Which library can't be imported. This module needs none itself: it is asked where the first import failed."""

from __future__ import annotations

import shlex
import sys

OUR_PACKAGES = ("event_store", "zimcore", "zimcli")


def failed_library(error: BaseException) -> str:
    """The library of others whose import raised an error, whatever its type; "" if no import did.

    >>> failed_library(ModuleNotFoundError("No module named 'msgspec.absent'", name="msgspec.absent"))
    'msgspec'
    """
    from traceback import walk_tb

    running_modules = [
        str(frame.f_globals.get("__name__", ""))
        for frame, _ in walk_tb(error.__traceback__)
        if frame.f_code.co_name == "<module>"
    ]
    missing_modules = [error.name or ""] if isinstance(error, ImportError) else []
    packages = (name.partition(".")[0] for name in [*running_modules, *missing_modules])
    return next((package for package in packages if package not in ("", "__main__", *OUR_PACKAGES)), "")


def start_failure(error: Exception) -> str:
    """What is printed where a library that each command needs can't be imported."""
    from importlib import metadata, util

    requirements = [line for line in metadata.requires("great-zim") or () if "extra ==" not in line]
    pip_words = [sys.executable, "-m", "pip", "install"]
    install_words = pip_words if util.find_spec("pip") else ["uv", "pip", "install", "--python", sys.executable]
    return (
        f"error: zim can't start: {failed_library(error)} can't be imported\n  {type(error).__name__}: {error}\n"
        f"  try: {shlex.join([*install_words, '--force-reinstall', *requirements])}"
    )
