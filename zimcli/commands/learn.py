"""Train the bots of a game by letting them play it.

For games that bring only rules, so that bots play them better. Zim learns which figures make a seat win, tries out how
to use that, and writes a file beside the game. Bots, hints and analyses use it from then on. You can stop at any time:
the same command resumes. GAME is the name of a game, or MODULE:NAME.

Example::

    zim new-game souk && cd souk
    PYTHONPATH=. zim learn souk:GAME
    PYTHONPATH=. zim learn souk:GAME players=2 --games 40
"""

from __future__ import annotations

import click
import msgspec

from event_store.outputs import write_file
from zimcli.allowed_programs import named_game
from zimcli.command import argument, plain_command
from zimcli.commands.seating import key_values
from zimcli.output_files import check_is_inside, script_folder
from zimcli.session import Session
from zimcore.documents.storage import LearnAnswer


@plain_command(__doc__)
@argument("game")
@argument("options", nargs=-1)
@click.option(
    "--games",
    "game_count",
    type=click.IntRange(8, 100_000),
    metavar="NUMBER",
    default=200,
    help="Number of games to play.",
)
def command(session: Session, game: str, options: tuple[str, ...], game_count: int) -> LearnAnswer:
    """Plays, learns, and writes the file."""
    from zimcore.bots.learning import learn_game
    from zimcore.toolkit.learned import learned_file

    _, loaded_game = named_game(session, game)
    file = str(learned_file(loaded_game))
    check_is_inside(file, script_folder(session))
    option_values = key_values(options, "options are KEY=VALUE", "learn souk players=2")
    with session.output.progress("playing games") as report:
        learning_result = learn_game(loaded_game, option_values, game_count, report)
    learned_model = learning_result.learned_model
    write_file(file, [msgspec.json.format(msgspec.json.encode(learned_model)), b"\n"], replace=True)
    weights = dict(zip(learned_model.features, learned_model.weights, strict=True))
    return LearnAnswer(
        loaded_game.name,
        loaded_game.title,
        game_count,
        file,
        weights,
        learned_model.commands,
        learning_result.share,
        learning_result.error,
        learning_result.fair_share,
    )
