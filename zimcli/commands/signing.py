"""Keys of players, and what is signed by them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from zimcli import files, signing_keys
from zimcli.certificate_files import documents, read_certificate, require_valid
from zimcli.command import argument, id_option, place_command, plain_command
from zimcli.exit_codes import FailedError
from zimcli.session import Session
from zimcore.documents.positions import PositionAnswer
from zimcore.documents.storage import KeyAnswer, KnownKey, SignAnswer, WitnessAnswer
from zimcore.game import GameError

if TYPE_CHECKING:
    from zimcore.service import GameService

SUBCOMMANDS = {"list": 0, "trust": 2, "revoke": 1}


@plain_command()
@argument("what", required=False, type=click.Choice(list(SUBCOMMANDS)), metavar="[list | trust | revoke]")
@argument("words", nargs=-1, metavar="[NAME [KEY]]")
@click.option("--passphrase", is_flag=True, help="Encrypt the key with a new passphrase.")
@click.option("--replace", is_flag=True, help="Trust this key in the place of another.")
@click.option("--new", "renew", is_flag=True, help="Make another key, and put the old one away.")
def key(
    session: Session, what: str | None, words: tuple[str, ...], passphrase: bool, replace: bool, renew: bool
) -> KeyAnswer:
    """Show the key with which you sign, and whose keys are known.

    It is made when it is first asked for, one for each name that you type under (--by). What is shown is the public
    half: give it to those who are to check your signatures. The other half stays in a file of your own, which
    --passphrase encrypts: you are asked for a new passphrase now, and again when you sign. Scripts give it in
    ZIM_KEY_PASSPHRASE.

    Keys of others are noted when they are first met, by the name that they come with, and a name that comes with
    another key later is told. `key trust NAME KEY` says that a key is somebody's, `key revoke NAME` that it is nobody's
    any more, `key list` shows them all. A key that is trusted gives way to another only with --replace.

    --new makes another key for you. The old one is put away beside it, and signs for the new one where a seat is bound
    to it: `zim seat GAME SEAT`, in each game.

    Example::

        zim key
        zim key list
    """
    if what:
        return KeyAnswer(session.by, "", "", tuple(others(what, *words, replace=replace)))
    from zimcli import known_keys
    from zimcore.service import ed25519

    path = signing_keys.key_file(session.by)
    if renew:
        signing_keys.renew(session.by)
    if not passphrase:
        public, path = signing_keys.own_key(session.by, replace=renew)
        return KeyAnswer(session.by, public, str(path))
    new = not path.exists()
    key = ed25519.new_key() if new else signing_keys.load(path)
    if new:
        known_keys.check_replaces(session.by, ed25519.public_key(key), replace=renew)
    signing_keys.keep(path, key, signing_keys.ask_passphrase("New passphrase", twice=True), new=new)
    if new:
        known_keys.trust(session.by, ed25519.public_key(key), replace=renew)
    return KeyAnswer(session.by, ed25519.public_key(key), str(path))


def others(what: str, *words: str, replace: bool) -> list[KnownKey]:
    """The keys that are known, after what was said of them."""
    from zimcli import known_keys
    from zimcore.service.person_names import check_name

    if SUBCOMMANDS[what] != len(words):
        raise GameError(f"key {' '.join((what, *words))}", "", ["key list", "key trust NAME KEY", "key revoke NAME"])
    if what == "list":
        return known_keys.load_known_keys()
    if what == "revoke":
        return known_keys.revoke(words[0])
    name, key = words
    if not signing_keys.HEX.fullmatch(key):
        raise GameError(f"no key: {key!r}", "a public key has 64 hex digits, as `key` shows it", ["key"])
    return known_keys.trust(check_name(name), key, replace=replace)


@place_command()
@argument("seat")
@argument("key", required=False, default="")
@click.option("--lost", is_flag=True, help="The key that the seat had is lost: bind it anew, which proves less.")
@id_option
def seat(session: Session, place: str, seat: str, key: str, lost: bool, command_id: str) -> PositionAnswer:
    """Bind a seat to a key: each of its commands is signed then.

    KEY is a public key, or the name of somebody whose key is trusted (zim key list); without one it is yours. Signed
    are the game, the position, the seat, the command and its id, by whoever types it: nobody else can play that seat
    any more, and whoever holds the store can't make up a move of it that `verify` would not find. It is for good, for
    all lines. `zim new keys=zulu:anna,kilwa:ben` binds seats from the start.

    A seat that has a key is given another one by the same words. Both keys sign that: the old one is yours, or was put
    away by `zim key --new`. From there on the new one signs, and what is played already stays as it was signed. If the
    old key is lost, --lost binds the seat anew without it; `verify` says so for ever, as whoever has the store could do
    that.

    A line whose name has -- in it (`zulu--what-if`) is a seat's own, to try things: nobody signs there.

    Example::

        zim seat kilwa-7 zulu
    """
    public = signing_keys.public_key_of(key or session.by, session.by)
    by, viewer = session.by, session.viewer
    bound = session.service.bind(place, seat, public, by=by, lost=lost, viewer=viewer, command_id=command_id)
    return session.position_answer(bound)


@plain_command()
@argument("file")
@click.option("--seat", default="", metavar="SEAT", help="Who you played.")
@click.option("--key", "key_file", default="", metavar="FILE", help="Your key, if it is not where zim key keeps it.")
def sign(session: Session, file: str, seat: str, key_file: str) -> SignAnswer:
    """Sign a certificate.

    It is verified first. Signed is every byte of its commits, the kind of game and the version of its rules. Several
    players may sign, one after the other, each with a key of their own (zim key).

    Example::

        zim sign kilwa-7.cert --seat zulu
    """
    from zimcore.service import certificates, signatures

    certificate = read_certificate(file)
    require_valid(certificate, session.kinds)
    seats = certificates.seats(certificate, session.kinds)
    if seat and seat not in seats:
        why = f"nobody plays {seat} in {certificate.head.game}"
        raise GameError(f"--seat {seat}", why, [f"sign {file} --seat {each}" for each in seats])
    key = signing_keys.load(Path(key_file) if key_file else signing_keys.key_file(session.by))
    certificate = signatures.sign_certificate(certificate, key, session.by, seat)
    files.write(file, [certificates.write(certificate)])
    found = documents(certificate.signatures)
    return SignAnswer(found, file, found[-1])


@plain_command()
@argument("file", required=False, default="-")
@click.option("--append", is_flag=True, help="Add a line to a log of all states that were seen.")
def witness(session: Session, file: str, append: bool) -> WitnessAnswer | None:
    """Note where every line stands, in a file to keep elsewhere.

    A store that has lost its end, a copy of last week, a history that was written anew: each is whole in itself, and
    verifies. What was there before shows by a witness: a small file with the head of every line and of all names, and
    one digest over all of it. Keep it where whoever keeps the store can't change it, and ask `zim verify --all --since
    FILE`. If you have a key (zim key), it is signed. There are no moves in it; the digest alone, on paper, proves the
    file.

    With --append FILE is a log: each time a line is added, with the heads that have moved and the digest of the line
    before, so that no state that was seen can be taken out again. First the store has to have all that the log has
    seen, else nothing is added, and the exit code is 1. Where nothing has moved no line is added.

    Example::

        zim witness friday.witness
        zim verify --all --since friday.witness
        zim witness --append games.witnesses
    """
    from zimcore.service import witness

    kept, path = session.keeper("witness", "export PLACE --certificate FILE"), signing_keys.key_file(session.by)
    if append:
        return append_to_witness_log(session, kept, file, path)
    written = kept.witness()
    if path.exists():
        from zimcore.service import signatures

        written = signatures.sign_witness(written, signing_keys.load(path), session.by)
    files.write(file, witness.lines_of(written))
    if file == "-":
        return None
    from zimcli.witnesses import signature_of

    return WitnessAnswer(file, written.foot.streams, signature_of(written.signed), digest=written.foot.digest)


def append_to_witness_log(session: Session, kept: GameService, file: str, key: Path) -> WitnessAnswer:
    """Adds a line to a log of witnesses, which the store has to agree with."""
    from zimcli.witnesses import loss_problem, read_witness, signature_of
    from zimcore.documents.storage import Outside
    from zimcore.service import signatures, witness_log

    if file == "-":
        raise click.UsageError("A log is a file: witness --append FILE.")
    records = list[witness_log.Record]()
    if Path(file).exists():
        found = read_witness(file)
        if not isinstance(found, list):
            raise GameError(f"{file} is no log", "it is a witness of one moment", ["witness --append games.witnesses"])
        records = found
    seen = kept.witness()
    if losses := tuple(kept.log_losses(records)):
        outside = Outside(file, records[-1].at, len(seen.heads), losses)
        answer = WitnessAnswer(file, seen.foot.streams, digest=records[-1].digest)
        raise FailedError(answer, loss_problem(outside, []))
    fresh = witness_log.next_record(records, seen)
    if fresh and key.exists():
        fresh = signatures.sign_record(fresh, signing_keys.load(key), session.by)
    records += [fresh] if fresh else []
    if fresh:
        files.write(file, map(witness_log.line_of, records))
    last = records[-1]
    return WitnessAnswer(file, seen.foot.streams, signature_of(last.signed), digest=last.digest)
