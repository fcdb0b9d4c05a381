"""The path of a match's file of judgements. This module imports little, so that checking for files is quick."""

from __future__ import annotations

from pathlib import Path


def judgement_path(folder: Path, digest: str) -> Path:
    """The file of a match, by the digest of its set-up: its name may change."""
    return folder / f"{digest}.jsonl"
