"""Imports a module from changed source without touching its file, to plant faults."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
from pathlib import Path
from types import ModuleType


class SourceImporter(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from the given source instead of its file."""

    def __init__(self, path: Path, name: str, text: str) -> None:
        self.path, self.name, self.text = path, name, text

    def find_spec(self, name: str, path: object, target: object = None) -> importlib.machinery.ModuleSpec | None:
        if name != self.name:
            return None
        package = [str(self.path.parent)] if self.path.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(name, self.path, loader=self, submodule_search_locations=package)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """Lets Python create the module."""

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.text, self.path, "exec"), module.__dict__)


def module_name(path: str) -> str:
    """The name under which a file is imported: `zimcore.toolkit.words` for `zimcore/toolkit/words.py`."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
