"""Attacks by imports: hostile certificates, exports and components. A refused import must leave the store unchanged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random

import msgspec

from scripts.attacks.attack_target import ERRORS, Breach, ReportOutcome, Target, open_store_file
from tests.service.forged_files import flip_bit, forge_certificate
from zimcore.game import Event
from zimcore.games import africana
from zimcore.games.zimbabwe.events import CattlePaid
from zimcore.service import GameService, Position
from zimcore.service.proofs import certificates
from zimcore.service.proofs.certificates import Certificate

REFUSED_OUTCOME = "refused, file as it was"


def import_hostile_certificates(target: Target, tries: int, report: ReportOutcome) -> None:
    """Imports certificates with forged payments, flipped bits, commits of another history, or huge nested JSON."""
    rng = Random(6)
    with open_store_file(target.store_file) as service:
        genuine_certificate = service.certificate("g0/main")
        other_certificate = service.certificate("g1/main")
        forgeries = [
            forge_certificate(service, genuine_certificate, payment_adder(number))
            for number in range(1, len(genuine_certificate.links))
        ]
    genuine_bytes = certificates.to_bytes(genuine_certificate)
    for number in range(tries):
        match number % 4:
            case 0:
                hostile_bytes = certificates.to_bytes(forgeries[number // 4 % len(forgeries)])
            case 1:
                hostile_bytes = flip_bit(genuine_bytes, rng, genuine_bytes.index(b"\n"))
            case 2:
                link_index = rng.randrange(1, len(genuine_certificate.links))
                links = (
                    *genuine_certificate.links[:link_index],
                    other_certificate.links[link_index],
                    *genuine_certificate.links[link_index + 1 :],
                )
                hostile_bytes = certificates.to_bytes(Certificate(genuine_certificate.header, links))
            case _:
                hostile_bytes = b'{"zim":' + (b"[" if number % 8 == 3 else b'{"a":') * 100_000
        check_import_refused(target, report, partial(import_certificate, hostile_bytes), genuine_bytes)


def payment_adder(number: int) -> Callable[[int, Sequence[Event]], Sequence[msgspec.Struct]]:
    """Returns a function that adds a payment of 1000 cattle, from the stock to Zulu, to the events of one commit."""
    return lambda commit_number, events: (
        [*events, CattlePaid("stock", "zulu", 1000, "gift")] if commit_number == number else events
    )


def import_hostile_exports(target: Target, tries: int, report: ReportOutcome) -> None:
    """Imports exports with a line left out, doubled or swapped, or a bit flipped.

    The last entry of a stream is left out too: no other entry builds on it, so that only the number of entries
    shows it.
    """
    rng = Random(7)
    with open_store_file(target.store_file) as service:
        lines = list(service.export())
    stream_by_line = [msgspec.json.decode(line).get("stream") for line in lines]
    stream_ends = [
        line_index
        for line_index in range(1, len(lines) - 1)
        if stream_by_line[line_index] != stream_by_line[line_index + 1]
    ]
    for number in range(tries):
        hostile_lines, line_index = list(lines), rng.randrange(len(lines))
        match number % 4:
            case 0:
                del hostile_lines[line_index if number % 8 else rng.choice(stream_ends)]
            case 1:
                hostile_lines.insert(line_index, hostile_lines[line_index])
            case 2:
                other_index = rng.randrange(len(lines) - 1)
                other_index += other_index >= line_index
                hostile_lines[line_index], hostile_lines[other_index] = (
                    hostile_lines[other_index],
                    hostile_lines[line_index],
                )
            case _:
                hostile_lines[line_index] = (
                    flip_bit(hostile_lines[line_index][:-1], rng) + hostile_lines[line_index][-1:]
                )
        check_import_refused(target, report, partial(import_export, hostile_lines), b"", into_new_store=True)


def import_export(lines: list[bytes], service: GameService) -> Position | None:
    """Imports the lines of an export."""
    service.import_(lines, by="eve")
    return None


def import_certificate(certificate_bytes: bytes, service: GameService) -> Position:
    """Imports a certificate."""
    return service.adopt(certificates.read_certificate(certificate_bytes), by="eve")


def check_import_refused(
    target: Target,
    report: ReportOutcome,
    run_import: Callable[[GameService], Position | None],
    genuine_bytes: bytes,
    *,
    into_new_store: bool = False,
) -> None:
    """Checks that an import is refused and leaves the file as it was. The genuine line may come in."""
    path = target.copy()
    if into_new_store:
        path.unlink()
    bytes_before = path.read_bytes() if path.exists() else b""
    with open_store_file(path, "") as service:
        try:
            position = run_import(service)
        except ERRORS:
            position = None
        else:
            # The name of a game is not part of what is proven: a flip there imports the genuine line.
            stored_bytes = certificates.to_bytes(service.certificate(position.place)) if position else b""
            if not stored_bytes or stored_bytes.split(b"\n")[1:] != genuine_bytes.split(b"\n")[1:]:
                raise Breach("it was imported")
    if position is None and bytes_before != (path.read_bytes() if path.exists() else b""):
        raise Breach("it was refused, but the file has changed")
    report("the genuine line, under another name" if position else REFUSED_OUTCOME)


def load_hostile_components(target: Target, tries: int, report: ReportOutcome) -> None:
    """Starts a game with components that have impossible numbers, such as -1."""
    del target
    rng = Random(8)
    components_file = Path(africana.__file__).with_name("components.toml")
    setup_command = africana.GAME.rules.set_up({"components": str(components_file)}, 1)
    components = setup_command.components  # type: ignore[attr-defined]
    initial_state = africana.GAME.evolution.initial()
    for _ in range(tries):
        number = rng.choice([-1, -(2**40), 10**6, 2**63])
        changes = rng.choice(
            [
                {"limits": msgspec.structs.replace(components.limits, hand=number)},
                {"costs": msgspec.structs.replace(components.costs, adventure=number)},
                {
                    "companies": (
                        msgspec.structs.replace(components.companies[0], silver=number),
                        *components.companies[1:],
                    )
                },
                {
                    "expeditions": (
                        msgspec.structs.replace(components.expeditions[0], vp=number),
                        *components.expeditions[1:],
                    )
                },
                {"jokers": number},
                {"bonuses": (msgspec.structs.replace(components.bonuses[0], silver=number), *components.bonuses[1:])},
            ]
        )
        command = msgspec.structs.replace(setup_command, components=msgspec.structs.replace(components, **changes))
        if not hasattr(africana.GAME.rules.decide(initial_state, "", command), "refusals"):
            raise Breach(f"{changes} is accepted")
        report("refused")
