"""The rules of a game as pages: its primer, all rules with a search, and each rule with a board on which it matters.

The address may name the house rules of the table whose page links to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any
from urllib.parse import quote

from litestar import Response, get
from litestar.params import PathParameter, QueryParameter
from msgspec.structs import replace

from zimcore.commits import Position
from zimcore.game import Game, Refused, Rule
from zimcore.rule_texts import (
    at_table,
    by_section,
    dispute_note,
    examples_of,
    find_word,
    lessons_of,
    primer_of,
    rules_at_table,
)
from zimcore.server.endpoints.dispatcher import dispatcher_of
from zimcore.server.pages.board_pictures import board_svg
from zimcore.server.pages.rendering import compress_reply, html_reply
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.wire.replies import AnyRequest, Reply, make_response
from zimcore.service import GameService, Viewer
from zimcore.service.records.deciding import try_command
from zimcore.service.records.scripts import NO_TIME, example_positions, positions_of_script

MAX_HOUSE_TEXT = 2000
"""Characters of the house rules in an address."""
CACHED_FOR_AN_HOUR = "public, max-age=3600"

GameKind = Annotated[str, PathParameter(max_length=64)]
RuleCode = Annotated[str, PathParameter(max_length=40)]
HouseText = Annotated[str, QueryParameter(max_length=MAX_HOUSE_TEXT)]
SearchText = Annotated[str, QueryParameter(max_length=200)]


def rules_of_match(service: GameService, position: Position, viewer: Viewer) -> Mapping[str, Rule]:
    """The rules as a match has them, by code."""
    setup_command = service.position(f"{position.match}@start", viewer).commit.command
    return {rule.code: rule for rule in rules_at_table(position.game, setup_command)}


def rules_address(kind: str, rules: Mapping[str, Rule]) -> str:
    """The address of the rules page that names these house rules."""
    options = sorted({option for rule in rules.values() for option in rule.house})
    return f"/rules/{quote(kind)}" + (f"?house={quote(','.join(options))}" if options else "")


def found_rules(game: Game, rules: Sequence[Rule], search_text: str) -> list[Rule]:
    """The rules that a search finds: those of the word that it is about, then those with all its words."""
    asked_word, words = find_word(game, search_text), search_text.lower().split()
    codes = asked_word.rules if asked_word else ()
    named = [rule for rule in rules if rule.code in codes or rule.code.lower() == search_text.strip().lower()]
    with_words = [
        rule
        for rule in rules
        if rule not in named and all(word in f"{rule.code} {rule.text} {rule.section}".lower() for word in words)
    ]
    return [*named, *with_words]


@get("/rules/{kind:str}")
async def rules(request: AnyRequest, kind: GameKind, house: HouseText = "", q: SearchText = "") -> Response[Any]:
    """The primer and the rules of a game, under the sections of the rulebook; with `q` what a search finds."""

    def make_page(service: GameService) -> Reply:
        game = service.game_of(kind)
        rules_here = [at_table(rule, set(house.split(","))) for rule in rules_at_table(game)]
        shown_rules = found_rules(game, rules_here, q) if q.strip() else rules_here
        return html_reply(
            request,
            "rules.html",
            title=game.title,
            kind=game.name,
            address=f"/rules/{quote(kind)}",
            house=house,
            search=q.strip(),
            word=find_word(game, q) if q.strip() else None,
            has_rules=bool(rules_here),
            lessons={} if q.strip() else lessons_of(game),
            primer=() if q.strip() else primer_of(game),
            sections={"": shown_rules} if q.strip() and shown_rules else by_section(shown_rules),
            house_rules=[rule for rule in rules_here if rule.house],
            examples=examples_of(game),
            note=dispute_note,
        )

    return make_response(await dispatcher_of(request).run_for_page(request, "", make_page))


@get("/rules/{kind:str}/{code:str}")
async def rule_page(request: AnyRequest, kind: GameKind, code: RuleCode, house: HouseText = "") -> Response[Any]:
    """One rule: what it says at this table, what one types for it, and a board on which it matters."""

    def make_page(service: GameService) -> Reply:
        game: Any = service.game_of(kind)  # a bundle, which can be hashed
        rule = next((rule for rule in rules_at_table(game) if rule.code == code.upper()), None)
        if rule is None:
            raise ProblemError(404, f"{game.title} has no rule {code}")
        return html_reply(
            request,
            "rule.html",
            title=game.title,
            address=f"/rules/{quote(kind)}",
            house=house,
            rule=at_table(rule, set(house.split(","))),
            typed=[game.notation.SYNTAX[verb] for verb in rule.guards if verb in game.notation.SYNTAX],
            example=tried_example(game, rule.code),
            note=dispute_note(rule),
        )

    return make_response(await dispatcher_of(request).run_for_page(request, "", make_page))


@get("/rules/{kind:str}/{code:str}/board.svg")
async def rule_picture(request: AnyRequest, kind: GameKind, code: RuleCode) -> Response[Any]:
    """The board of a rule's example, or of the position of the demo with that number, as an SVG."""

    def make_picture(service: GameService) -> Reply:
        svg_text = picture_of(service.game_of(kind), code.upper())
        reply = compress_reply(request, svg_text.encode(), "image/svg+xml")
        return replace(reply, headers={**reply.headers, "Cache-Control": CACHED_FOR_AN_HOUR})

    return make_response(await dispatcher_of(request).run_for_page(request, "", make_picture))


def picture_of(game: Any, name: str) -> str:
    """The board of an example, by its rule's code, or of a position that primer or lessons show, by its number.

    Raises `ProblemError` for others.
    """
    example = examples_of(game).get(name)
    if example is not None:
        return drawn_board(game, example.script, example.move)
    shown_moves = {
        *(section.shown for section in primer_of(game) if section.shown is not None),
        *(task.move for tasks in lessons_of(game).values() for task in tasks),
    }
    if name not in map(str, shown_moves):
        raise ProblemError(404, "there is no such picture")
    return drawn_board(game, game.texts.demo(), int(name))


@lru_cache(128)
def drawn_board(game: Any, script: str, move: int | None) -> str:
    """The board after so many moves of a script, as SVG text."""
    return board_svg(positions_of_script(game, script, move)[1])


@lru_cache(128)
def tried_example(game: Any, code: str) -> Mapping[str, Any] | None:
    """A rule's example with what its line does there; None for a rule without one."""
    example = examples_of(game).get(code)
    if example is None:
        return None
    _, position = example_positions(game, example)
    answer = try_command(position, example.line, NO_TIME)
    refusals = answer.refusals if isinstance(answer, Refused) else ()
    events = () if isinstance(answer, Refused) else answer.commit.events[1:]
    return {
        "status": position.status,
        "line": example.line,
        "look": example.look,
        "refusals": refusals,
        "facts": [*map(position.game.notation.describe, events)],
        "has_board": position.board is not None,
    }
