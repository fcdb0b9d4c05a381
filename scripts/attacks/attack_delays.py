"""Attacks a delay: two games differ only in what spectators may not see yet, and no answer may tell them apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from scripts.attacks.attack_target import Breach, ReportOutcome, Target
from tests.server.game_server import Client, GameServer
from tests.server.test_delay import all_responses, delayed_match
from tests.server.test_secrets import response_without_digests
from zimcore.server.pages.browser import COOKIE_PREFIX
from zimcore.server.wire.tokens import id_of

PAGES = (
    "/games/k",
    "/games/k/steps",
    "/games/k/feed",
    "/games/k/replay",
    "/games/k/certificate",
    "/games/k/board.svg",
    "/games/k/compare?a=1&b=2",
    "/games/k/chances",
    *(f"/games/k?at={position}" for position in ("3", "4", "5", "-1", "end")),
)


Answer: TypeAlias = tuple[str, Any]
"""A question, and what was answered."""


class Watcher(NamedTuple):
    """A spectator with or without a token, the terms, and the moves of two games; of "before" and "after" if one has
    none."""

    role: str
    terms: Mapping[str, str]
    later_moves: tuple[tuple[str, ...], tuple[str, ...]]


OTHER_MOVES = (("take 1", "take 1"), ("take 2", "take 2"))
WATCHERS = (
    Watcher("nobody", {"delay": "2"}, OTHER_MOVES),
    Watcher("spectator", {"delay": "2h"}, ((), ("take 1", "take 1"))),
    Watcher("spectator", {"delay": "3"}, (("take 2", "take 1", "take 1"), ("take 1", "take 2", "take 1"))),
    Watcher("nobody", {"delay": "2h"}, OTHER_MOVES),
)


def compare_delayed_views(target: Target, tries: int, report: ReportOutcome) -> None:
    """Compares all that spectators can ask for in two games with other later moves, tags and remarks."""
    for number in range(tries):
        watcher, answers, heads = WATCHERS[number % len(WATCHERS)], list[list[Answer]](), set[str]()
        for later_moves in watcher.later_moves:
            # One after the other: tokens can be foreseen in one game at a time.
            with delayed_match(target.new_folder("delays") / "k", dict(watcher.terms), *later_moves) as server:
                if later_moves:
                    talk_about_head(server)
                heads.add(server.seats["ann"].get_json(server.main)["position"]["digest"])
                answers.append([*all_answers(server, watcher.role)])
        if len(heads) != len(watcher.later_moves):
            raise Breach("the two games do not differ: this attack shows nothing")
        for (question, first_answer), (_, second_answer) in zip(*answers, strict=True):
            if first_answer != second_answer:
                difference = first_difference(str(first_answer), str(second_answer))
                raise Breach(f"{question} tells a {watcher.role} what is delayed: {difference}")
            report("the same answer" if first_answer[0] == 200 else "the same refusal")


def first_difference(first_text: str, second_text: str) -> str:
    """Where two texts begin to differ, in both."""
    start = next((i for i, pair in enumerate(zip(first_text, second_text, strict=False)) if pair[0] != pair[1]), 0)
    return f"{first_text[max(start - 40, 0) :][:80]!r}, {second_text[max(start - 40, 0) :][:80]!r}"


def talk_about_head(server: GameServer) -> None:
    """Tags the head, talks about it, and forks from it on a line of a seat."""
    ann, head = server.seats["ann"], len(server.service.log(server.game)) - 1
    for method, path, body in (
        ("PUT", f"{server.path}/tags/late", {"line": "main", "at": str(head)}),
        ("POST", f"{server.path}/talk", {"text": "I have won", "line": "main", "at": str(head)}),
        ("POST", f"{server.path}/lines", {"name": "idea"}),
    ):
        ann(method, path, body)


def all_answers(server: GameServer, role: str) -> Iterator[Answer]:
    """The answers of all endpoints and pages to a spectator, with the questions."""
    client = server.nobody if role == "nobody" else server.token(role)
    answers = all_responses(server, client)  # before the pages: from now on a feed ends after what it has
    for path in PAGES:
        answers.append((path, response_without_digests(server.http.get(path, headers=page_headers(client)))))
    for question, (status, text, headers) in answers:
        # Digests that depend on what is delayed reveal nothing, but the same text with others is compressed otherwise.
        yield question, (status, text, [header for header in headers if header[0] != "content-length"])


def page_headers(client: Client) -> dict[str, str]:
    """The headers of a browser that has the token of a client."""
    cookie = f"{COOKIE_PREFIX}{id_of(client.token)}={client.token}"
    return {"Accept": "text/html", **({"Cookie": cookie} if client.token else {})}
