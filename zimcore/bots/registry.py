"""The only list of bots: ours, and those that installed packages add with the entry point `zim.bots`.

A bot's name is its level, and maybe a budget of positions for each command: `strong`, `strong:nodes=500`. `strong` may
have a rating instead: `strong:elo=1500`. For a bot that is not installed, give module and class: `my_bot:Greedy`.

In other words: agent, engine.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Self, cast

import msgspec

from zimcore.bots.bot import Bot
from zimcore.game import PROGRAM_AUTHOR_PREFIX, Game, GameError

BUILT_IN_LEVELS = {
    "random": "zimcore.bots.levels:RandomBot",
    "peer": "zimcore.bots.levels:PeerBot",
    "quick": "zimcore.bots.levels:QuickBot",
    "strong": "zimcore.bots.levels:StrongBot",
    "deep": "zimcore.bots.deep:DeepBot",
}
"""The module and class of each level, the weakest first."""
SEARCHING_LEVELS = ("quick", "strong", "deep")
"""The levels that search by random playouts where a game brings only rules."""
LEVEL_MEANINGS = {
    "random": "any legal command",
    "peer": "a simple rule, the baseline for the others",
    "quick": "the best next command, in a few thousandths of a second",
    "strong": "the best of a few turns, by the chances when all others have played, in a tenth of a second",
    "deep": "a search over the turns of all, in ten seconds a turn",
}
"""What our levels do, in short."""
BOTS_VERSION = 11
"""The version of our levels. Another version may play otherwise with the same view and random numbers; a test tells
when to raise it."""
MAX_NODES = 100_000_000
RATED_LEVEL, MAX_ELO = "strong", 9_999
"""The level that can be weakened to an Elo rating, and the highest rating that may be asked for."""


class ConfiguredBot(msgspec.Struct, frozen=True):
    """A bot and its budget: a level, and how many positions it may search for a command (0: the bot's default).

    `elo` is a rating that it is weakened to; 0 for the level as it is. A name is data, which a game or a script may
    hold: a bot that is not installed runs only if the caller says that its user named it (`allowed`).
    """

    level: str
    nodes: int = 0
    elo: int = 0
    is_allowed: bool = False

    def __str__(self) -> str:
        budget = f"nodes={self.nodes}" if self.nodes else f"elo={self.elo}" if self.elo else ""
        return ":".join(filter(None, (self.level, budget)))

    @property
    def is_installed(self) -> bool:
        """Whether it is one of our levels, or one that an installed package brings."""
        return self.level in levels()

    def allowed(self) -> Self:
        """The same bot, which may run though it is not installed: the person at this machine has named it."""
        return msgspec.structs.replace(self, is_allowed=True)

    @property
    def bot(self) -> Bot:
        """The bot itself. Raises `GameError` if it can't be loaded, or is neither installed nor allowed."""
        if not (self.is_allowed or self.is_installed):
            raise not_installed_error(str(self))
        return self.weaken(load_level(self.level))

    def weaken(self, bot: Bot) -> Bot:
        """Weakens a bot to the rating."""
        from zimcore.bots.levels import WeakenedBot  # not needed to parse a name

        return WeakenedBot(bot, self.elo) if self.elo else bot


def parse_bot(bot: str | type) -> ConfiguredBot:
    """The bot with a name, or of a class. Raises `GameError` for an unknown level, a wrong budget or rating.

    >>> parse_bot("strong:nodes=500").nodes, parse_bot("strong:elo=1500").elo, parse_bot("my_bot:Greedy").level
    (500, 1500, 'my_bot:Greedy')
    >>> parse_bot("clever")
    Traceback (most recent call last):
    zimcore.game.GameError: no such level: 'clever': there are random, peer, quick, strong, deep
    """
    name = f"{bot.__module__}:{bot.__qualname__}" if isinstance(bot, type) else str(bot)
    level, _, budget = name.rpartition(":")
    if "=" not in budget:
        level, budget = name, ""
    path_parts = level.replace(":", ".").split(".")
    if level not in levels() and not (level.count(":") == 1 and all(map(str.isidentifier, path_parts))):
        raise unknown_level(level)
    budget_key, _, budget_text = budget.partition("=")
    budget_number = int(budget_text[:12]) if budget_text.isascii() and budget_text.isdigit() else 0
    if not budget:
        return ConfiguredBot(level)
    if budget_key == "elo":
        if level != RATED_LEVEL or not 0 < budget_number <= MAX_ELO:
            why = "a rating is a number, such as 1500" if level == RATED_LEVEL else f"only {RATED_LEVEL} has ratings"
            raise GameError(f"not a rating: {name!r}", why, [f"{RATED_LEVEL}:elo=1500"])
        return ConfiguredBot(level, elo=budget_number)
    if budget_key != "nodes" or not 0 < budget_number <= MAX_NODES:
        why = f"a budget is a number of positions from 1 to {MAX_NODES:,}"
        raise GameError(f"not a budget: {budget!r}", why, [f"{level}:nodes=500"])
    return ConfiguredBot(level, budget_number)


def is_installed(name: str) -> bool:
    """Whether the bot of a name is installed. A game that comes from elsewhere may record any name."""
    try:
        return parse_bot(name).is_installed
    except GameError:
        return False


def log_author(configured_bot: ConfiguredBot, game: Game, seed: str = "") -> str:
    """The author of a bot's commands in the log: all that its play depends on besides the view.

    These are its level with the version, the budget, what was learned of the game, and the seed.
    """
    from zimcore.toolkit.monte_carlo import MonteCarloStrategy  # not needed to parse a name

    author_words = [PROGRAM_AUTHOR_PREFIX.strip(), f"{configured_bot.level.replace(':', '.')}.{BOTS_VERSION}"]
    author_words += [f"nodes-{configured_bot.nodes}"] if configured_bot.nodes else []
    author_words += [f"elo-{configured_bot.elo}"] if configured_bot.elo else []
    if configured_bot.level in SEARCHING_LEVELS and isinstance(game.strategy, MonteCarloStrategy):
        learned_model = game.strategy.playouts.learned_model
        author_words += [f"learned-{learned_model.digest}"] if learned_model else []
    return " ".join([*author_words, *([f"seed-{seed}"] if seed else [])])


def check_can_play(configured_bot: ConfiguredBot, game: Game) -> None:
    """Raises `GameError` if one of our levels needs a strategy that the game lacks, or a rating that it has not."""
    if configured_bot.level in BUILT_IN_LEVELS and configured_bot.level != "random" and game.strategy is None:
        why = "it has no strategy"
        raise GameError(f"no bot can play {game.title} well", why, ["random"])
    if configured_bot.elo:
        from zimcore.bots.levels import share_of_slips  # slow to import, and rarely needed

        share_of_slips(game, configured_bot.elo)


def not_installed_error(bot: str) -> GameError:
    """The error for a program that is not installed, where nobody has allowed it."""
    return GameError(bot, "only programs that are installed here can play here", [*levels()])


def unknown_level(level: str) -> GameError:
    """The error for an unknown level."""
    return GameError(f"no such level: {level!r}", f"there are {', '.join(levels())}", [*levels(), "MODULE:CLASS"])


@cache
def levels() -> dict[str, str]:
    """The module and class of all levels, ours first; a package can't replace one of ours."""
    from importlib.metadata import entry_points  # slow, and rarely needed

    external_levels = {entry_point.name: entry_point.value for entry_point in entry_points(group="zim.bots")}
    return {
        **BUILT_IN_LEVELS,
        **{name: location for name, location in external_levels.items() if name not in BUILT_IN_LEVELS},
    }


@cache
def load_level(level: str) -> Bot:
    """The bot of a level, or at a place such as `my_bot:Greedy`. Raises `GameError` if it can't be loaded.

    Bots that are not ours run in a subprocess, where they can't harm a game.
    """
    location = levels().get(level, level)
    if level not in BUILT_IN_LEVELS:
        from zimcore.bots.subprocess_bot import SubprocessBot

        external_bot = SubprocessBot(location)
        external_bot.load()
        return external_bot
    module, _, name = location.partition(":")
    return cast(Bot, getattr(import_module(module), name)())
