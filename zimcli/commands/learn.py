"""Train the bots of a game by letting them play it.

For games that bring only rules, so that bots play them better. Zim learns which figures make a seat win, tries out how
to use that, and plays matches against bots without it. If these prove that it plays better, Zim writes a file beside
the game, and bots, hints and analyses use it from then on. If not, nothing changes. You can stop at any time: the same
command resumes. GAME is the name of a game, or MODULE:NAME.

Example::

    zim new-game souk && cd souk
    PYTHONPATH=. zim learn souk:GAME
    PYTHONPATH=. zim learn souk:GAME players=2 --games 40
"""

from __future__ import annotations

import click
import msgspec

from event_store.outputs import write_file
from zimcli.commands.seating import key_values
from zimcli.session.allowed_programs import named_game
from zimcli.session.command import argument, plain_command
from zimcli.session.output_files import check_is_inside, script_folder
from zimcli.session.session import Session
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
    """Plays, learns, and writes the file if it is proven to help."""
    from zimcore.bots.learning import learn_game
    from zimcore.toolkit.learned import learned_file

    _, loaded_game = named_game(session, game)
    file = str(learned_file(loaded_game))
    check_is_inside(file, script_folder(session))
    option_values = key_values(options, "options are KEY=VALUE", "learn souk players=2")
    with session.output.progress("playing games") as report:
        learning_result = learn_game(loaded_game, option_values, game_count, report)
    learned_model = msgspec.structs.replace(learning_result.learned_model, is_proven=learning_result.is_proven)
    if learning_result.is_proven:
        write_file(
            file, [msgspec.json.format(msgspec.json.encode(learned_model)), b"\n"], replace=True, access="public"
        )
    weights = dict(zip(learned_model.features, learned_model.weights, strict=True))
    return LearnAnswer(
        loaded_game.name,
        loaded_game.title,
        game_count,
        file if learning_result.is_proven else "",
        weights,
        learned_model.commands,
        learning_result.against_unlearned.share,
        learning_result.against_unlearned.error,
        learning_result.against_unlearned.fair_share,
    )
