"""Commands and events of Africana as text."""

from zimcore.games.africana.notation.commands import SYNTAX, continues, verbs
from zimcore.games.africana.notation.commands import format_command as format  # noqa: A004 - the contract's name
from zimcore.games.africana.notation.commands import parse_command as parse
from zimcore.games.africana.notation.descriptions import describe, summary
from zimcore.games.africana.notation.story import describe_turn

__all__ = ["SYNTAX", "continues", "describe", "describe_turn", "format", "parse", "summary", "verbs"]
