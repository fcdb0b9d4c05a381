"""List the legal commands.

WORDS keep only commands whose words begin with them (`cra pot d`). If there are many, you see how many there are of
each kind; --all lists them. --sample draws one of all legal commands without listing them, for programs that play at
random; the same number draws the same command.

Example::

    zim legal kilwa-7 craft potter
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

import click

from zimcli.session.command import COUNT, argument, place_command
from zimcli.session.session import Session
from zimcli.session.who_plays import own_seats
from zimcore.commits import Position
from zimcore.documents.play import LegalAnswer, sample_answer
from zimcore.documents.positions import position_document, seat_with_unseen_cards
from zimcore.toolkit.player_names import title_with_name

MAX_LISTED = 24
"""Commands that are listed without --all at most."""


@place_command(__doc__)
@argument("words", nargs=-1)
@click.option("--count", "only_counts", is_flag=True, help="Print only their number.")
@click.option("--all", "lists_all", is_flag=True, help="List all, even if they are many.")
@click.option("--most", "max_count", type=COUNT, metavar="NUMBER", help="Stop after this many.")
@click.option("--sample", "sample_seed", type=int, metavar="NUMBER", help="Draw one at random, with this seed.")
def command(
    session: Session,
    place: str,
    words: tuple[str, ...],
    only_counts: bool,
    lists_all: bool,
    max_count: int | None,
    sample_seed: int | None,
) -> LegalAnswer:
    """The legal commands, those with this beginning, or a random one. Documents always list all of them."""
    position, command_start = session.position(place), " ".join(words)
    if position.to_move and not own_seats(session, position):
        session.show_note(not_yours_text(session, position))
    document, unseen_seat = position_document(position), seat_with_unseen_cards(position)
    if sample_seed is not None:
        if words or only_counts or max_count:
            raise click.UsageError("--sample draws from all legal commands: leave out the words, --count and --most.")
        return sample_answer(position, sample_seed)
    if only_counts and not words:
        return LegalAnswer(count=position.legal().count(), position=document, unseen=unseen_seat)
    command_texts = tuple(islice(position.legal().texts(command_start), max_count))
    listed_texts = None if only_counts else command_texts
    is_summary = not (words or lists_all or max_count or only_counts) and len(command_texts) > MAX_LISTED
    counts_by_kind = dict(Counter(map(kind_of_command, command_texts))) if is_summary else {}
    return LegalAnswer(
        count=len(command_texts),
        legal=listed_texts,
        position=document,
        beginning=command_start,
        unseen=unseen_seat,
        kinds=counts_by_kind,
    )


def not_yours_text(session: Session, position: Position) -> str:
    """Whose commands these are, for a user who may not play them."""
    names = " and ".join(title_with_name(seat, position.names) for seat in position.to_move)
    return f"{names} to move: these are not yours to play" + ("" if session.seat else "; you are watching")


def kind_of_command(text: str) -> str:
    """The kind that a command is counted as: its first word, and the second unless that is a square or a number.

    >>> kind_of_command("craft potter d4-d5"), kind_of_command("build d4"), kind_of_command("bid 3")
    ('craft potter', 'build', 'bid')
    """
    verb, *words = text.split()
    return f"{verb} {words[0]}" if words and words[0].replace("_", "").isalpha() else verb
