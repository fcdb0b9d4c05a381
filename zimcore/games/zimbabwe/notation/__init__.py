"""Commands and events of The Great Zimbabwe as text."""

from zimcore.games.zimbabwe.notation.commands import SYNTAX, continues, verbs
from zimcore.games.zimbabwe.notation.commands import format_command as format  # noqa: A004 - the contract's name
from zimcore.games.zimbabwe.notation.commands import parse_command as parse
from zimcore.games.zimbabwe.notation.descriptions import describe, summary
from zimcore.games.zimbabwe.notation.story import describe_turn

__all__ = ["SYNTAX", "continues", "describe", "describe_turn", "format", "parse", "summary", "verbs"]
