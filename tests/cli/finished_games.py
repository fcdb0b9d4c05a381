"""Finished games for the tests of game ends and exercises, with an analysis made for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner, Result

from zimcli.main import cli
from zimcli.output.output import Output
from zimcli.session.session import Session
from zimcore.analysis.judgement import DEFAULT_NODES
from zimcore.analysis.judgement_cache import JudgementCache
from zimcore.analysis.judgement_files import judgement_path
from zimcore.analysis.judging import JudgedTurn
from zimcore.analysis.match_analysis import Decision, engine_version, iter_decisions
from zimcore.chances import Chance
from zimcore.commits import Commit
from zimcore.game import Seat
from zimcore.games.africana import GAME as AFRICANA
from zimcore.games.zimbabwe import GAME as ZIMBABWE
from zimcore.service import open_service


@dataclass
class FinishedGames:
    """A store with two games that are over: `k`, of Anna at kilwa against a program, and `a`, of Africana."""

    home: Path
    store: str
    commits: Sequence[Commit]
    decisions: Sequence[Decision]

    @property
    def analysis_file(self) -> Path:
        """The file with the analysis of `k`."""
        return judgement_path(self.home / ".cache" / "zim" / "analysis", self.commits[0].digest)

    def zim(self, *words: str, stdin: str = "") -> Result:
        return CliRunner().invoke(cli, ["--store", self.store, *words], input=stdin)

    def session(self, game: str = "k", seat: Seat | None = None) -> Session:
        session = Session(Output(), store=self.store, by="anna")
        session.seat = seat
        session.enter_position(session.head(f"{game}/main"))
        return session


def parse_africana_demo(text: str) -> tuple[dict[str, str], list[str]]:
    """The options and the moves of the demonstration of Africana."""
    lines = [line for line in text.splitlines() if line[:1] not in ("#", "")]
    options = dict(word.split("=") for word in lines[0].split() if "=" in word)
    return options, [line for line in lines[1:] if line.partition(":")[0] in ("italy", "france", "germany")]


def make_judged_turn(decision: Decision, blunder_move: int) -> JudgedTurn:
    """A judgement of a turn: only the turn that ends with the move `blunder_move` gave something away."""
    return judged_turn(0.2, "adore xango", "end") if decision.last == blunder_move else judged_turn(0.0)


def judged_turn(loss: float, *better_turn: str) -> JudgedTurn:
    """A judgement of a turn at kilwa that gave away `loss`, a chance, where `better_turn` would have been best."""
    chances = {"kilwa": Chance(0.4), "zulu": Chance(0.6)}
    return JudgedTurn(
        chances_before=chances,
        chances=chances,
        chance=0.4,
        best_commands=better_turn,
        best_chance=0.6,
        loss=loss,
        error=0.0,
        nodes=9,
    )


def store_analysis(finished_games: FinishedGames, omitted_turns: int = 0) -> int:
    """Stores an analysis without the last `omitted_turns` turns; returns the last move of the turn with the blunder."""
    cache = JudgementCache(finished_games.analysis_file, engine_version(ZIMBABWE), DEFAULT_NODES, 0)
    blunder_move = next(
        decision.last
        for decision in finished_games.decisions
        if decision.seat == "kilwa" and len(decision.commands) > 1
    )
    for decision in finished_games.decisions[: len(finished_games.decisions) - omitted_turns]:
        cache.store(decision.digest, make_judged_turn(decision, blunder_move))
    return blunder_move


def play_games(home: Path) -> FinishedGames:
    """Plays the games, the first by two programs, of which one types as Anna."""
    store = f"sqlite:///{home}/games.db"
    service = open_service(store)
    finished_games = FinishedGames(home, store, (), ())
    assert finished_games.zim("new", "g", "players=kilwa,zulu", "seed=7", "bots=kilwa:random,zulu:quick").exit_code == 0
    service.new("zimbabwe", {"players": "kilwa,zulu", "seed": "7"}, name="k", by="anna", bots={"zulu": "quick"})
    for commit in service.log("g/main")[1:]:
        author = "anna" if commit.seat == "kilwa" else commit.by
        service.play_or_raise("k", commit.command, seat=commit.seat, by=author)
    service.delete("g", by="anna")
    options, moves = parse_africana_demo(AFRICANA.texts.demo())
    service.new("africana", options, name="a", by="anna")
    for move in moves:
        if not service.head("a").outcome.over:
            service.play("a", move, by="anna")
    assert service.head("k").outcome.over
    assert service.head("a").outcome.over
    commits = service.log("k/main")
    finished_games.commits, finished_games.decisions = (
        commits,
        [decision for decision, _, _ in iter_decisions(ZIMBABWE, commits)],
    )
    service.store.close()
    return finished_games
