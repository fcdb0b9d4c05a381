"""Why a module of an optional extra can't be imported: the extra is not installed, or the module named is missing."""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

PROJECT = "great-zim"


class ImportFailure(NamedTuple):
    """Why an import failed, and hints: the last arguments of a `GameError` or `StoreError`."""

    why: str
    hints: tuple[str, ...]


def requirements_of(extra: str) -> tuple[str, ...]:
    """What an extra requires on this system, as `httpx>=0.27`; () if this is a clone that is not installed."""
    from importlib import metadata  # takes 0.03 s

    try:
        lines = metadata.requires(PROJECT) or []
    except metadata.PackageNotFoundError:
        return ()
    rows = [(requirement.strip(), marker) for requirement, _, marker in (line.partition(";") for line in lines)]
    other_system = re.compile(rf"sys_platform != ['\"]{sys.platform}['\"]")
    return tuple(
        requirement
        for requirement, marker in rows
        if re.search(rf"extra == ['\"]{extra}['\"]", marker) and not other_system.search(marker)
    )


def absent_distributions(extra: str) -> list[str]:
    """The names of the distributions that an extra requires and that are not installed."""
    from importlib import metadata

    def is_absent(name: str) -> bool:
        try:
            return not metadata.distribution(name)
        except metadata.PackageNotFoundError:
            return True

    names = (re.split(r"[^\w.-]", requirement, maxsplit=1)[0] for requirement in requirements_of(extra))
    return list(filter(is_absent, names))


def lacking_extra(extra: str) -> ImportFailure | None:
    """Why an extra can't be used: one of its distributions is not installed; None if all are."""
    names = absent_distributions(extra)
    if not names:
        return None
    return ImportFailure(
        f"the extra `{extra}` is not installed: it lacks {', '.join(names)}", (f"pip install 'great-zim[{extra}]'",)
    )


def import_failure(extra: str, error: ImportError) -> ImportFailure:
    """Why an import for an extra failed. If all of it is installed, the module is named that is missing or broken."""
    return lacking_extra(extra) or broken_import(error)


def broken_import(error: Exception, library: str = "") -> ImportFailure:
    """Names the module that can't be imported, and the distribution to install again: that of the library if known.

    >>> broken_import(ModuleNotFoundError("No module named 'absent'", name="absent"))
    ImportFailure(why="a module can't be imported: No module named 'absent'", hints=('pip check',))
    >>> broken_import(OSError("libexpat.so.1 is not there"), "pip").why
    "a module can't be imported: pip: OSError: libexpat.so.1 is not there"
    """
    from importlib import metadata

    module = str(getattr(error, "name", None) or "").partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and module in sys.stdlib_module_names:
        why = f"this Python, {sys.version.split()[0]} for {sys.platform}, lacks the module {module}"
        return ImportFailure(why, ("use another Python: docs/operating.md lists the systems",))
    distributions = metadata.packages_distributions()
    names = distributions.get(module) or distributions.get(library) or []
    reinstalls = (f"pip install --force-reinstall {name}" for name in dict.fromkeys(names))
    hints = (*reinstalls, "pip check")  # the second tells whether a version is too old
    what = str(error) if isinstance(error, ImportError) else f"{library}: {type(error).__name__}: {error}"
    return ImportFailure(f"a module can't be imported: {what}", hints)
