"""Keeps the current folder off the import path of Zim, and of the Python processes that Zim starts.

That folder may be full of downloads: a `socket.py` there would run as soon as a worker process starts, which Python
has look there first.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The folder that Zim is in."""
SAFE_PATH, NAMED_FOLDERS = "PYTHONSAFEPATH", "PYTHONPATH"
"""Variables of Python: whether it leaves out the current folder, and the folders that it adds."""
_typed_values: dict[str, str | None] = {}
"""The values of these variables before Zim changed them."""


def leave_out_current_folder() -> None:
    """Changes the import path of this process, and the variables that decide about that of the processes it starts."""
    _typed_values.update({name: os.environ.get(name) for name in (SAFE_PATH, NAMED_FOLDERS)})
    named_folders = os.environ.get(NAMED_FOLDERS, "")
    sys.path[:] = without_current_folder(sys.path, named_folders)
    os.environ[SAFE_PATH] = "1"
    if named_folders:  # an empty part is the current folder
        os.environ[NAMED_FOLDERS] = os.pathsep.join(filter(None, named_folders.split(os.pathsep)))


def environment_of_user() -> Mapping[str, str]:
    """The environment for a program of the user: the variables as they were before Zim changed them."""
    unset_names = {name for name, value in _typed_values.items() if value is None}
    typed_values = {name: value for name, value in _typed_values.items() if value is not None}
    return {name: value for name, value in os.environ.items() if name not in unset_names} | typed_values


def without_current_folder(path: Sequence[str], named_folders: str) -> list[str]:
    """The import path without the current folder, which may hold anything: it may be full of downloads.

    `python -m zimcli` and an empty part of PYTHONPATH (`named_folders`) put it there. It stays if you named it, or if
    Zim itself is in it.
    """
    try:
        current_folder = os.getcwd()
    except OSError:  # it was deleted
        return [*path]
    keeps = {os.path.abspath(folder) for folder in named_folders.split(os.pathsep) if folder}
    keeps.add(ROOT)
    if current_folder in keeps:
        return [*path]
    library = os.path.dirname(os.__file__)  # what stands after it was installed: also packages that are still edited
    typed_count = path.index(library) if library in path else len(path)
    typed_folders = [folder for folder in path[:typed_count] if os.path.abspath(folder) != current_folder]
    return [*typed_folders, *path[typed_count:]]
