"""Files and folders with matches that other programs have recorded."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import click

from zimcli.output import files
from zimcli.session.session import Session
from zimcore.game import Game, NotationError, Recording
from zimcore.toolkit.characters import decode_text

MAX_FILE_BYTES = 8 * 2**20
"""The most bytes of a file."""
MAX_FILES = 10_000
"""The most files of a folder."""
sheet_option = click.option(
    "--house-rules", "sheet", default="", metavar="FILE", help="Play saved games by these house rules: obg, or a file."
)


def files_in(path: str) -> Sequence[str]:
    """The files of a folder by name, without those in its folders and hidden ones; for a file, itself.

    Raises `NotationError` for a folder without files, or with too many.
    """
    if not os.path.isdir(path):
        return [path]
    names = sorted(entry.name for entry in os.scandir(path) if entry.is_file() and not entry.name.startswith("."))
    if not names or len(names) > MAX_FILES:
        raise NotationError(path, f"a folder to read has 1 to {MAX_FILES:,} files, this has {len(names):,}")
    return [os.path.join(path, name) for name in names]


def recordings_in(session: Session, text: str, sheet: str = "") -> Sequence[tuple[Game, Recording]]:
    """The recorded matches in a text, each with its game, played by a sheet of house rules; () for another text.

    Raises `GameError` for a match that can't be read.
    """
    from zimcore.games.registry import playable_games
    from zimcore.transcripts.recorded_matches import find_recordings

    def options_of(game: Game) -> Mapping[str, str]:
        from zimcli.study.house_rule_sheets import read_house_rules

        return read_house_rules(sheet, game, {}) if sheet else {}

    return find_recordings(playable_games(session.kinds), text, options_of)


def recordings_in_folder(session: Session, folder: str, sheet: str) -> Sequence[tuple[Game, Recording]]:
    """The recorded matches in the files of a folder. Files without any are left out, and named in a note."""
    recordings, other_files = list[tuple[Game, Recording]](), list[str]()
    for path in files_in(folder):
        with files.open_for_reading(path) as file:
            content = file.read(MAX_FILE_BYTES + 1)
        found = recordings_in(session, decode_text(content, path), sheet) if len(content) <= MAX_FILE_BYTES else ()
        recordings += found
        other_files += [] if found else [os.path.basename(path)]
    if other_files:
        session.show_note(f"no saved game in {', '.join(other_files[:5])}{', ...' * (len(other_files) > 5)}")
    return recordings


def stop_text(recording: Recording, file: str) -> str:
    """Where reading stopped, and why: `obg/43 of 124: price potter 1: the price ... can't be lowered`."""
    stopped_at = recording.stopped_at
    assert stopped_at, "reading has stopped"
    reasons = "; ".join(refusal.reason for refusal in stopped_at.refusals)
    hints = f"; try: zim import {file} --house-rules {stopped_at.sheet}" if stopped_at.sheet else ""
    place = f"{recording.mark}/{stopped_at.entry} of {recording.entries}"
    return f"{place}: {': '.join(filter(None, [stopped_at.text, reasons]))}{hints}"
