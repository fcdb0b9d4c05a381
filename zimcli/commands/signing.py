"""The commands for keys, signatures and witnesses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from zimcli.keys import signing_keys
from zimcli.proofs.certificate_files import read_certificate, require_valid, signature_documents
from zimcli.session.allowed_programs import check_may_run
from zimcli.session.command import argument, id_option, place_command, plain_command
from zimcli.session.output_files import FileToWrite, OutputFile
from zimcli.session.session import Session
from zimcli.shell.exit_codes import FailedError
from zimcore.documents.positions import PositionAnswer
from zimcore.documents.storage import KeyAnswer, KnownKey, SignAnswer, WitnessAnswer
from zimcore.game import GameError, UnknownError

if TYPE_CHECKING:
    from zimcore.service import GameService

SUBCOMMAND_ARGUMENT_COUNTS = {"list": 0, "trust": 2, "revoke": 1}


@plain_command()
@argument(
    "what", required=False, type=click.Choice(list(SUBCOMMAND_ARGUMENT_COUNTS)), metavar="[list | trust | revoke]"
)
@argument("words", nargs=-1, metavar="[NAME [KEY]]")
@click.option("--passphrase", "sets_passphrase", is_flag=True, help="Encrypt the key with a new passphrase.")
@click.option("--replace", "replaces_known_key", is_flag=True, help="Trust this key instead of an earlier one.")
@click.option("--new", "creates_new_key", is_flag=True, help="Create another key, and put the old one away.")
def key(
    session: Session,
    what: str | None,
    words: tuple[str, ...],
    sets_passphrase: bool,
    replaces_known_key: bool,
    creates_new_key: bool,
) -> KeyAnswer:
    """Show your signing key, and the known keys of others.

    Zim creates the key when you first need it, one for each name (--by). It shows the public half: give that to the
    people who check your signatures. The private half is in a file of your own. --passphrase encrypts it: Zim asks for
    a new passphrase now, and again whenever you sign. Scripts set ZIM_KEY_PASSPHRASE.

    `key trust NAME KEY` says that a key belongs to that person: get it from them, not from the file that it signed.
    Zim then fails if the name comes with another key. `key revoke NAME` ends your trust, `key list` shows all. To trust
    another key for the same name, add --replace.

    --new creates another key for you and puts the old one away. Where a seat is bound to the old key, type `zim seat
    GAME SEAT` in each game: the old key then signs for the new one.

    Example::

        zim key
        zim key list
    """
    if creates_new_key or sets_passphrase or what not in (None, "list"):
        check_may_run(session, "key")
    if what:
        return KeyAnswer(session.by, "", "", tuple(update_known_keys(what, *words, replace=replaces_known_key)))
    from zimcli.keys import known_keys
    from zimcore.service.records import ed25519

    path = signing_keys.key_file(session.by)
    if creates_new_key and path.exists():
        signing_keys.own_former_file(session.by)  # asks for its passphrase, before anything is changed
    if not sets_passphrase:
        if creates_new_key:
            signing_keys.set_aside_key(session.by)
        public_key, path = signing_keys.ensure_own_key(session.by, replace=creates_new_key)
        return KeyAnswer(session.by, public_key, str(path))
    is_new = creates_new_key or not path.exists()
    private_key = ed25519.new_key() if is_new else signing_keys.load_key(path)
    if is_new:
        known_keys.check_may_replace_key(session.by, ed25519.public_key(private_key), replace=creates_new_key)
    passphrase = signing_keys.ask_passphrase("New passphrase", asks_twice=True)
    if creates_new_key:
        signing_keys.set_aside_key(session.by)
    signing_keys.write_key(path, private_key, passphrase, is_new=is_new)
    if is_new:
        known_keys.trust_key(session.by, ed25519.public_key(private_key), replace=creates_new_key)
    return KeyAnswer(session.by, ed25519.public_key(private_key), str(path))


def update_known_keys(subcommand: str, *words: str, replace: bool) -> list[KnownKey]:
    """Carries out `key list`, `key trust` or `key revoke`, and returns the known keys."""
    from zimcli.keys import known_keys
    from zimcore.service.records.person_names import check_name
    from zimcore.service.records.public_keys import check_public_key

    if SUBCOMMAND_ARGUMENT_COUNTS[subcommand] != len(words):
        raise GameError(
            f"key {' '.join((subcommand, *words))}", "", ["key list", "key trust NAME KEY", "key revoke NAME"]
        )
    if subcommand == "list":
        return known_keys.load_known_keys()
    if subcommand == "revoke":
        return known_keys.revoke_keys(words[0])
    name, public_key = words
    return known_keys.trust_key(check_name(name), check_public_key(public_key), replace=replace)


@place_command()
@argument("seat")
@argument("key", required=False, default="")
@click.option("--lost", "is_key_lost", is_flag=True, help="Bind a seat whose key is lost; it proves less.")
@id_option
def seat(session: Session, place: str, seat: str, key: str, is_key_lost: bool, command_id: str) -> PositionAnswer:
    """Bind a seat to a key, so that its commands are signed.

    KEY is a public key, or the name of a person whose key you trust (zim key list); by default yours. The signature
    covers the game, the position, the seat, the command and its id. From then on only the owner of the key can play
    that seat, and `verify` finds moves that were made up in the store. It is permanent, for all lines. `zim new
    keys=zulu:anna,kilwa:ben` binds seats from the start.

    To change the key of a seat, use the same command. Both keys sign that; the old one is still yours, or was put away
    by `zim key --new`. Moves that were signed with the old key stay as they are. If the old key is lost, --lost binds
    the seat without it; `verify` always reports that, since a person with access to the store could do the same.

    Lines with -- in the name (`zulu--what-if`) are a seat's private lines, where moves are not signed.

    Example::

        zim seat kilwa-7 zulu
    """
    check_may_run(session, "key", "seat")
    if seat not in (seats := session.head(place).seats):
        raise UnknownError(f"there is no seat called {seat}", "", seats)
    by, viewer = session.by, session.viewer
    refusals = signing_keys.REFUSALS if session.local_service else ()  # an answer of a server may be lost
    with signing_keys.public_keys_of([key or by], by, refusals) as (public_key,):
        position = session.service.bind(
            place, seat, public_key, by=by, lost=is_key_lost, viewer=viewer, command_id=command_id
        )
    return session.position_answer(position)


@plain_command()
@argument("file", type=OutputFile("certificate"))
@click.option("--seat", default="", metavar="SEAT", help="Seat that you played.")
@click.option("--key", "key_file", default="", metavar="FILE", help="File of your key, if zim key does not keep it.")
def sign(session: Session, file: FileToWrite, seat: str, key_file: str) -> SignAnswer:
    """Sign a certificate.

    Zim verifies the certificate first. The signature covers every byte of its commits, the kind of game and the version
    of its rules. Several players can sign, one after the other, each with a key of their own (zim key).

    Example::

        zim sign kilwa-7.cert --seat zulu
    """
    from zimcore.service.proofs import certificates, signatures

    check_may_run(session, "sign")
    certificate = read_certificate(file.typed)
    require_valid(certificate, session.kinds)
    seats = certificates.seats_in(certificate, session.kinds)
    if seat and seat not in seats:
        reason = f"{certificate.header.game} has no seat {seat}"
        raise GameError(f"--seat {seat}", reason, [f"sign {file.typed} --seat {each}" for each in seats])
    private_key = signing_keys.load_key(Path(key_file) if key_file else signing_keys.key_file(session.by))
    certificate = signatures.sign_certificate(certificate, private_key, session.by, seat)
    file.write([certificates.to_bytes(certificate)], replace=True)
    signature_list = signature_documents(certificate.signatures)
    return SignAnswer(signature_list, file.path, signature_list[-1])


@plain_command()
@argument("file", required=False, default="-", type=OutputFile("log"))
@click.option("--append", "appends_record", is_flag=True, help="Add the current state to a log of witnesses.")
def witness(session: Session, file: FileToWrite, appends_record: bool) -> WitnessAnswer | None:
    """Record all heads in a file, to keep outside the store.

    A store that lost its latest moves, last week's copy, or a rewritten history: each verifies, because each is
    consistent in itself. A witness reveals it: a small file with the head of every line and of all names, and one
    digest over everything. Keep it where the operator of the store can't change it, and check it with `zim verify --all
    --since FILE`. If you have a key (zim key), the witness is signed. It contains no moves. The digest alone, on paper,
    proves the file.

    With --append, FILE is a log: each time it gets a line with the heads that have moved and the digest of the line
    before, so that no recorded state can be removed later. Zim first checks that the store still has everything in the
    log; if not, it adds nothing and exits with 1. If nothing has moved, only the signature of another person is added:
    it countersigns all lines before it.

    Example::

        zim witness friday.witness
        zim verify --all --since friday.witness
        zim witness --append games.witnesses
    """
    from zimcore.service.proofs import witness

    service, path = (
        session.maintenance_service("witness", "export PLACE --certificate FILE"),
        signing_keys.key_file(session.by),
    )
    if appends_record:
        return append_to_witness_log(session, service, file, path)
    witness_record = service.witness()
    if path.exists():
        from zimcore.service.proofs import signatures

        witness_record = signatures.sign_witness(witness_record, signing_keys.load_key(path), session.by)
    file.write(witness.lines_of(witness_record))
    if file.path == "-":
        return None
    from zimcli.proofs.witnesses import signature_of

    return WitnessAnswer(
        file.path,
        witness_record.foot.streams,
        signature_of(witness_record.signature),
        digest=witness_record.foot.digest,
    )


def append_to_witness_log(session: Session, service: GameService, file: FileToWrite, key_path: Path) -> WitnessAnswer:
    """Adds a line to a log of witnesses. Raises `FailedError` if the store lacks something in the log."""
    from zimcli.proofs.witnesses import loss_problem, read_witness, signature_of
    from zimcore.documents.storage import Outside
    from zimcore.service.proofs import signatures, witness_log

    if file.path == "-":
        raise click.UsageError("Name the file of the log: witness --append FILE.")
    records = list[witness_log.Record]()
    if Path(file.path).exists():
        earlier_records = read_witness(file.typed)
        if not isinstance(earlier_records, list):
            raise GameError(
                f"{file.path} is not a log of witnesses",
                "it is a witness of one moment",
                ["witness --append games.witnesses"],
            )
        records = earlier_records
    current_witness = service.witness()
    if losses := tuple(service.log_losses(records)):
        comparison = Outside(file.path, records[-1].at, len(current_witness.heads), losses)
        answer = WitnessAnswer(file.path, current_witness.foot.streams, digest=records[-1].digest)
        raise FailedError(answer, loss_problem(comparison, []))
    countersigned = key_path.exists() and bool(records) and not witness_log.has_signed_latest(records, session.by)
    next_record = witness_log.next_record(records, current_witness, countersigned=countersigned)
    if next_record and key_path.exists():
        next_record = signatures.sign_record(next_record, signing_keys.load_key(key_path), session.by)
    records += [next_record] if next_record else []
    if next_record:
        file.write(map(witness_log.encode_record, records), replace=True)
    last_record = records[-1]
    return WitnessAnswer(
        file.path, current_witness.foot.streams, signature_of(last_record.signature), digest=last_record.digest
    )
