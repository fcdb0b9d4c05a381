"""Name a position, or list the names.

A tag is a name for a position that everybody in the game sees: kilwa-7@opening stands for it wherever a place may be,
and `log` shows it. It stays at its move, also when the line goes back. Without NAME you see all tags; -d removes one.
On a server the host and the players can tag positions of lines that all see.

Example::

    zim tag kilwa-7@r2 opening
    zim show kilwa-7@opening
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from zimcli.session.command import PlaceCommand, argument, id_option, place_command
from zimcli.session.session import Session
from zimcore.documents.storage import TagsAnswer
from zimcore.service.records.places import parse_place

if TYPE_CHECKING:
    from zimcore.service.writing.writer import WriteOptions


class TagCommand(PlaceCommand):
    """Takes the name before the place, too, as git does: `tag opening @r2`."""

    def with_place(self, session: Session, args: list[str]) -> list[str]:
        """The arguments, with a whole place in front."""
        indexes = self.argument_indexes(args)
        if (
            len(indexes) == 2
            and session.is_known_place(args[indexes[1]])
            and not session.is_known_place(args[indexes[0]])
        ):
            args = [*args]
            args[indexes[0]], args[indexes[1]] = args[indexes[1]], args[indexes[0]]
        return super().with_place(session, args)

    def names_its_place(self, session: Session, words: list[str]) -> bool:
        """Whether the first of the words is a place. Alone it is a place only if there is one of that name."""
        return len(words) > 1 or (bool(words) and session.is_known_place(words[0]))


@place_command(__doc__, command_class=TagCommand)
@argument("name", default="")
@click.option("-d", "--delete", "removed_name", default="", metavar="NAME", help="Remove a tag.")
@id_option
def command(session: Session, place: str, name: str, removed_name: str, command_id: str) -> TagsAnswer:
    """Sets a tag, removes one, or lists all."""
    if name and removed_name:
        raise click.UsageError("a tag is either set or removed: leave out one of the names")
    service, match = session.service, parse_place(place).match
    write_options: WriteOptions = {"by": session.by, "viewer": session.viewer, "command_id": command_id}
    if removed_name:
        return TagsAnswer(match, tuple(service.untag(match, removed_name, **write_options)))
    if not name:
        return TagsAnswer(match, tuple(service.tags(match)))
    tags = service.tag(place, name, **write_options)
    return TagsAnswer(match, tuple(tag for tag in tags if tag.name == name.lower()))
