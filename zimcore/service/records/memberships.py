"""The members of a served game: its host, the players at its seats, and the tokens by which a server knows them.

Their events are in the game's stream of names, so the history shows who sat where and since when. Only the digest of a
token is stored: nothing in a store lets its reader take a seat.

In other words: bearer token, capability, membership.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Literal, TypeAlias, assert_never

import msgspec
from msgspec.structs import replace

from zimcore.game import Event, GameError, Seat, UnknownError

Role: TypeAlias = Literal["host", "seat", "bot", "spectator", "auditor"]
"""The roles: see the table "Who may what" in `docs/api.md`."""

READ, WRITE = "read", "write"
SCOPES = (READ, WRITE)
"""What a token allows. A read-only token can be given to a public screen."""
UNKNOWN_TIME = datetime.min.replace(tzinfo=UTC)
"""The value for a time that is not known."""


class GameHosted(Event, frozen=True, tag="game_hosted.1"):
    """The game is served, by this host; `public` if anyone may watch it."""

    host: str
    public: bool = False


class SeatOffered(Event, frozen=True, tag="seat_offered.1"):
    """A seat was offered by a link, which can be used once; `digest` is its SHA-256. Older offers of the seat end.

    With `device` its player has the seat already: the link opens it on another device of theirs.
    """

    seat: str
    id: str
    digest: bytes
    until: datetime | None = None
    bot: bool = False
    device: bool = False


class SeatTaken(Event, frozen=True, tag="seat_taken.1"):
    """A player took an offered seat: `digest` is that of their token (SHA-256), `key` their public key, if any.

    `account` is the name of the account that the seat belongs to, if any.
    """

    seat: str
    offer: str
    by: str
    id: str
    digest: bytes
    until: datetime | None = None
    scopes: tuple[str, ...] = SCOPES
    bot: bool = False
    key: str = ""
    account: str = ""


class SeatLeft(Event, frozen=True, tag="seat_left.1"):
    """A seat is free again: its tokens and links are no longer valid."""

    seat: str


class TokenGiven(Event, frozen=True, tag="token_given.1"):
    """A token was made without a seat, or for another device of the player at `seat`; `digest` is its SHA-256."""

    id: str
    role: Role
    name: str
    digest: bytes
    until: datetime | None = None
    scopes: tuple[str, ...] = SCOPES
    seat: str = ""


class TokenRevoked(Event, frozen=True, tag="token_revoked.1"):
    """A token or an offer was revoked."""

    id: str


class TermsSet(Event, frozen=True, tag="terms_set.1"):
    """The host set the terms of the game from here on.

    Spectators don't see the last `behind_moves` moves, nor anything younger than `behind` seconds. A turn may take
    `pace` seconds; further time comes out of the seat's `bank`, which it has once (seconds). 0 means none.
    """

    behind_moves: int = 0
    behind: int = 0
    pace: int = 0
    bank: int = 0


class HouseRulesSet(Event, frozen=True, tag="house_rules_set.1"):
    """The house rules of a table, by option. Each player must agree to them to sit down."""

    rules: dict[str, str]


class HouseRulesAgreed(Event, frozen=True, tag="house_rules_agreed.1"):
    """The player who is about to take this seat agreed to these house rules, written as in `house_rules_text`."""

    seat: str
    rules: str


class TimeGiven(Event, frozen=True, tag="time_given.1"):
    """The others granted a seat that is out of time its pace once more, from now on."""

    seat: str


class GameEnded(Event, frozen=True, tag="game_ended.1"):
    """The players ended the match early: it can't be continued."""


class GameDecided(Event, frozen=True, tag="game_decided.1"):
    """The match is over, as this seat is the only one whose player has not left: it has won."""

    winner: str


class GameResumed(Event, frozen=True, tag="game_resumed.1"):
    """A match that was over as players had left goes on."""


MemberEvent: TypeAlias = (
    GameHosted
    | SeatOffered
    | SeatTaken
    | SeatLeft
    | TokenGiven
    | TokenRevoked
    | TermsSet
    | TimeGiven
    | GameEnded
    | GameDecided
    | GameResumed
    | HouseRulesSet
    | HouseRulesAgreed
)
"""An event of memberships."""


class HouseRulesError(GameError):
    """Raised when a player takes a seat without agreeing to the house rules, which are `rules_text`."""

    def __init__(self, rules_text: str) -> None:
        why = "all players agree to them before the deal"
        super().__init__(f"this game has house rules: {rules_text}", why, [f'join LINK --agree "{rules_text}"'])
        self.rules_text = rules_text


class InvalidLinkError(UnknownError):
    """Raised for a link that was used, was revoked or has expired."""

    def __init__(self) -> None:
        super().__init__("this link is no longer valid", "", ["have the host invite you again"])


def house_rules_text(rules: Mapping[str, str]) -> str:
    """House rules as they are typed, in alphabetical order: `gu=one-move xango=absolute`."""
    return " ".join(f"{option}={text}" for option, text in sorted(rules.items()))


class Grant(msgspec.Struct, frozen=True, rename={"given_at": "given"}):
    """What a token allows, and until when. An `offered` one is a link to a seat, which a player trades for a token."""

    id: str
    role: Role
    digest: bytes
    name: str = ""
    seat: Seat = ""
    scopes: tuple[str, ...] = SCOPES
    until: datetime | None = None
    given_at: datetime | None = None
    offered: bool = False

    def is_valid(self, now: datetime) -> bool:
        """Whether it has not expired."""
        return self.until is None or now < self.until


class Members(
    msgspec.Struct,
    frozen=True,
    rename={
        "seat_by_person": "people",
        "change_times": "changed",
        "pace_start": "paced",
        "time_given_at": "waited",
        "house_rules": "house",
        "token_ids": "seated",
        "agreed_rules": "agreed",
        "account_by_seat": "accounts",
    },
):
    """The members of a game: its host ("" if it is not served) and the valid tokens (`grants`) by id.

    `token_ids` has the id of each seated player's token, by seat, and `account_by_seat` their accounts. Tokens of a
    player's other devices are among the grants. `seat_by_person` has the seat of everyone who ever
    sat down, by their name in lower case, and `keys` the keys that seated players came with. `change_times` has the
    times when a seat was taken or left, terms were set, time was granted, or the match was ended. The pace counts from
    `pace_start`; `time_given_at` says when each seat was last granted more time. An `ended` match can't be continued;
    `decided_for` is the seat that has won it, if all others have left.
    `house_rules` are those of the table, by option, and `agreed_rules` has the text that each seat agreed to.
    """

    host: str = ""
    public: bool = False
    grants: Mapping[str, Grant] = {}
    token_ids: Mapping[Seat, str] = {}
    seat_by_person: Mapping[str, Seat] = {}
    keys: Mapping[Seat, str] = {}
    change_times: tuple[datetime, ...] = ()
    terms: TermsSet = TermsSet()
    pace_start: datetime | None = None
    time_given_at: Mapping[Seat, datetime] = {}
    ended: bool = False
    decided_for: Seat = ""
    house_rules: Mapping[str, str] = {}
    agreed_rules: Mapping[Seat, str] = {}
    account_by_seat: Mapping[Seat, str] = {}

    @property
    def change_count(self) -> int:
        """How often seats or terms have changed."""
        return len(self.change_times)

    def token_at(self, seat: Seat) -> Grant | None:
        """The token of the player at a seat; None if the seat is free."""
        return self.grants.get(self.token_ids.get(seat, ""))

    def check(self, event: MemberEvent) -> None:
        """Raises `GameError` for an event that is not possible now, such as taking a seat by a used link."""
        match event:
            case GameHosted() if self.host:
                raise UnknownError("this game is served already", f"{self.host} is its host")
            case SeatOffered(seat=seat, device=device) if (seated_player := self.token_at(seat)) and not device:
                raise GameError(
                    f"{seat} is taken",
                    f"{seated_player.name} sits there; a new link ends theirs, and their token",
                    [f"invite {seat} --again"],
                )
            case SeatOffered(seat=seat, device=True) | TokenGiven(seat=seat) if seat and not self.token_at(seat):
                raise InvalidLinkError
            case SeatTaken(offer=offer, seat=seat):
                offered_link = self.grants.get(offer)
                if offered_link is None or not offered_link.offered or offered_link.seat != seat:
                    raise InvalidLinkError
                if (
                    self.house_rules
                    and not event.bot
                    and self.agreed_rules.get(seat) != house_rules_text(self.house_rules)
                ):
                    raise HouseRulesError(house_rules_text(self.house_rules))
                if self.seat_by_person.get(event.by.casefold(), seat) != seat:
                    raise GameError(
                        f"another player is called {event.by}",
                        "each player in a game has a name of their own",
                        ["zim --by NAME join LINK"],
                    )
            case SeatLeft(seat=seat) if seat not in self.token_ids:
                raise UnknownError(f"{seat} is free")
            case HouseRulesSet() if self.house_rules or self.token_ids:
                raise GameError("house rules are set when a table opens", "the players there have agreed to others")
            case GameEnded() | GameDecided() if self.ended:
                raise GameError("it was ended before", "it can't be played on")
            case GameResumed() if not self.decided_for:
                raise GameError("it goes on", "no departure has ended it")
            case TokenRevoked(id=id) if id not in self.grants:
                raise UnknownError("there is no such token", "or it was revoked before")

    def after(self, event: MemberEvent, time: datetime | None = None) -> Members:
        """The members after an event, which happened at `time`."""
        match event:
            case GameHosted(host=host, public=public):
                return replace(self, host=host, public=public)
            case SeatOffered(seat=seat, id=id, digest=digest, until=until, bot=bot):
                older_offer_ids = (each.id for each in self.grants.values() if each.offered and each.seat == seat)
                role: Role = "bot" if bot else "seat"
                link = Grant(id, role, digest, seat=seat, until=until, given_at=time, offered=True)
                return self._without_grants(older_offer_ids)._with_grant(link)
            case SeatTaken(seat=seat, offer=offer, by=by, id=id, digest=digest, until=until, scopes=scopes):
                token = Grant(id, "bot" if event.bot else "seat", digest, by, seat, scopes, until, time)
                return replace(
                    self._without_grants([offer])._with_grant(token),
                    token_ids={**self.token_ids, seat: id},
                    seat_by_person={**self.seat_by_person, by.casefold(): seat},
                    keys={**self.keys, seat: event.key} if event.key else self.keys,
                    account_by_seat={**self.account_by_seat, seat: event.account}
                    if event.account
                    else self.account_by_seat,
                    change_times=self._change_times_with(time),
                )
            case SeatLeft(seat=seat):
                members_without_token = self._without_grants(
                    each.id for each in self.grants.values() if each.seat == seat
                )
                other_accounts = {each: name for each, name in self.account_by_seat.items() if each != seat}
                other_token_ids = {each: token_id for each, token_id in self.token_ids.items() if each != seat}
                other_keys = {each: key for each, key in self.keys.items() if each != seat}
                other_agreements = {each: text for each, text in self.agreed_rules.items() if each != seat}
                return replace(
                    members_without_token,
                    token_ids=other_token_ids,
                    keys=other_keys,
                    agreed_rules=other_agreements,
                    account_by_seat=other_accounts,
                    change_times=self._change_times_with(time),
                )
            case TokenGiven(id=id, role=role, name=name, digest=digest, until=until, scopes=scopes):
                return self._with_grant(Grant(id, role, digest, name, event.seat, scopes, until, time))
            case TokenRevoked(id=id):
                return self._without_grants([id])
            case TermsSet(pace=pace, bank=bank):
                is_time_unchanged = (pace, bank) == (self.terms.pace, self.terms.bank)
                new_pace_start = time if pace else None
                pace_start = self.pace_start if is_time_unchanged else new_pace_start
                return replace(self, terms=event, pace_start=pace_start, change_times=self._change_times_with(time))
            case TimeGiven(seat=seat):
                new_time = {seat: time} if time else {}
                return replace(
                    self, time_given_at={**self.time_given_at, **new_time}, change_times=self._change_times_with(time)
                )
            case HouseRulesSet(rules=rules):
                return replace(self, house_rules=rules)
            case HouseRulesAgreed(seat=seat, rules=rules):
                return replace(self, agreed_rules={**self.agreed_rules, seat: rules})
            case GameEnded():
                return replace(self, ended=True, change_times=self._change_times_with(time))
            case GameDecided(winner=winner):
                return replace(self, ended=True, decided_for=winner, change_times=self._change_times_with(time))
            case GameResumed():
                return replace(self, ended=False, decided_for="", change_times=self._change_times_with(time))
            case _:
                assert_never(event)

    def _change_times_with(self, time: datetime | None) -> tuple[datetime, ...]:
        return *self.change_times, time or UNKNOWN_TIME

    def _with_grant(self, grant: Grant) -> Members:
        return replace(self, grants={**self.grants, grant.id: grant})

    def _without_grants(self, ids: Iterable[str]) -> Members:
        removed_ids = {*ids}
        return replace(self, grants={each.id: each for each in self.grants.values() if each.id not in removed_ids})
