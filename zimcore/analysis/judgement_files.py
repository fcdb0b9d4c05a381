"""Where judgements are kept. It imports nothing else, so that checking for files is quick."""

from __future__ import annotations

from pathlib import Path


def file_in(folder: Path, digest: str) -> Path:
    """The file of a game: by the digest of its set-up, whatever it is called."""
    return folder / f"{digest}.jsonl"
