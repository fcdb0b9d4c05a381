"""`1 game`, not `1 games`: texts put a plural after a number with `numbered`, or the number is never 1."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
COUNTED_NOUNS = (
    "answers|bids|bytes|candidates|cards|causes|certificates|changes|commands|commits|consequences|craftsmen|days|"
    "entries|errors|events|exercises|figures|files|games|goods|hours|hubs|keys|levels|lines|links|logs|markers|minutes|"
    "mistakes|monuments|moves|orders|places|playouts|players|points|positions|problems|processes|requests|"
    "resources|rounds|rows|seats|seconds|squares|steps|stores|streams|tables|tags|times|turns|votes|words|workers"
)
PLURAL = re.compile(rf" (?:(?:later|more|used) )?(?:{COUNTED_NOUNS})\b")
SINGULAR_WITH_S = re.compile(rf"(?<![\w.,:/@*=+-])1 (?:(?:later|more|used) )?(?:{COUNTED_NOUNS})\b(?!=)")
EXPRESSIONS_NEVER_ONE = {
    "zimcli/features/votes.py: person_label(vote.by, vote.seat) votes",
    "zimcli/features/votes.py: seat votes",
    "zimcli/proofs/witnesses.py: 'lacks' if len(loss_texts) == 1 else 'lack' entries",
    "event_store/export.py: total.entry_count entries",
    "event_store/input_limits.py: limits.max_lines lines",
    "event_store/input_limits.py: limits.max_size bytes",
    "zimcli/session/command.py: len(game_names) games",
    "zimcli/commands/board.py: len(command_texts) commands",
    "zimcli/commands/games.py: missing_count games",
    "zimcli/commands/keeping.py: stream_count streams",
    "zimcli/proofs/required_signers.py: len(signatures) lines",
    "zimcli/render/answers/analysis.py: answer.tried turns",
    "zimcli/render/answers/audits.py: len(answer.logs) logs",
    "zimcli/render/answers/play.py: answer.kept games",
    "zimcli/render/answers/play.py: seat answers",
    "zimcli/render/answers/storage.py: answer.unmatched games",
    "zimcli/repl/completion.py: len(SESSION_ENTRIES) commands",
    "zimcore/bots/bot_match.py: len(seats) seats",
    "zimcore/bots/subprocess_bot.py: self.max_seconds seconds",
    "zimcore/candidates.py: candidate.command_count commands",
    "zimcore/envs/env_match.py: seats players",
    "zimcore/games/africana/checks.py: count times",
    "zimcore/games/africana/checks.py: max_players players",
    "zimcore/games/africana/notation/descriptions.py: event.seat moves",
    "zimcore/games/africana/notation/descriptions.py: event.seat turns",
    "zimcore/games/africana/rules/expeditions.py: state.box.limits.markers markers",
    "zimcore/games/africana/rules/setup.py: max_players players",
    "zimcore/games/zimbabwe/encoding/squares.py: board.height rows",
    "zimcore/games/zimbabwe/encoding/squares.py: rows rows",
    "zimcore/games/zimbabwe/notation/commands.py: height squares",
    "zimcore/games/zimbabwe/notation/descriptions.py: event.seat places",
    "zimcore/games/zimbabwe/questions/cards.py: count monuments",
    "zimcore/games/zimbabwe/questions/cards.py: count times",
    "zimcore/games/zimbabwe/questions/cards.py: steps steps",
    "zimcore/games/zimbabwe/rules/cards.py: command.specialist places",
    "zimcore/games/zimbabwe/rules/craftsmen.py: height squares",
    "zimcore/games/zimbabwe/rules/craftsmen.py: state.range_in_steps steps",
    "zimcore/games/zimbabwe/rules/rituals.py: state.range_in_steps steps",
    "zimcore/games/zimbabwe/rules/rituals.py: goods_count goods",
    "zimcore/games/zimbabwe/rules/setup.py: max_players players",
    "zimcore/games/zimbabwe/rules/setup.py: player_count players",
    "zimcore/games/zimbabwe/encoding/squares.py: len(state.seats) players",
    "zimcore/history/board_differences.py: cell.marks times",
    "zimcore/picture/pieces.py: cell.marks times",
    "zimcore/server/pages/beginning.py: browser.MAX_TOKENS games",
    "zimcore/server/pages/choices.py: candidate.command_count moves",
    "zimcore/service/health/health_checks.py: check.max_seconds seconds",
    "zimcore/service/social/league_commands.py: opening.name seats",
    "zimcore/service/health/store_health.py: len(witness.heads) streams",
    "zimcore/toolkit/words.py: amount_text words",
}
"""What stands before a plural, where it is no number, or never 1: a limit, a choice among several, a constant."""


def expressions_before_plurals(file: Path) -> Iterator[str]:
    """The expressions that a text has before a plural."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.JoinedStr):
            for value, next_value in zip(node.values, node.values[1:], strict=False):
                if isinstance(value, ast.FormattedValue) and isinstance(next_value, ast.Constant):
                    match = PLURAL.match(str(next_value.value))
                    if match and not ast.unparse(value.value).isupper():
                        yield f"{ast.unparse(value.value)}{match[0]}"


def test_a_text_writes_a_plural_after_a_number_only_where_that_is_never_1() -> None:
    texts = {
        f"{file.relative_to(ROOT)}: {text}"
        for room in ("event_store", "zimcore", "zimcli")
        for file in (ROOT / room).rglob("*.py")
        for text in expressions_before_plurals(file)
    }
    assert texts - EXPRESSIONS_NEVER_ONE == set(), "write it with zimcore.toolkit.words.numbered"
    assert EXPRESSIONS_NEVER_ONE - texts == set()


def test_no_recorded_answer_says_1_with_a_plural() -> None:
    files = [*ROOT.glob("tests/**/*.ambr"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/cli/table/screens/*.txt")]
    assert len(files) > 20
    mistakes = [(file.name, match[0]) for file in files for match in SINGULAR_WITH_S.finditer(file.read_text("utf-8"))]
    assert mistakes == []
