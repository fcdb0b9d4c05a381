"""Plays on a running server through a proxy that cuts, delays and doubles. Every acknowledged move must count once.

Writers retry each move, with the same key, until it is answered; followers resume after their last message. In the end
the stored moves and all feeds are compared with what was acknowledged. It knows the server by its API alone, so it runs
against a deployment of your own, too: `scripts/attack service --url URL --token TOKEN`. The games that it begins stay.
"""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx

from scripts.attacks.attack_target import Breach, ReportOutcome, Target
from scripts.attacks.chaos_proxy import running_proxy
from tests.server.server_process import run_zim, running_server
from zimcore.toolkit.addresses import LOOPBACK_HOSTS

ANSWER_TIMEOUT = 90.0
"""Seconds that a writer or follower waits for the server, which may be restarted meanwhile."""
KILL_TIMEOUT = 120
"""Seconds that a command to kill may take."""
RETRIED_STATUSES = (408, 429, 500, 502, 503, 504)
"""Statuses of an answer after which a request is sent again. A 500 is counted, and in the report."""


class StoppedError(Exception):
    """Another writer or follower has found a fault."""


class Plan(NamedTuple):
    """What to attack: the server, the account to use, and how much to play."""

    url: str
    token: str
    moves: int = 100
    writers: int = 2
    followers: int = 4
    proxy: str = "chaos"
    kill_command: str = ""
    kills: int = 3


class Game(NamedTuple):
    """A game on the server: the token of each seat, and an event by the token of each follower, who is a spectator.

    A follower sets the event when it has the feed. The first move waits for all of them.
    """

    name: str
    token_by_seat: Mapping[str, str]
    event_by_token: Mapping[str, Event]

    @property
    def line(self) -> str:
        """The path of its line."""
        return f"/v1/games/{self.name}/lines/main"


class ReceivedMove(NamedTuple):
    """A position that a follower heard of: the number of its move, and its digest."""

    number: int
    digest: str


class RunResult(NamedTuple):
    """The result of a run: a summary in one line, more lines, and all breaches."""

    summary: str
    details: Sequence[str]
    breaches: Sequence[str]


class Run:
    """A run of a plan: counts what happens, and stops all writers and followers after a fault."""

    def __init__(self, plan: Plan, address: str) -> None:
        self.plan, self.address = plan, address
        # Shared by all threads. Over plain HTTP no proxy of the system may come in between.
        self.http = httpx.Client(
            base_url=address, timeout=20, trust_env=address.startswith("https://"), limits=httpx.Limits()
        )
        self.counts, self.lock = Counter[str](), Lock()
        self.has_failed = Event()

    def count(self, counter: str) -> None:
        """Adds one to a counter."""
        with self.lock:
            self.counts[counter] += 1

    def send(self, method: str, path: str, token: str, **options: Any) -> httpx.Response:
        """Sends a request until it is answered, always with the same key. Raises `Breach` if it never is."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers |= options.pop("headers", {})
        deadline, tries = time.monotonic() + ANSWER_TIMEOUT, 0
        while time.monotonic() < deadline and not self.has_failed.is_set():
            tries, pause = tries + 1, 0.05
            with suppress(httpx.TransportError):
                response = self.http.request(method, path, headers=headers, **options)
                if response.status_code not in RETRIED_STATUSES:
                    if method == "POST" and tries > 1:
                        self.count("after retries")
                    return response
                self.count(f"answered {response.status_code}")
                pause = min(float(response.headers.get("retry-after", "0.05")), 5.0)
            time.sleep(pause)
        if self.has_failed.is_set():
            raise StoppedError
        raise Breach(f"{method} {path} is not answered in {ANSWER_TIMEOUT:g} seconds")

    def write(self, path: str, token: str, key: str, body: Mapping[str, Any], head: str = "") -> httpx.Response:
        """A write with a key."""
        headers = {"Idempotency-Key": key} | ({"If-Match": f'"{head}"'} if head else {})
        return self.send("POST", path, token, headers=headers, json=dict(body))


def checked_document(response: httpx.Response) -> Any:
    """The document of an answer. Raises `Breach` for an error."""
    if response.status_code not in (200, 201):
        raise Breach(
            f"{response.request.method} {response.request.url.path} is answered {response.status_code}: "
            f"{response.text[:300]}"
        )
    return response.json()


def begin_game(run: Run, follower_count: int) -> Game:
    """Begins a game, sits down at all of its seats, and lets spectators in."""
    new_game_body, key = (
        {"kind": "zimbabwe", "options": {"players": "2"}},
        f"{random.SystemRandom().getrandbits(64):016x}",
    )
    name = checked_document(run.write("/v1/games", run.plan.token, f"{key}-begin", new_game_body))["position"]["game"]
    tokens_path, token_by_seat = f"/v1/games/{name}/tokens", dict[str, str]()
    for seat_row in checked_document(run.send("GET", f"/v1/games/{name}/seats", run.plan.token))["seats"]:
        seat = seat_row["seat"]
        link = checked_document(
            run.write(tokens_path, run.plan.token, f"{key}-{seat}", {"role": "seat", "seat": seat})
        )["token"]
        token_by_seat[seat] = checked_document(
            run.write("/v1/tokens", "", f"{key}-redeem-{seat}", {"link": link, "by": seat})
        )["token"]
    event_by_token = {
        checked_document(run.write(tokens_path, run.plan.token, f"{key}-{number}", {"role": "spectator"}))[
            "token"
        ]: Event()
        for number in range(follower_count)
    }
    return Game(name, token_by_seat, event_by_token)


def write_moves(run: Run, game: Game, move_count: int) -> list[ReceivedMove]:
    """Plays a game. Returns the acknowledged moves, the start first."""
    position = checked_document(run.send("GET", game.line, next(iter(game.token_by_seat.values()))))["position"]
    acknowledged_moves, rng = [ReceivedMove(position["number"], position["digest"])], random.Random(game.name)
    for spectator in game.event_by_token.values():
        if not spectator.wait(ANSWER_TIMEOUT):
            raise Breach(f"{game.name}: a feed does not begin in {ANSWER_TIMEOUT:g} seconds")
    while len(acknowledged_moves) <= move_count and not position["over"] and not run.has_failed.is_set():
        token = game.token_by_seat[position["to_move"][0]]
        legal_moves = checked_document(run.send("GET", f"{game.line}/legal?most=4", token))["legal"]
        key, body = f"move-{len(acknowledged_moves)}", {"move": rng.choice(legal_moves)}
        response = run.write(f"{game.line}/moves", token, key, body, acknowledged_moves[-1].digest)
        if response.status_code == 412:
            last_number = acknowledged_moves[-1].number
            raise Breach(f"{game.name}: move {last_number} was acknowledged, but is not head: {response.text[:200]}")
        position = checked_document(response)["position"]
        acknowledged_moves.append(ReceivedMove(position["number"], position["digest"]))
        if len(acknowledged_moves) % 6 == 5:
            repeated_response = run.write(f"{game.line}/moves", token, key, body, acknowledged_moves[-2].digest)
            if checked_document(repeated_response)["digest"] != acknowledged_moves[-1].digest:
                raise Breach(f"{game.name}: {key} sent again has another answer")
            run.count("sent again later")
    return acknowledged_moves


def follow_feed(run: Run, game: Game, token: str, writer: Future[list[ReceivedMove]]) -> list[ReceivedMove]:
    """Follows a feed until it has had all moves. Returns the positions in it, in order."""
    moves, last_event_id, deadline = list[ReceivedMove](), "", 0.0
    headers = {"Accept": "application/x-ndjson", "Authorization": f"Bearer {token}"}
    while not run.has_failed.is_set():
        if writer.done():
            deadline = deadline or time.monotonic() + ANSWER_TIMEOUT / 3
            if time.monotonic() > deadline or not misses_last_move(moves, writer):
                break
        request_headers = headers | ({"Last-Event-ID": last_event_id} if last_event_id else {})
        with (
            suppress(httpx.TransportError),
            run.http.stream("GET", f"{game.line}/feed", headers=request_headers, timeout=5) as feed,
        ):
            for text in feed.iter_lines() if feed.status_code == 200 else ():
                try:
                    message = json.loads(text)
                except ValueError:  # the proxy has cut it
                    break
                last_event_id = message["id"]
                if message["event"] == "commit" or (message["event"] == "standing" and not moves):
                    position = message["data"]["position"]
                    moves.append(ReceivedMove(position["number"], position["digest"]))
                    game.event_by_token[token].set()
                elif message["event"] in ("head", "reset"):
                    raise Breach(f"{game.name}: a feed has a {message['event']} that nobody asked for")
                if writer.done() and not misses_last_move(moves, writer):
                    break
        run.count("feeds resumed")
        time.sleep(0.05)
    return moves


def misses_last_move(received_moves: Sequence[ReceivedMove], writer: Future[list[ReceivedMove]]) -> bool:
    """Whether a follower has not yet heard of the last acknowledged move. A writer that failed ends the waiting."""
    return not writer.exception() and writer.result()[-1] not in received_moves


def breaches_of(
    run: Run, game: Game, acknowledged_moves: Sequence[ReceivedMove], feeds: Sequence[Sequence[ReceivedMove]]
) -> list[str]:
    """The differences between what was acknowledged, what is stored, and what each follower has heard."""
    log = checked_document(run.send("GET", f"{game.line}/moves", run.plan.token))["commits"]
    log_moves = [ReceivedMove(commit["number"], commit["digest"]) for commit in log]
    breaches = list[str]()
    if missing_numbers := [move.number for move in acknowledged_moves if move not in log_moves]:
        breaches.append(f"{game.name}: acknowledged and lost: moves {missing_numbers}")
    if extra_numbers := [move.number for move in log_moves if move not in acknowledged_moves]:
        breaches.append(f"{game.name}: stored without being asked for, or twice: moves {extra_numbers}")
    for number, received_moves in enumerate(feeds, 1):
        if [*received_moves] != log_moves:
            gaps = [move.number for move in log_moves if move not in received_moves]
            difference = f"misses moves {gaps}" if gaps else f"has moves {[move.number for move in received_moves]}"
            breaches.append(f"{game.name}: feed {number} {difference}")
    audit = checked_document(run.send("GET", f"{game.line}/verify", run.plan.token))["audit"]
    if audit["fault"]:
        breaches.append(f"{game.name}: does not verify: {audit['fault']}")
    return breaches


def even_shares(total: int, count: int) -> list[int]:
    """A total as that many numbers that differ by at most 1."""
    return [total // count + (index < total % count) for index in range(count)]


def execute_plan(plan: Plan, show_progress: Callable[[str], None] = lambda _: None) -> RunResult:
    """Runs a plan. Raises `Breach` if the server can't be used at all."""
    check_is_answering(plan.url)
    with running_proxy(plan.url, is_harmful=plan.proxy == "chaos") as proxy:
        direct_run, run = Run(plan, plan.url.rstrip("/")), Run(plan, proxy.url)
        games = [begin_game(direct_run, followers) for followers in even_shares(plan.followers, plan.writers)]
        faults, move_count, feed_count = list[str](), 0, 0
        with ThreadPoolExecutor(plan.writers + plan.followers) as pool:
            move_counts = even_shares(plan.moves, plan.writers)
            writers = [
                pool.submit(write_moves, run, game, move_count)
                for game, move_count in zip(games, move_counts, strict=True)
            ]
            followers_by_game = [
                [pool.submit(follow_feed, run, game, token, writer) for token in game.event_by_token]
                for game, writer in zip(games, writers, strict=True)
            ]
            try:
                run_kill_command(run, writers, show_progress)
            except Breach as error:
                faults.append(str(error))
                run.has_failed.set()
        for game, writer, followers in zip(games, writers, followers_by_game, strict=True):
            errors = [client.exception() for client in (writer, *followers) if client.exception()]
            faults += [str(error) for error in errors if not isinstance(error, StoppedError)]
            if errors:
                continue
            move_count += len(writer.result()) - 1
            if run.has_failed.is_set():  # they were stopped: no feed has all
                continue
            feed_count += len(followers)
            faults += breaches_of(direct_run, game, writer.result(), [follower.result() for follower in followers])
        success_summary = f"{move_count} of {move_count} once; {feed_count} feeds equal"
        retry_summary = f"{run.counts.pop('after retries', 0)} after retries"
        details = [
            "proxy: " + ", ".join(f"{number} {outcome}" for outcome, number in proxy.outcomes.most_common()),
            "clients: " + ", ".join(f"{number} {outcome}" for outcome, number in run.counts.most_common()),
            f"games that stay on the server: {', '.join(game.name for game in games)}",
        ]
        summary = f"{len(faults)} faults after {move_count} moves" if faults else success_summary
        return RunResult(f"{summary}; {retry_summary}", details, faults)


def check_is_answering(url: str) -> None:
    """Raises `Breach` unless the server answers now; later it may be down for a while."""
    try:
        response = httpx.get(f"{url.rstrip('/')}/health", timeout=10, trust_env=url.startswith("https://"))
    except httpx.HTTPError as error:
        raise Breach(f"{url}: {error}") from error
    if response.status_code != 200:
        raise Breach(f"{url}/health is answered {response.status_code}")


def run_kill_command(
    run: Run, writers: Sequence[Future[list[ReceivedMove]]], show_progress: Callable[[str], None]
) -> None:
    """Runs the command that kills, at random times, until all is written. Raises `Breach` if it fails."""
    rng, kills_remaining = random.Random(19), run.plan.kills if run.plan.kill_command else 0
    while not all(writer.done() for writer in writers):
        if any(writer.done() and writer.exception() for writer in writers):
            run.has_failed.set()
            return
        show_progress(f"{run.counts['after retries']} after retries")
        time.sleep(rng.uniform(0.3, 1.5) if kills_remaining else 0.1)
        if kills_remaining:
            kills_remaining -= 1
            command = run.plan.kill_command
            try:
                subprocess.run(command, shell=True, check=True, timeout=KILL_TIMEOUT, stdout=subprocess.DEVNULL)
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                raise Breach(f"--kill-command failed: {error}") from error
            run.count("kills")


def refusal_reason(plan: Plan, *, is_own_server: bool) -> str:
    """Why a plan is not run; "" if it is."""
    url_parts = urlsplit(plan.url)
    if url_parts.scheme not in ("http", "https") or not url_parts.hostname:
        return f"--url {plan.url}: an address is https://HOST or http://127.0.0.1:PORT"
    if url_parts.hostname not in LOOPBACK_HOSTS and not is_own_server:
        return f"{url_parts.hostname} is another machine: only attack a server of yours, with --i-operate-this-server"
    if not plan.token:
        return "no token: make one with `zim serve token attack --days 1`, and set ZIM_TOKEN or add --token"
    if min(plan.moves, plan.writers) < 1 or plan.followers < 0 or plan.kills < 0:
        return "--moves and --writers must be at least 1, --followers and --kills at least 0"
    return ""


def attack_deployment(target: Target, tries: int, report: ReportOutcome) -> None:
    """Plays so many moves on a server of this machine, which it knows by its address only."""
    del target
    with (
        tempfile.TemporaryDirectory(prefix="zim-deployment-") as folder_name,
        running_server(Path(folder_name)) as server,
    ):
        token = json.loads(run_zim(Path(folder_name), "--json", "serve", "token", "hanna"))["token"]
        result = execute_plan(Plan(server.url, token, moves=tries))
        if result.breaches:
            raise Breach("; ".join(result.breaches))
        report(result.summary)
