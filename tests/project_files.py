"""The files of the project: those that git tracks, or, in an unpacked archive without git, all that it holds."""

from __future__ import annotations

import subprocess
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parent.parent
MADE_FOLDERS = {"__pycache__", ".venv", ".hypothesis", "build", "dist"}
"""Folders that tools make, with all whose names end in `_cache` or begin with `.mutants`."""


def project_files(*folders: str, root: Path = ROOT) -> set[str]:
    """The names of the files in these folders, or of all files, relative to the top folder."""
    if (root / ".git").exists():
        command = ["git", "ls-files", "-z", "--", *folders]
        listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.split("\0")
        return {name for name in listed if (root / name).is_file()}
    files = {
        str(path.relative_to(root))
        for folder in folders or (".",)
        for path in (root / folder).rglob("*")
        if path.is_file()
    }
    return {name for name in files if not any(map(is_made, Path(name).parts))}


def is_made(part: str) -> bool:
    """Whether a part of a path was made by a tool."""
    return part in MADE_FOLDERS or part.endswith(("_cache", ".pyc", ".egg-info")) or part.startswith(".mutants")


def code_seed(*folders: str) -> int:
    """A seed that is another one after each change of code in these folders, and the same for a test run again."""
    digest = sha256()
    for name in sorted(project_files(*folders)):
        if name.endswith((".py", ".toml")):
            digest.update((ROOT / name).read_bytes())
    return int(digest.hexdigest()[:5], 16)
