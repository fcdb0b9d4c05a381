"""Attacks by imports: hostile certificates, exports and components. A refused import must leave the store unchanged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random

import msgspec
from attack_target import ERRORS, Breach, Report, Target, open_file

from tests.service.forging import flip_bit, forge
from zimcore.game import Event
from zimcore.games import africana
from zimcore.games.zimbabwe.events import CattlePaid
from zimcore.service import GameService, Position, certificates
from zimcore.service.certificates import Certificate

REFUSED = "refused, file as it was"


def hostile_certificates(target: Target, tries: int, report: Report) -> None:
    """Imports certificates with forged payments, flipped bits, commits of another history, or huge nested JSON."""
    chance = Random(6)
    with open_file(target.whole) as service:
        genuine = service.certificate("g0/main")
        certificate = service.certificate("g1/main")
        forgeries = [forge(service, genuine, more_paid(number)) for number in range(1, len(genuine.links))]
    data = certificates.write(genuine)
    for number in range(tries):
        match number % 4:
            case 0:
                hostile = certificates.write(forgeries[number // 4 % len(forgeries)])
            case 1:
                hostile = flip_bit(data, chance, data.index(b"\n"))
            case 2:
                at = chance.randrange(1, len(genuine.links))
                links = (*genuine.links[:at], certificate.links[at], *genuine.links[at + 1 :])
                hostile = certificates.write(Certificate(genuine.head, links))
            case _:
                hostile = b'{"zim":' + (b"[" if number % 8 == 3 else b'{"a":') * 100_000
        import_refused(target, report, partial(bring_certificate, hostile), data)


def more_paid(number: int) -> Callable[[int, Sequence[Event]], Sequence[msgspec.Struct]]:
    """Adds a payment of 1000 cattle from the stock to one commit."""
    return lambda n, events: [*events, CattlePaid("stock", "zulu", 1000, "gift")] if n == number else events


def hostile_exports(target: Target, tries: int, report: Report) -> None:
    """Imports exports with a line left out, doubled or swapped, or a bit flipped.

    The last entry of a stream is left out too: no other entry builds on it, so only the count misses it.
    """
    chance = Random(7)
    with open_file(target.whole) as service:
        lines = list(service.export())
    streams = [msgspec.json.decode(line).get("stream") for line in lines]
    ends = [at for at in range(1, len(lines) - 1) if streams[at] != streams[at + 1]]
    for number in range(tries):
        hostile, at = list(lines), chance.randrange(len(lines))
        match number % 4:
            case 0:
                del hostile[at if number % 8 else chance.choice(ends)]
            case 1:
                hostile.insert(at, hostile[at])
            case 2:
                index = chance.randrange(len(lines) - 1)
                index += index >= at
                hostile[at], hostile[index] = hostile[index], hostile[at]
            case _:
                hostile[at] = flip_bit(hostile[at][:-1], chance) + hostile[at][-1:]
        import_refused(target, report, partial(bring_export, hostile), b"", empty=True)


def bring_export(lines: list[bytes], service: GameService) -> Position | None:
    """Imports the lines of an export."""
    service.import_(lines, by="eve")
    return None


def bring_certificate(data: bytes, service: GameService) -> Position:
    """Imports a certificate."""
    return service.adopt(certificates.read_certificate(data), by="eve")


def import_refused(
    target: Target,
    report: Report,
    importer: Callable[[GameService], Position | None],
    genuine: bytes,
    *,
    empty: bool = False,
) -> None:
    """Checks that an import is refused, and that the file stays the same."""
    path = target.copy()
    if empty:
        path.unlink()
    before = path.read_bytes() if path.exists() else b""
    with open_file(path, "") as service:
        try:
            position = importer(service)
        except ERRORS:
            position = None
        else:
            # The name of a game is not part of what is proven: a flip there imports the genuine line.
            stored = certificates.write(service.certificate(position.place)) if position else b""
            if not stored or stored.split(b"\n")[1:] != genuine.split(b"\n")[1:]:
                raise Breach("it was imported")
    if position is None and before != (path.read_bytes() if path.exists() else b""):
        raise Breach("it was refused, and the file is another")
    report("the genuine line, under another name" if position else REFUSED)


def hostile_components(target: Target, tries: int, report: Report) -> None:
    """Starts a game with components whose figures the rulebook does not have."""
    del target
    chance = Random(8)
    toml = Path(africana.__file__).with_name("components.toml")
    set_up = africana.GAME.rules.set_up({"components": str(toml)}, 1)
    box = set_up.components  # type: ignore[attr-defined]
    begin_ = africana.GAME.evolution.initial()
    for _ in range(tries):
        number = chance.choice([-1, -(2**40), 10**6, 2**63])
        changes = chance.choice(
            [
                {"limits": msgspec.structs.replace(box.limits, hand=number)},
                {"costs": msgspec.structs.replace(box.costs, adventure=number)},
                {"companies": (msgspec.structs.replace(box.companies[0], silver=number), *box.companies[1:])},
                {"expeditions": (msgspec.structs.replace(box.expeditions[0], vp=number), *box.expeditions[1:])},
                {"jokers": number},
                {"bonuses": (msgspec.structs.replace(box.bonuses[0], silver=number), *box.bonuses[1:])},
            ]
        )
        command = msgspec.structs.replace(set_up, components=msgspec.structs.replace(box, **changes))
        if not hasattr(africana.GAME.rules.decide(begin_, "", command), "refusals"):
            raise Breach(f"{changes} is accepted")
        report("refused")
