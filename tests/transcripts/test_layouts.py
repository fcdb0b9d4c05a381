"""Chats, forums and tables of people: moves and players are found, and damage in them is never passed in silence."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from random import Random
from textwrap import wrap

import pytest

from zimcore.games.zimbabwe import GAME
from zimcore.transcripts.layouts import Layout, read_logs
from zimcore.transcripts.verdicts import LineVerdict

SCRIPT = (Path(__file__).parents[1] / "games" / "bot-2p-015.zim").read_text("utf-8").splitlines()
NAMES = {"kilwa": "Anna", "mutapa": "Ben B."}
Move = tuple[str, str]


def script_moves() -> tuple[str, list[Move]]:
    """The set-up of a recorded game, and the seat and text of each move."""
    setup, *lines = (line for line in SCRIPT if line and not line.startswith(("#", "expect")))
    moves = [tuple(line.split(": ", 1)) for line in lines]
    return setup, [(seat, text) for seat, text in moves]


def chat(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield "[28/11/2026, 20:01:10] Anna: Messages and calls are end-to-end encrypted."
    yield f"[28/11/2026, 20:01:59] Anna: {setup}"
    for minute, (seat, text) in enumerate(moves):
        yield f"[28/11/2026, {20 + minute // 60}:{minute % 60:02}:07] {NAMES[seat]}: {text} 🏛️"
        if minute % 7 == 3:
            yield f"[28/11/2026, 20:{minute:02}:09] {NAMES[seat]}: haha nice one"


def headings(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield f"`{setup}`"
    last_seat = ""
    for minute, (seat, text) in enumerate(moves):
        if seat != last_seat:
            yield from ("", f"**{NAMES[seat]}** — Today at 20:{minute % 60:02}")
        yield text.replace(" ", " `", 1) + "`" * (" " in text)
        last_seat = seat


def forum(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield f"[b]{setup}[/b]"
    for number, (seat, text) in enumerate(moves, 1):
        yield f"> {number}) [i]{NAMES[seat]}[/i] {text}."


def cells(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield setup
    yield "Zug;Spieler;Text"
    for number, (seat, text) in enumerate(moves, 1):
        yield f"{number};{NAMES[seat]};{text}"


def markup(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield f"<game>{setup}</game>"
    for number, (seat, text) in enumerate(moves, 1):
        yield f'<move no="{number}" who="{NAMES[seat]}">{text}</move>'


def channel(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield f"20:01 <anna> {setup}"
    for minute, (seat, text) in enumerate(moves):
        yield f"20:{minute % 60:02} <{NAMES[seat].split()[0].lower()}> {text}"


def pictures(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield setup
    for number, (seat, text) in enumerate(moves):
        yield from ["🦁 Round"] if number % 9 == 0 else []
        yield f"{'🔴' if seat == 'kilwa' else '🟡'} {text}"


def numbers(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield setup
    for seat, text in moves:
        yield f"Player {1 + (seat == 'mutapa')}: {text}"


def quoted_cells(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield '"Nr";"Datum";"Spieler";"Zug";"Kommentar"'
    yield f'"0";"28.11.2026";"";"{setup}";""'
    for number, (seat, text) in enumerate(moves, 1):
        yield f'"{number}";"28.11.2026";"{NAMES[seat].split()[0]}";"{text}";"{"hm, na ja" if number % 5 == 0 else ""}"'


def indented(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield setup
    yield from ("    " * (seat == "mutapa") + text for seat, text in moves)


def column_of_each_player(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield f"{setup}\nRot;Gelb"
    for seat, text in moves:
        cell = f'"{text}"' if ";" in text else text
        yield f";{cell}" if seat == "mutapa" else f"{cell};"


def signs(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield setup
    yield from (f"{'+' if seat == 'kilwa' else '-'} {text}" for seat, text in moves)


def stars(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield setup
    yield from (f"{'**' if seat == 'kilwa' else '***'} {text}" for seat, text in moves)


def player_behind(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield setup
    for minute, (seat, text) in enumerate(moves):
        yield f"{text}  ({NAMES[seat]}, {19 + minute // 60}:{minute % 60:02})"


def letters(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield f"Here we go:\n\n{setup}"
    for seat, texts in turns(moves):
        yield f"\nFrom: {NAMES[seat]} <{seat[0]}@club.example>\nDate: Sat, 28 Nov 2026 10:00\nSubject: Re: our game\n"
        yield "Hi all, sorry for the delay.\n" * (len(texts) > 2) + "\n".join(f"* {text}" for text in texts)


def signed_below(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield setup
    for number, (seat, text) in enumerate(moves, 1):
        yield f"\n#{number} comment\n{text}\n-- {NAMES[seat]}, 28 Nov"


def turn_on_a_line(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield setup
    for number, (seat, texts) in enumerate(turns(moves), 1):
        yield f"T{number:03} {NAMES[seat].upper()} → {' // '.join(texts)}"


def fields(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield f'ts=2026-11-28T18:00:00Z level=info event=setup msg="{setup}"'
    for minute, (seat, text) in enumerate(moves):
        yield f'ts=2026-11-28T19:{minute % 60:02}:04Z level=info event=move player={seat[0]} msg="{text}"'


def exported_channel(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    rows = [{"user": "U0A7", "ts": "1795890000.0001", "text": setup}]
    for minute, (seat, text) in enumerate(moves):
        user = {"user": "U0A7" if seat == "kilwa" else "U09C", "ts": f"{1795890000 + 60 * minute}.0002"}
        rows += [{**user, "text": text}, *([{**user, "text": "my kettle boils over"}] if minute % 9 == 4 else [])]
    yield json.dumps(rows, indent=1)


def bars(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield setup
    yield from (f"{number:03}|{NAMES[seat]}|{text}|ok" for number, (seat, text) in enumerate(moves, 1))


def times_behind(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield setup
    for minute, (seat, text) in enumerate(moves):
        yield f"{NAMES[seat]}: {text} @ {20 + minute // 60}:{minute % 60:02}"


def letters_of_players(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield setup
    for number, (seat, texts) in enumerate(turns(moves)):
        yield from (f"{'X' * (number // 10)}{'IVXLC'[number % 5]}.{seat[0]}  {text}" for text in texts)


def typeset(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield f"{setup}\n\\begin{{tabular}}{{lll}}"
    for number, (seat, text) in enumerate(moves, 1):
        underscored = text.replace("_", r"\_")
        yield rf"{number} & {NAMES[seat]} & {underscored} \\ \hline"
    yield r"\end{tabular}"


def expressions(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield setup
    yield from (f'(move :player {NAMES[seat].lower()} :text "{text}")' for seat, text in moves)


def cells_without_header(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield f'"setup","{setup}"'
    for number, (seat, text) in enumerate(moves, 1):
        yield f'{number},{NAMES[seat]},"{text}",{"y" if number % 2 else "n"}'


def prose(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield setup
    ways = ("Then {} decided to {}, as expected.", "{} chose to {}.", "After a long pause {} did {}!")
    yield from (ways[number % 3].format(NAMES[seat], text) for number, (seat, text) in enumerate(moves))


def games_of_chess(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield f'[Setup "{setup}"]\n'
    for number, (seat, texts) in enumerate(turns(moves), 1):
        yield f"{number}. {NAMES[seat]} " + " ".join(f"{text} {{20:{number % 60:02}}}," for text in texts)


def statements(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield f"-- {setup}"
    for number, (seat, text) in enumerate(moves):
        yield f"INSERT INTO moves VALUES ({number},'{NAMES[seat]}','{text}','2026-11-28 20:{number % 60:02}');"


def fixed_columns(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield f"{setup}\n{'No':<5}{'Player':<12}{'Move':<60}{'Left':>6}"
    yield from (f"{number:<5}{NAMES[seat]:<12}{text:<60}{number % 9:>6}" for number, (seat, text) in enumerate(moves))


def money_cells(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield f";;;{setup};;\nDatum;Zeit;Wer;Aktion;Kosten;Bemerkung"
    for number, (seat, text) in enumerate(moves):
        yield f'28.11.2026;20:{number % 60:02};{NAMES[seat]};"{text}";1.234,50;{"ok" * (number % 3 == 0)}'


def titles(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield f"# Our game\n\n`{setup}`"
    for seat, texts in turns(moves):
        yield f"\n## {NAMES[seat]}\n"
        yield from (f"- [x] {text}" for text in texts)


def hashes(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield setup
    yield from (f"{'# ' * (seat == 'kilwa')}{text}" for seat, text in moves)


def cut_lines(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield setup
    for line in (f"{NAMES[seat]}: {text}" for seat, text in moves):
        yield from (line[start : start + 34] for start in range(0, len(line), 34))


def wrapped_lines(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield setup
    for seat, text in moves:
        yield from wrap(f"{NAMES[seat]}: {text}", 40)


def balances(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield f"{setup}\nBeurt\tSpeler\tZet\tSaldo\tTijd"
    for number, (seat, text) in enumerate(moves, 1):
        yield f"{number}\t{NAMES[seat]}\t{text}\t€ 1.0{number % 9},00\t20:{number % 60:02}"


def quoted_replies(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    lines = [f"{NAMES[seat]}: {text}" for seat, text in moves]
    yield setup
    for previous, line in zip(["", *lines], lines, strict=False):
        yield from ([f"> {previous}", line] if previous else [line])


def pairs(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield json.dumps({"setup": setup, "log": [[NAMES[seat], text] for seat, text in moves]})


def nested_objects(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    rows = [{"player": {"name": NAMES[seat]}, "action": {"text": text}} for seat, text in moves]
    yield json.dumps({"game": {"setup": setup}, "turns": rows}, indent=2)


def minutes_of_a_meeting(setup: str, moves: Sequence[Move]) -> Iterator[str]:
    yield f"Protokoll\nAufbau: {setup}\n"
    for number, (seat, text) in enumerate(moves, 1):
        yield f"TOP {number}: {NAMES[seat]} (20:{number % 60:02} Uhr): {text}{'; einstimmig' * (number % 4 == 0)}"


def turns(moves: Sequence[Move]) -> Iterator[tuple[str, list[str]]]:
    """The moves of a seat that follow one another."""
    for seat, group in groupby(moves, key=lambda move: move[0]):
        yield seat, [text for _, text in group]


STYLES: dict[str, Callable[[str, Sequence[Move]], Iterator[str]]] = {
    style.__name__: style
    for style in (
        *(chat, headings, forum, cells, markup, channel, pictures, numbers, quoted_cells, indented, signs, stars),
        *(column_of_each_player, player_behind, letters, turn_on_a_line, fields, exported_channel),
        *(signed_below, bars, times_behind, letters_of_players, typeset),
        *(expressions, cells_without_header, prose, games_of_chess, statements, fixed_columns, money_cells),
        *(titles, hashes, cut_lines, wrapped_lines, balances, quoted_replies, pairs, nested_objects),
        minutes_of_a_meeting,
    )
}


def amount_changed(moves: list[Move], index: int) -> None:
    seat, text = moves[index]
    moves[index] = seat, f"bid {int(text.split()[1]) + 40}" if text.startswith("bid") else "bid 99"


def square_changed(moves: list[Move], index: int) -> None:
    moves[index] = moves[index][0], "build a99" if moves[index][1].startswith("build") else "build a1 a2 a3"


def other_player(moves: list[Move], index: int) -> None:
    seat, text = moves[index]
    moves[index] = next(each for each in NAMES if each != seat), text


def missing(moves: list[Move], index: int) -> None:
    del moves[index]


def swapped(moves: list[Move], index: int) -> None:
    moves[index : index + 2] = moves[index + 1], moves[index]


def misspelt(moves: list[Move], index: int) -> None:
    seat, text = moves[index]
    moves[index] = seat, f"{text[0]}{text[2:]}x {text[1]}9"


def other_heading(moves: list[Move], index: int) -> None:
    """A whole turn of another player."""
    seat, first, end = moves[index][0], index, index
    while moves[first - 1][0] == seat:
        first -= 1
    while moves[end : end + 1] and moves[end][0] == seat:
        end += 1
    for number in range(first, end):
        other_player(moves, number)


DAMAGES = {
    each.__name__: each
    for each in (amount_changed, square_changed, other_player, missing, swapped, misspelt, other_heading)
}


def judged(text: str) -> tuple[Layout, list[LineVerdict]]:
    (layout,) = read_logs(text, GAME)
    return layout, [*layout.verdicts]


def is_legal(text: str) -> bool:
    return all(verdict.verdict in ("legal", "ambiguous") for verdict in judged(text)[1])


@pytest.mark.parametrize("style", STYLES)
def test_moves_and_players_are_found(style: str) -> None:
    """Given a whole game as people keep it, when it is read, then each move is that of its player."""
    setup, moves = script_moves()
    _, found = judged("\n".join(STYLES[style](setup, moves)))
    assert [(each.line.seat or each.seat, each.verdict) for each in found] == [(seat, "legal") for seat, _ in moves]
    assert GAME.display.status(found[-1].state) == GAME.display.status(judged("\n".join(SCRIPT))[1][-1].state)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("style", STYLES)
def test_no_damage_is_passed_in_silence(style: str, damage: str) -> None:
    """Given a damage that makes a plain log illegal, when it is in another style, then that is illegal too."""
    setup, moves = script_moves()
    rng, tried = Random(f"{style} {damage}"), 0
    while tried < 1:
        damaged = [*moves]
        DAMAGES[damage](damaged, rng.randrange(4, len(moves) - 1))
        if not is_legal("\n".join([setup, *(f"{seat}: {text}" for seat, text in damaged)])):
            assert not is_legal("\n".join(STYLES[style](setup, damaged)))
            tried += 1


def test_an_exchanged_heading_is_noticed() -> None:
    setup, moves = script_moves()
    lines = [*headings(setup, moves)]
    index = [number for number, line in enumerate(lines) if line.startswith("**")][4]
    for exchanged in (lines[index].replace("Anna", "Ben B."), lines[index].replace("Ben B.", "Anna")):
        if exchanged != lines[index]:
            assert not is_legal("\n".join([*lines[:index], exchanged, *lines[index + 1 :]]))


@pytest.mark.parametrize("style", ["prose", "games_of_chess", "statements", "turn_on_a_line"])
def test_a_game_for_four_is_read_and_a_wrong_player_is_noticed(style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given more players than two, and several moves on a line, when one is another player's, then it is illegal."""
    script = (Path(__file__).parents[1] / "games" / "mixed-4p-10178.zim").read_text("utf-8").splitlines()
    monkeypatch.setattr(sys.modules[__name__], "SCRIPT", script)
    monkeypatch.setattr(sys.modules[__name__], "NAMES", {**NAMES, "zulu": "Cem", "lozi": "El-If"})
    setup, moves = script_moves()
    _, found = judged("\n".join(STYLES[style](setup, moves)))
    assert [(each.line.seat or each.seat, each.verdict) for each in found] == [(seat, "legal") for seat, _ in moves]
    moves[36] = "mutapa" if moves[36][0] != "mutapa" else "zulu", moves[36][1]
    assert not is_legal("\n".join(STYLES[style](setup, moves)))


def test_one_name_that_repeats_in_headings_is_not_that_of_all_moves() -> None:
    """Given headings with the seats' own names, when one has another name, then it does not tell who made all moves."""
    setup, moves = script_moves()
    lines, last_seat = [setup], ""
    for number, (seat, text) in enumerate(moves):
        lines += [f"{'GameBot' if number == 40 else seat.title()} — Today at 20:15"] if seat != last_seat else []
        lines.append(text)
        last_seat = seat
    _, found = judged("\n".join(lines))
    assert len({each.line.seat for each in found} - {""}) == len(NAMES)
