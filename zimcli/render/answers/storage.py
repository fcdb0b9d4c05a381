"""Renders stores, audits, certificates and other files."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from zimcli.render.answers import Renderers
from zimcli.render.moves import DIGEST_DIGITS, deviation_lines, place_line
from zimcli.render.spans import Block, Line, Note, Screen, Sheet
from zimcore.documents.listings import Audit, GameInfo, LineInfo, TagInfo
from zimcore.documents.storage import (
    BackupAnswer,
    CheckAnswer,
    ExpectAnswer,
    ExportAnswer,
    ExportsAnswer,
    GamesAnswer,
    ImportAnswer,
    KeyAnswer,
    LearnAnswer,
    LinesAnswer,
    NamedKey,
    NewGameAnswer,
    PutAwayAnswer,
    SignAnswer,
    Signature,
    StoreAnswer,
    TablesAnswer,
    TagsAnswer,
    VerifyAnswer,
    WitnessAnswer,
)
from zimcore.game import Table
from zimcore.toolkit.words import are, numbered


def games_blocks(answer: GamesAnswer, screen: Screen) -> Iterator[Block]:
    """One game per line, the oldest first."""
    if answer.games:
        headings = ("game", "line", "lines", "moves", "players", "status")
        yield Sheet(Table("", headings, tuple(map(game_row, answer.games))))
    program_prefix = "" if screen.in_session else "zim "
    if answer.archived:
        archived_text = f"{numbered(answer.archived, 'game')} {are(answer.archived)}"
        yield Note(f"{archived_text} archived; try: {program_prefix}games --archived")
    for name in answer.deleted:
        yield Note(f"{name} was deleted; try: {program_prefix}delete {name} --back")
    if answer.unmatched and not answer.games:
        no_match_text = f"none of the {answer.unmatched} games matches"
        yield Note(f"{no_match_text if answer.unmatched > 1 else 'the only game does not match'}: {answer.where}")
    elif not (answer.games or answer.damaged or answer.archived or answer.deleted):
        yield Note(f"no games yet; try: {program_prefix}new")


def put_away_blocks(answer: PutAwayAnswer, screen: Screen) -> Iterator[Block]:
    """The new state of a game, and how to restore it."""
    program_prefix = "" if screen.in_session else "zim "
    phrase_and_undo_by_state = {
        "listed": ("is listed again", ""),
        "archived": ("is archived: it is not listed, and can be played on", f"archive {answer.game} --back"),
        "deleted": ("is deleted; its moves stay in the store", f"delete {answer.game} --back"),
        "removed": ("is deleted for good", ""),
    }
    phrase, undo_command = phrase_and_undo_by_state[answer.now]
    yield done_line(answer.game, f" {phrase}")
    if undo_command:
        yield [(f"  to undo this: {program_prefix}{undo_command}", "dim")]


def game_row(game: GameInfo) -> tuple[str, ...]:
    """A game as a row of the list."""
    status = f"archived · {game.status}" if game.archived else game.status
    return game.name, game.line, str(game.lines), str(game.head), ", ".join(game.seats), status


def lines_blocks(answer: LinesAnswer, _: Screen) -> Iterator[Block]:
    """One line of play per line of text. A star marks the current one."""
    yield Sheet(Table("", ("", "line", "head", "digest", "from", "status"), tuple(map(line_row, answer.lines))))


def tags_blocks(answer: TagsAnswer, screen: Screen) -> Iterator[Block]:
    """One tag per line, with its position."""
    if not answer.tags:
        yield Note(f"no tags; try: {'' if screen.in_session else 'zim '}tag {answer.game}@r2 opening")
        return
    rows = ((each.name, tag_place(answer.game, each), each.digest[:DIGEST_DIGITS], each.by) for each in answer.tags)
    yield Sheet(Table("", ("tag", "position", "digest", "by"), tuple(rows)))


def tag_place(game: str, tag: TagInfo) -> str:
    """The position that a tag names."""
    return f"{game}/{tag.line}@{tag.number}" if tag.line else "on a forgotten line"


def line_row(line: LineInfo) -> tuple[str, ...]:
    """A line of play as a row of the list."""
    origin = f"{line.parent or 'a forgotten line'}@{line.forked_at}" if line.forked_at is not None else ""
    status = f"as recorded · {line.status}" if line.recorded else line.status
    return "*" if line.current else "", line.name, f"@{line.head}", line.digest[:DIGEST_DIGITS], origin, status


def verify_blocks(answer: VerifyAnswer, screen: Screen) -> Iterator[Block]:
    """What was verified. Faults are in the error that follows."""
    line_audits = [answer.audit] if answer.audit else answer.audits or ()
    for audit in line_audits:
        yield from deviation_lines(f"{audit.game}/{audit.line}{audit.recorded}" if audit.recorded else "")
        for warning in audit.unproven:
            yield [(f"! {audit.game}/{audit.line}: {warning}", "bold yellow")]
    if screen.is_failure:
        return
    if answer.files is not None:
        audits = [each.audit for each in answer.files]
        verb = "verifies" if len(audits) == 1 else "verify"
        yield done_line("", f"{numbered(len(audits), 'file')} {verb}: {count_text(audits)}")
    if answer.audits is not None:
        named_audits = [audit for audit in answer.audits if audit.game]
        game_count, line_count = len({audit.game for audit in named_audits}), len(named_audits)
        unnamed_count = len(answer.audits) - line_count
        summary = f"{numbered(game_count, 'game')} with {numbered(line_count, 'line')} {as_played_text(game_count)}"
        unnamed_note = f"; {numbered(unnamed_count, 'stream')} without a name too" if unnamed_count else ""
        yield done_line("", f"{summary}: {count_text(answer.audits)}{unnamed_note}")
        if unplaced_count := sum(audit.sealed == "without place" for audit in answer.audits):
            yield Note(f"{unplaced_count} of them are sealed without place; {upgrade_hint(screen)}")
    if answer.audit:
        seal_note = f", sealed {answer.audit.sealed}" if answer.audit.sealed else ""
        yield done_line(
            f"{answer.audit.game}/{answer.audit.line}", f" is as it was played: {count_text([answer.audit])}{seal_note}"
        )
        yield from DEAL_TEXTS[answer.audit.deal]
    if answer.digits:
        yield [
            (
                f"  {answer.digits} of a digest's 32 digits find a position, and prove little:"
                f" {effort_text(answer.digits)}",
                "",
            )
        ]
    if answer.outside:
        comparison = answer.outside
        yield done_line(
            "",
            f"nothing is lost that {comparison.file} recorded"
            + (f" on {comparison.at:%Y-%m-%d %H:%M}" if comparison.at else ""),
        )
    for named_key in answer.keys:
        yield [
            (f"  signed by {signer_text(named_key)}, key {named_key.key} ", ""),
            (f"({TEXT_BY_KEY_STATUS[named_key.status]})", "dim"),
        ]
        if named_key.status == "new":
            signer, program_prefix = named_key.by, "" if screen.in_session else "zim "
            hint = f"{program_prefix}key trust {shlex.quote(signer)} {named_key.key}"
            yield Note(f"you have not confirmed that this is {signer}'s key; if {signer} tells you so: {hint}")
    if answer.unproven:
        yield Note(f"nothing proves the names {answer.unproven}: this certificate has an older form")


def upgrade_hint(screen: Screen) -> str:
    """The hint for a store with seals of an older version."""
    return f"try: {'' if screen.in_session else 'zim '}db upgrade before.db"


def as_played_text(game_count: int) -> str:
    """The predicate of a number of games that were proven."""
    return "is as it was played" if game_count == 1 else "are as they were played"


def effort_text(digit_count: int) -> str:
    """How much work it would take to forge a history whose digest begins with the same digits."""
    return f"about 2^{4 * digit_count} tries find another history with the same first digits"


def witness_blocks(answer: WitnessAnswer, _: Screen) -> Iterator[Block]:
    """What to keep: the file, or at least its digest."""
    yield done_line(answer.file, f" records {numbered(answer.streams, 'stream')}, digest {answer.digest}")
    if answer.signed:
        yield [(f"  signed by {answer.signed.by}, key {answer.signed.key}", "")]


def check_blocks(answer: CheckAnswer, screen: Screen) -> Iterator[Block]:
    """A note that no fault was found, and what was tried. Faults are in the error that follows."""
    if screen.is_failure:
        return
    played_text = f"{numbered(answer.played, 'game')} played at random, {numbered(answer.positions, 'position')}"
    yield done_line(answer.title, f" keeps what the contract promises: {played_text}")
    if answer.deals:
        pairs_text = f"{numbered(answer.pairs, 'pair')} of positions from {numbered(answer.deals, 'deal')}"
        yield [(f"  no leak in {pairs_text} that differ only in what a seat can't see", "")]
    for kind in dict.fromkeys(each.kind for each in answer.coverage):
        shares = ", ".join(
            f"{each.name} {each.compared / each.positions:.0%}" for each in answer.coverage if each.kind == kind
        )
        yield [(f"  compared by {kind}: {shares}", "")]
    if answer.impossible_worlds:
        share_text = f"{answer.impossible_worlds:,} of {numbered(answer.worlds, 'world')} that programs imagine"
        yield Note(
            f"{share_text} can't be: {answer.why_impossible}; keep what seats know in the state, or define redeal"
        )
    elif answer.worlds:
        yield [(f"  all {numbered(answer.worlds, 'world')} that programs imagine can be", "")]


def new_game_blocks(answer: NewGameAnswer, _: Screen) -> Iterator[Block]:
    """The files, and how to install them."""
    yield done_line(answer.folder, f" has {', '.join(answer.files)}")
    yield Note(f"install it: {answer.install}")
    yield Note(f"then go on in {answer.folder}/README.md")


def learn_blocks(answer: LearnAnswer, _: Screen) -> Iterator[Block]:
    """Where the learned weights are, which figures count most, and how much they help."""
    games_text = numbered(answer.games, "game")
    if answer.file:
        yield done_line(answer.title, f" was learned from {games_text}: {answer.file}")
    else:
        yield Note(f"nothing was changed: {games_text} of {answer.title} did not make its programs provably better")
    top_names = sorted(answer.weights, key=lambda name: -abs(answer.weights[name]))[:5]
    yield Note("the figures that say most: " + ", ".join(f"{name} {answer.weights[name]:+.3g}" for name in top_names))
    share_text = f"{answer.share:.0%} ± {1.96 * answer.error:.0%} of the victories, and {answer.fair:.0%} would be fair"
    yield Note(f"against programs that learned nothing, it won {share_text}")
    if answer.file:
        yield Note(f"programs judge playouts after {numbered(answer.commands, 'command')}")
    else:
        yield Note("a file is used only if it wins more than luck explains; to learn from more games, add --games")


def count_text(audits: Sequence[Audit]) -> str:
    """How much was verified: what lines share counts once."""
    commits = sum(audit.commits - audit.shared_commits for audit in audits)
    events = sum(audit.events - audit.shared_events for audit in audits)
    head_text = f", head {audits[0].digest}" if len(audits) == 1 else ""
    return f"{numbered(commits, 'commit')}, {numbered(events, 'event')}{head_text}"


def expect_blocks(_: ExpectAnswer, __: Screen) -> Iterator[Block]:
    """Nothing: an expectation that is met is silent, as in a test."""
    yield from ()


def exports_blocks(answer: ExportsAnswer, _: Screen) -> Iterator[Block]:
    """The number of files written, and their folder."""
    count = len(answer.exported)
    folder_text = f" to {os.path.dirname(answer.exported[0].file)}" if count else ""
    yield done_line("", f"{numbered(count, 'certificate')} {are(count)} written{folder_text}")


def tables_blocks(answer: TablesAnswer, _: Screen) -> Iterator[Block]:
    """The files, each with its number of rows."""
    rows = tuple((each.table, f"{each.rows:,}", each.file) for each in answer.files)
    yield Sheet(Table("", ("table", "rows", "file"), rows, numbers=("rows",)))
    yield done_line("", f"{numbered(answer.games, 'game')} {are(answer.games)} written")


def export_blocks(answer: ExportAnswer, screen: Screen) -> Iterator[Block]:
    """What the certificate proves."""
    head = answer.certificate
    location = f"{head.game}/{head.line} up to @{head.commits - 1} ({head.head[:12]})"
    if answer.recorded:
        yield [(answer.file, "bold"), (f" has {location}", "")]
        yield from deviation_lines(answer.recorded)
    else:
        yield done_line(answer.file, f" proves {location}")
        if screen.in_session and answer.file != "-":  # where a game was shared by a key
            yield Note(f"to look at it elsewhere: zim import {shlex.quote(Path(answer.file).name)}")


def import_blocks(answer: ImportAnswer, _: Screen) -> Iterator[Block]:
    """What the store has now."""
    if answer.position:
        yield place_line(answer.position)
        yield from deviation_lines(answer.recorded)
    else:
        entries = answer.entries or 0
        yield done_line("", f"{numbered(entries, 'entry')} {are(entries)} in {answer.store}")
        if answer.games:
            already_text = f", {answer.already} of them already before" if answer.already else ""
            yield [(f"  all of {numbered(answer.games, 'game')} {are(answer.games)} there{already_text}", "")]


def sign_blocks(answer: SignAnswer, _: Screen) -> Iterator[Block]:
    """The signers, and their keys."""
    yield done_line(answer.file, f" is signed by {signer_text(answer.added)}, key {answer.added.key}")


DEAL_TEXTS: dict[str, tuple[Block, ...]] = {
    "": (),
    "proven": ([("  its deal is proven: the seed follows from what the server and the seats have added", "")],),
    "unproven": ([("  its deal is not proven: its host or the server could have chosen it", "dim")],),
}

TEXT_BY_KEY_STATUS = {
    "trusted": "trusted",
    "new": "not trusted",
    "handed over": "signed by the key that this name had before",
}
"""What each status of a key means, in words."""


def signer_text(signature: Signature | NamedKey) -> str:
    """Who signed, and for whom: `anna for zulu`."""
    return signature.by + (f" for {signature.seat}" if signature.seat else "")


def key_blocks(answer: KeyAnswer, _: Screen) -> Iterator[Block]:
    """The public key, or the known keys."""
    if answer.known is not None:
        rows = tuple((each.by, each.status, each.since, each.key) for each in answer.known)
        yield Sheet(Table("", ("name", "", "since", "key"), rows)) if rows else Note("no keys are known yet")
        return
    yield [(answer.by, "bold"), (f"  ed25519 {answer.key}  {answer.file}", "")]


def store_blocks(answer: StoreAnswer, screen: Screen) -> Iterator[Block]:
    """The result of a command about the database. Faults are in the error that follows."""
    if screen.is_failure:
        return
    if answer.saved:
        streams_text = numbered(len(answer.saved.streams), "stream")
        games_text = f"all of {numbered(answer.saved.games, 'game')}"
        yield done_line("", f"{streams_text} of {answer.store} saved whole in {answer.new_store}: {games_text}")
    elif answer.restored:
        entries_text = numbered(answer.restored.entries, "entry")
        yield done_line("", f"{answer.store} has the {entries_text} of {answer.restored.file}")
        if answer.restored.kept:
            yield [(f"  the store as it was before is in {answer.restored.kept}", "")]
    elif answer.upgraded and not answer.upgraded.backup:
        yield done_line(
            "", f"nothing to do: {numbered(answer.streams or 0, 'stream')} of {answer.store}, all sealed with place"
        )
    elif answer.upgraded:
        games, streams = answer.upgraded.games, answer.upgraded.streams
        summary = f"{numbered(games, 'game')} with {numbered(streams, 'stream')} in all"
        yield done_line("", f"{summary} {are(games)} sealed with place in {answer.store}")
        yield [(f"  the store as it was before is in {answer.upgraded.backup}", "")]
    elif answer.streams is not None:
        seals_text = "sealed with place"
        if answer.without_place:
            seals_text = f"{answer.without_place} of them sealed without place"
        yield done_line("", f"{answer.store} is as it was stored: {numbered(answer.streams, 'stream')}, {seals_text}")
        if answer.without_place:
            yield Note(f"rows of these could be taken for another game's; {upgrade_hint(screen)}")
    else:
        yield done_line("", f"{answer.store} is ready")


def backup_blocks(answer: BackupAnswer, _: Screen) -> Iterator[Block]:
    """What was copied."""
    yield done_line(answer.file, f" has the {numbered(answer.entries, 'entry')} of {answer.store}")


def done_line(effect: str, detail: str) -> Line:
    """A line that says what was done or proven: `✓ kilwa-7/main is as it was played`."""
    return [(f"✓ {effect}", "bold green"), (detail, "")]


RENDERERS: Renderers = {
    GamesAnswer: games_blocks,
    LinesAnswer: lines_blocks,
    TagsAnswer: tags_blocks,
    PutAwayAnswer: put_away_blocks,
    VerifyAnswer: verify_blocks,
    WitnessAnswer: witness_blocks,
    CheckAnswer: check_blocks,
    NewGameAnswer: new_game_blocks,
    LearnAnswer: learn_blocks,
    ExpectAnswer: expect_blocks,
    ExportsAnswer: exports_blocks,
    TablesAnswer: tables_blocks,
    ExportAnswer: export_blocks,
    ImportAnswer: import_blocks,
    SignAnswer: sign_blocks,
    KeyAnswer: key_blocks,
    BackupAnswer: backup_blocks,
    StoreAnswer: store_blocks,
}
