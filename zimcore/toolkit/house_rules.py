"""House rules: an option of a new game decides between two readings of a rule. Any game can use this module.

The rule's own text describes the usual value, and the house rule the other one. Help, the rulebook and refusals of an
option use these words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from zimcore.game import Event, OptionError, Overruled


class HouseRule(NamedTuple):
    """An option for the reading of a rule: the rule's code, the usual value with its meaning, and the other value.

    `usually` is a few words. `other_reading` is a sentence or two, which the rulebook shows as the other reading.
    `overrules` names all rules that the other value overrules, by code: the clause of the rule's text, and the words
    that hold instead ("" for `other_reading`). `is_open` says whether the rulebook's words leave both readings open; if
    not, they are clear, but some tables play otherwise.
    """

    code: str
    usual: str
    other: str
    usually: str
    other_reading: str
    overrules: Mapping[str, tuple[str, str]] = {}
    is_open: bool = True

    def other_than(self, value: str) -> str:
        """The value that is not this one."""
        return self.usual if value == self.other else self.other

    @property
    def help(self) -> str:
        """The option's help, with both values."""
        kind_note = "" if self.is_open else "; the rulebook is clear, some tables play otherwise"
        return (
            f"{self.usual} (default): {self.usually[:1].upper()}{self.usually[1:]}."
            f" {self.other}: {self.other_reading} ({self.code}{kind_note})"
        )


def help_of(house_rules: Mapping[str, HouseRule]) -> dict[str, str]:
    """The help of each option."""
    return {option: rule.help for option, rule in house_rules.items()}


def require_known_options(options: Mapping[str, str], known_options: Sequence[str]) -> None:
    """Raises `OptionError` if a new game has no option of a name; it proposes the nearest ones.

    >>> require_known_options({"gds": "all"}, ["players", "gods"])
    Traceback (most recent call last):
    zimcore.game.OptionError: there is no option gds: a new game takes players, gods
    """
    unknown_options = sorted({*options} - {*known_options})
    if unknown_options:
        from difflib import get_close_matches  # only needed after a typing error

        nearest = [(name, get_close_matches(name, known_options, 1)) for name in unknown_options]
        hints = [f"{known_name}={options[name]}" for name, names in nearest for known_name in names]
        why = f"a new game takes {', '.join(known_options) or 'no options'}"
        raise OptionError(f"there is no option {', '.join(unknown_options)}", why, hints or ["help new"])


def chosen_rules(house_rules: Mapping[str, HouseRule], options: Mapping[str, str]) -> dict[str, str]:
    """The house rules that differ from usual in these options, by option. Raises `OptionError` for an unknown value.

    >>> coin = HouseRule("T-1", "heads", "tails", "it lands so", "It lands the other way.")
    >>> [chosen_rules({"coin": coin}, options) for options in ({"coin": "tails"}, {"coin": "heads"}, {})]
    [{'coin': 'tails'}, {}, {}]
    """
    chosen_values = {}
    for option, rule in house_rules.items():
        value = options.get(option, rule.usual)
        if value not in (rule.usual, rule.other):
            options_to_type = f"{option}={rule.usual}", f"{option}={rule.other}"
            raise OptionError(
                f"{option}={value}", f"{option} is {rule.usual} or {rule.other} ({rule.code})", options_to_type
            )
        if value == rule.other:
            chosen_values[option] = value
    return chosen_values


def rules_of(house_rules: Mapping[str, HouseRule], event: Event) -> dict[str, str]:
    """The house rules that an event has in its own fields, by option, without the usual ones."""
    values_by_option = {option: getattr(event, option, rule.usual) for option, rule in house_rules.items()}
    return {option: value for option, value in values_by_option.items() if value != house_rules[option].usual}


def readings(house_rules: Mapping[str, HouseRule]) -> dict[str, dict[str, HouseRule]]:
    """The house rules by the code of their rule, then by option."""
    readings_by_option: dict[str, dict[str, HouseRule]] = {}
    for option, rule in house_rules.items():
        readings_by_option.setdefault(rule.code, {})[option] = rule
    return readings_by_option


def overruled_clauses(house_rules: Mapping[str, HouseRule]) -> dict[str, tuple[Overruled, ...]]:
    """The clauses that options overrule, by the code of their rule."""
    clauses_by_code: dict[str, tuple[Overruled, ...]] = {}
    for option, rule in house_rules.items():
        for code, (clause, words) in rule.overrules.items():
            overruled = Overruled(f"{option}={rule.other}", clause, words or rule.other_reading)
            clauses_by_code[code] = (*clauses_by_code.get(code, ()), overruled)
    return clauses_by_code


def rules_text(rules: Mapping[str, str]) -> str:
    """House rules as they are typed.

    >>> rules_text({"gu": "one-move", "xango": "absolute"})
    'gu=one-move xango=absolute'
    """
    return " ".join(f"{option}={value}" for option, value in sorted(rules.items()))


def flip_house_rule(
    house_rules: Mapping[str, HouseRule],
    make_event: Callable[[dict[str, str]], Event],
    events: Sequence[Any],
    option: str,
) -> Sequence[Event]:
    """The events of a set-up with one house rule flipped; `Played` comes first, then the deal.

    A house rule is in a field of the deal, or in the `rules` of an event after it, which `make_event` makes of them.
    """
    rule, (played_event, setup_event, *later_events) = house_rules[option], events
    if option in setup_event.__struct_fields__:
        flipped_event = replace(setup_event, **{option: rule.other_than(getattr(setup_event, option))})
        return [played_event, flipped_event, *later_events]
    rules: dict[str, str] = {}
    if later_events and hasattr(later_events[0], "rules"):
        rules = dict(later_events.pop(0).rules)
    if not rules.pop(option, ""):
        rules[option] = rule.other
    return [played_event, setup_event, *([make_event(rules)] if rules else []), *later_events]
