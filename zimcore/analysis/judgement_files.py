"""Where judgements are kept. It loads nothing else, so that whoever only looks whether there are some is quick."""

from __future__ import annotations

from pathlib import Path


def file_in(folder: Path, digest: str) -> Path:
    """The file of a game: by the digest of its set-up, whatever it is called."""
    return folder / f"{digest}.jsonl"
