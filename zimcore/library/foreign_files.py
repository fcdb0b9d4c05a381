"""What other programs and people have written down, for the library: saved games of a site, and logs to audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zimcore.commits import Position
from zimcore.documents.audits import AuditAnswer
from zimcore.game import Game, OptionError, Recording
from zimcore.games.registry import game as load_game
from zimcore.games.registry import playable_games
from zimcore.toolkit.characters import decode_text
from zimcore.toolkit.file_kinds import CONTENT, JSON, LOG, PAGE, SCRIPT, TEXT, check_kind, kind_of
from zimcore.toolkit.progress import ignore_progress
from zimcore.transcripts import own_format
from zimcore.transcripts.audit_documents import audit_log
from zimcore.transcripts.auditing import logs_in
from zimcore.transcripts.log_styles import LogStyle
from zimcore.transcripts.recorded_matches import audit_recording, find_recordings


def recordings_in(content: bytes, kinds: Mapping[str, str], sheet: str = "") -> Sequence[tuple[Game, Recording]]:
    """The games that a site has saved, played by a sheet of house rules; () for other content."""
    if kind_of(content) not in (PAGE, JSON, TEXT):
        return ()

    def options_of(game: Game) -> Mapping[str, str]:
        sheets = game.recordings.SHEETS if game.recordings else {}
        if sheet and sheet not in sheets:
            raise OptionError(f"house_rules={sheet}", f"the sheets are {', '.join(sheets)}", [*sheets])
        return sheets.get(sheet, {})

    return find_recordings(playable_games(kinds), decode_text(content, CONTENT), options_of)


def audit_content(
    content: bytes,
    kinds: Mapping[str, str],
    start: Position | None,
    kind: str,
    style: LogStyle,
    sheet: str,
    *,
    repair: bool,
) -> AuditAnswer:
    """Audits the logs of a content, or the games that a site has saved. Raises `GameError` if it has neither."""
    check_kind(content, CONTENT, "a log", [LOG, SCRIPT, TEXT, PAGE, JSON])
    if recordings := recordings_in(content, kinds, sheet):
        return AuditAnswer(tuple(audit_recording(recording.name, game, recording) for game, recording in recordings))
    text = decode_text(content, CONTENT)
    kind = kind or own_format.kind_of(text, playable_games(kinds))
    game = start.game if start else load_game(kind or next(iter(kinds)), kinds)
    layouts = logs_in(text, CONTENT, game, style, start.state if start else None)
    return AuditAnswer(tuple(audit_log("", game, each, repair=repair, report=ignore_progress) for each in layouts))
