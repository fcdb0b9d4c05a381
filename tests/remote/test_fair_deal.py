"""A fair deal: the server and each seat add a share, and each can check the result."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from event_store import Entry
from tests.remote.loopback_server import LoopbackServer, loopback_server
from tests.remote.test_trust import Liar
from tests.server.game_server import GAMES_BY_KIND
from zimcore.documents.copies import CopyAnswer, DealDocument
from zimcore.documents.seats import Terms
from zimcore.game import GameError, OptionError, UnknownError
from zimcore.remote.client_files import Keyring
from zimcore.remote.connection import Connection
from zimcore.remote.invitations import change_terms, format_link, invite, leave, read_seats, read_tokens
from zimcore.remote.service import RemoteService
from zimcore.service import Audit, DamagedError
from zimcore.service.proofs import certificates
from zimcore.service.records.discussion import TakebacksAgreed
from zimcore.service.records.fair_deal import Dealt, DealTable, NotDealtError, ShareAdded, TableOpened, check_deal_event
from zimcore.service.records.memberships import GameHosted, MemberEvent, TermsSet


@pytest.fixture
def nim_table(tmp_path: Path) -> Iterator[LoopbackServer]:
    """A server with a table for Nim, `k`, with free seats."""
    with loopback_server(tmp_path) as server:
        open_table(server)
        yield server


@pytest.fixture
def zimbabwe_table(tmp_path: Path) -> Iterator[LoopbackServer]:
    """A table for The Great Zimbabwe, of which much is dealt: ann plays kilwa, ben zulu."""
    with loopback_server(tmp_path) as server:
        open_table(server, "zimbabwe", players="kilwa:Ann,zulu:Ben")
        yield server


def open_table(server: LoopbackServer, kind: str = "nim", name: str = "k", **options: str) -> None:
    server.host().open_table(kind, options, name=name, by="hanna", served=[GameHosted("hanna")])


def verify_with_lie(nim_server: LoopbackServer, name: str, change: Callable[[CopyAnswer], CopyAnswer]) -> Audit:
    """The audit of a new client to which the server lies."""
    shutil.rmtree(nim_server.folders(name).cache, ignore_errors=True)
    client = nim_server.person(name)
    client.connection = client.remote_lines.connection = Liar(nim_server.url, change)
    return client.verify("k")


@pytest.mark.parametrize(
    ("event", "has_table", "is_dealt", "message"),
    [
        (ShareAdded("carl", b""), True, False, "there is no seat called carl"),
        (ShareAdded("ann", b""), False, False, "this game has no fair deal: no table was opened for it"),
        (ShareAdded("ann", b""), True, True, "this game is dealt already"),
        (Dealt("line"), False, False, "this game has no fair deal: no table was opened for it"),
        (Dealt("line"), True, True, "this game is dealt already"),
    ],
)
def test_an_event_that_does_not_fit_the_deal_is_refused_for_what_is_wrong(
    event: ShareAdded | Dealt, has_table: bool, is_dealt: bool, message: str
) -> None:
    table = DealTable("nim", {}, ("ann", "ben"), b"", "", line="line" if is_dealt else "")
    with pytest.raises(UnknownError, match=f"^{message}$"):
        check_deal_event(table if has_table else None, event)


def test_a_game_is_dealt_when_all_have_sat_down(nim_table: LoopbackServer) -> None:
    ann = nim_table.sit("ann")
    for client in (ann, nim_table.host()):
        with pytest.raises(NotDealtError, match="k is not dealt yet"):
            client.position("k")
    answer = read_seats(ann, "k")
    assert (answer.dealt, [each.by for each in answer.seats]) == (False, ["ann-player", ""])
    assert "not dealt yet: free seats: ben" in nim_table.service.games()[0].status
    ben = nim_table.sit("ben")
    assert read_seats(ann, "k").dealt
    for client in (ann, ben, nim_table.host()):
        audit = client.verify("k")
        assert (audit.fault, audit.deal) == (None, "proven")
    ann.play_or_raise("k", "take 1", by="ann")
    (audit,) = (each for each in nim_table.service.verify_all() if each.game)
    assert (audit.fault, audit.deal) == (None, "proven")
    table = nim_table.service.names("k").table
    assert table
    assert {seat: share.hex() for seat, share in table.shares.items()} == {
        "ann": nim_table.person("ann-player").credentials()[-1].share,
        "ben": nim_table.person("ben-player").credentials()[-1].share,
    }
    assert [operation.what for operation in nim_table.service.operations("k")][:2] == ["open", "host"]


def test_no_answer_tells_the_secret_before_the_deal(nim_table: LoopbackServer) -> None:
    nim_table.sit("ann")
    table = nim_table.service.names("k").table
    assert table
    for path in ("", "/seats", "/tokens", "/lines", "/lines/main", "/lines/main/entries", "/lines/main/moves"):
        for client in (nim_table.host(), nim_table.person("ann-player")):
            try:
                answer = client.connection.get(f"/v1/games/k{path}", client.remote_lines.token("k")).content
            except GameError as error:
                answer = str(error).encode()
            assert table.secret.hex().encode() not in answer
            assert table.secret not in answer


def test_the_host_deals_before_all_seats_are_taken(nim_table: LoopbackServer) -> None:
    ann = nim_table.sit("ann")
    with pytest.raises(GameError, match="host"):
        ann.deal("k", by="ann")
    nim_table.host().deal("k", by="hanna")
    nim_table.host().deal("k", by="hanna")
    ben = nim_table.sit("ben")
    assert ben.credentials()[-1].share == ""
    for client in (ann, ben):
        assert client.verify("k").deal == "proven"


def test_a_player_who_leaves_before_the_deal_takes_their_share_along(nim_table: LoopbackServer) -> None:
    leave(nim_table.sit("ann"), "k")
    zoe = nim_table.person("zoe", nim_table.link("ann"))
    nim_table.sit("ben")
    assert zoe.verify("k").deal == "proven"
    table = nim_table.service.names("k").table
    assert table
    assert table.shares["ann"].hex() == zoe.credentials()[-1].share


def test_a_link_that_is_redeemed_again_adds_the_same_share(nim_table: LoopbackServer) -> None:
    """The process died after the server made the token and before it was saved; the key of the request was saved."""
    from zimcore.remote import client_files

    link = nim_table.link("ann")
    digest = sha256(link.partition("#")[2].encode()).hexdigest()
    keyring = client_files.update_file(
        nim_table.folders("ann-player").tokens_file, Keyring, lambda _: Keyring((), {digest: "k" * 32})
    )
    first_credential = nim_table.redeem_link("ann-player", link)
    client_files.update_file(nim_table.folders("ann-player").tokens_file, Keyring, lambda _: keyring)
    assert nim_table.redeem_link("ann-player", link) == first_credential
    nim_table.sit("ben")
    assert nim_table.person("ann-player").verify("k").deal == "proven"


def test_a_table_that_can_t_be_dealt_fairly_is_refused(nim_table: LoopbackServer) -> None:
    with pytest.raises(GameError, match="a seed can't be chosen"):
        open_table(nim_table, name="q", seed="7")
    with pytest.raises(GameError, match="you can't choose the seed"):
        nim_table.service.open_table("nim", {"seed": "7"}, by="x", served=[GameHosted("x")])
    with pytest.raises(OptionError):
        open_table(nim_table, name="q", colour="red")
    with pytest.raises(GameError, match="already"):
        open_table(nim_table)


def test_a_game_without_a_fair_deal_is_unproven(tmp_path: Path) -> None:
    with loopback_server(tmp_path) as server:
        server.begin_game("nim", {"seed": "7"})
        assert server.sit("ann").verify("k").deal == "unproven"
        assert server.service.verify("k").deal == "unproven"


@pytest.mark.usefixtures("souk")
def test_where_cards_are_hidden_the_secret_is_revealed_after_the_end(tmp_path: Path) -> None:
    with loopback_server(tmp_path) as server:
        open_table(server, "souk", "s")
        people: dict[str, RemoteService] = {}
        for seat_info in read_seats(server.host(), "s").seats:
            people[seat_info.seat] = server.sit(seat_info.seat, "s")
        copy_answer = fetch_copy(next(iter(people.values())))
        assert copy_answer.deal
        assert copy_answer.deal.secret == ""
        while not server.service.position("s").outcome.over:
            seat = server.service.position("s").to_move[0]
            text = [*people[seat].position("s").legal(seat).texts()][-1]
            people[seat].play_or_raise("s", text, by=seat, seat=seat)
        for client in people.values():
            audit = client.verify("s")
            assert (audit.fault, audit.deal) == (None, "proven")


def fetch_copy(client: RemoteService) -> CopyAnswer:
    content = client.connection.get("/v1/games/s/lines/main/entries", client.remote_lines.token("s")).content
    return msgspec.json.decode(content, type=CopyAnswer)


# A server that lies, and attackers who write into its store.


def change_deal(copy_answer: CopyAnswer, **changes: object) -> CopyAnswer:
    assert copy_answer.deal
    return msgspec.structs.replace(copy_answer, deal=msgspec.structs.replace(copy_answer.deal, **changes))


def with_another_secret(copy_answer: CopyAnswer) -> CopyAnswer:
    """A copy with another secret, and a new commitment to it."""
    from zimcore.service.records.fair_deal import commitment_of

    assert copy_answer.deal
    secret = secrets.token_bytes(32)
    return change_deal(
        copy_answer, secret=secret.hex(), commit=commitment_of(copy_answer.deal.kind, copy_answer.deal.options, secret)
    )


def change_shares(deal: DealDocument | None, **changes: str) -> dict[str, str]:
    assert deal
    return {**deal.shares, **changes}


LIES: dict[str, tuple[Callable[[CopyAnswer], CopyAnswer], str]] = {
    "no deal": (lambda copy_answer: msgspec.structs.replace(copy_answer, deal=None), "your share is not in the deal"),
    "another secret": (lambda copy_answer: change_deal(copy_answer, secret="00" * 32), "the secret does not match"),
    "a secret of its own": (with_another_secret, "does not follow|contains another commitment"),
    "other options": (
        lambda copy_answer: change_deal(copy_answer, options={"players": "2"}),
        "the secret does not match",
    ),
    "my share": (
        lambda copy_answer: change_deal(copy_answer, shares=change_shares(copy_answer.deal, kilwa="00" * 32)),
        "does not follow|go into",
    ),
    "another's share": (
        lambda copy_answer: change_deal(copy_answer, shares=change_shares(copy_answer.deal, zulu="00" * 32)),
        "does not follow",
    ),
    "no shares": (lambda copy_answer: change_deal(copy_answer, shares={}), "does not follow|go into"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_server_that_lies_about_the_deal_is_named(zimbabwe_table: LoopbackServer, lie: str) -> None:
    zimbabwe_table.sit("kilwa")
    zimbabwe_table.sit("zulu")
    change, messages = LIES[lie]
    fault = verify_with_lie(zimbabwe_table, "kilwa-player", change).fault
    assert fault
    assert fault.kind == "forged"
    assert any(each in fault.what for each in messages.split("|")), fault.what


def test_a_share_that_was_left_out_is_missed(nim_table: LoopbackServer) -> None:
    """The owner of the store deals with another share than the one ann sent; everything else fits."""
    nim_table.sit("ann")
    names = nim_table.service.names("k")
    nim_table.service._writer.append_entry(names.stream, names.revision, [ShareAdded("ann", bytes(32))], "hanna")
    nim_table.sit("ben")
    fault = nim_table.person("ann-player").verify("k").fault
    assert fault
    assert fault.what == "your share is not in the deal"
    assert nim_table.person("ben-player").verify("k").deal == "proven", "the share of ben is in the deal"


def test_a_game_that_was_dealt_otherwise_is_found(zimbabwe_table: LoopbackServer) -> None:
    """The owner of the store deals as they like, and claims that it is the agreed deal."""
    from zimcore.service.records.deciding import set_up
    from zimcore.service.records.names import LineNamed

    ann = zimbabwe_table.sit("kilwa")
    service = zimbabwe_table.service
    names = service.names("k")
    deal = set_up(service.game("k"), {"seed": "7", "players": "kilwa:Ann,zulu:Ben"})
    service._writer.append_entry("mine", -1, deal.events, "hanna", parent=b"", state=deal.digest)
    service._writer.append_entry(names.stream, names.revision, [LineNamed("main", "mine"), Dealt("mine")], "hanna")
    for audit in (service.verify("k"), ann.verify("k")):
        assert audit.fault
        assert "does not follow from the secret and the shares" in audit.fault.what


@pytest.mark.parametrize(
    "event", [ShareAdded("ann", bytes(32)), Dealt("x"), TableOpened("nim", {}, ("ann",), bytes(32))]
)
def test_nothing_is_added_to_a_deal_that_was_made(nim_table: LoopbackServer, event: msgspec.Struct) -> None:
    nim_table.sit("ann")
    nim_table.sit("ben")
    names = nim_table.service.names("k")
    nim_table.service._writer.append_entry(names.stream, names.revision, [event], "hanna")
    assert {audit.fault.kind for audit in nim_table.open().verify_all() if audit.fault} == {"damaged"}


def test_two_deals_at_once_are_the_same(nim_table: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    nim_table.sit("ann")
    first_service, second_service = nim_table.open(), nim_table.open()
    original_adopt, pending_deals = first_service.store.adopt, [lambda: second_service.deal("k", by="x")]

    def adopt_later(entries: Sequence[Entry]) -> None:
        if pending_deals:
            pending_deals.pop()()
        original_adopt(entries)

    monkeypatch.setattr(first_service.store, "adopt", adopt_later)
    assert first_service.deal("k", by="x")
    assert len(first_service.names("k").lines) == 1
    assert not pending_deals, "both deals were made"
    assert [audit.fault for audit in first_service.verify_all() if audit.fault] == []


def test_a_table_is_exported_imported_and_deleted_as_any_game(nim_table: LoopbackServer, tmp_path: Path) -> None:
    from event_store import EventStore
    from event_store.export import export_lines
    from tests.remote.loopback_server import GAMES_BY_KIND
    from zimcore.service import GameService

    nim_table.sit("ann")
    other_service = GameService(EventStore.open(f"sqlite:///{tmp_path}/there.zim"), games=GAMES_BY_KIND)
    other_service.import_(list(export_lines(nim_table.service.store)), by="zoe")
    assert "not dealt yet" in other_service.games()[0].status
    assert other_service.deal("k", by="zoe")
    assert other_service.verify("k").deal == "proven"
    nim_table.service.delete("k", by="hanna")
    nim_table.service.remove("k", by="hanna")
    assert nim_table.service.game_names() == []


def test_a_client_without_a_token_of_the_game_trusts_the_server(nim_table: LoopbackServer) -> None:
    nim_table.sit("ann")
    nim_table.sit("ben")
    host = nim_table.host()
    assert host.verify("k").deal == "proven"
    assert isinstance(host.connection, Connection)


def test_a_table_has_terms_programs_and_a_way_to_take_moves_back(tmp_path: Path) -> None:
    with loopback_server(tmp_path) as server:
        host = server.host()
        member_events: list[MemberEvent] = [GameHosted("hanna"), TermsSet(pace=3600)]
        terms = [TakebacksAgreed("never")]
        host.open_table("nim", {}, name="k", by="hanna", served=member_events, bots={"ben": "random"}, agreed=terms)
        ann = server.sit("ann")  # she is the last to sit down, so the game is dealt
        answer = read_seats(ann, "k")
        assert (answer.dealt, answer.terms, answer.seats[1].by, answer.seats[1].bot) == (
            True,
            {"pace": "1h"},
            "random",
            True,
        )
        assert ann.discussion("k").takebacks == "never"
        assert not ann.verify("k").fault


def test_a_host_who_plays_too_still_invites(tmp_path: Path) -> None:
    with loopback_server(tmp_path) as server:
        open_table(server)
        hanna = server.host()
        link = format_link(server.url, invite(hanna, "k", "seat", "ann", "", None).token)
        hanna = server.person("hanna", link)
        assert read_seats(hanna, "k").seats[0].by == "hanna"
        server.redeem_link("ben", format_link(server.url, invite(hanna, "k", "seat", "ben", "", None).token))
        assert change_terms(hanna, "k", Terms(pace="3d")).terms == {"pace": "3d"}
        assert [each.role for each in read_tokens(hanna, "k")] == ["seat", "seat"]
        assert hanna.position("k").match == "k"
        assert not leave(hanna, "k", "ben").seats[1].by


def test_a_certificate_carries_the_deal(zimbabwe_table: LoopbackServer) -> None:
    ann, _ = zimbabwe_table.sit("kilwa"), zimbabwe_table.sit("zulu")
    certificate = certificates.read_certificate(certificates.to_bytes(ann.certificate("k")))
    audit = certificates.verify_certificate(certificate, GAMES_BY_KIND)
    assert (audit.fault, audit.deal) == (None, "proven")
    table = zimbabwe_table.service.names("k").table
    assert table
    assert table.commitment in audit.unproven[0], "the published commitment has to be compared with your link"
    deal = certificate.header.deal
    assert deal
    forged_deal = msgspec.structs.replace(deal, shares={**deal.shares, "kilwa": "00" * 32})
    forged_header = certificates.seal_header(msgspec.structs.replace(certificate.header, deal=forged_deal))
    fault = certificates.verify_certificate(
        msgspec.structs.replace(certificate, header=forged_header), GAMES_BY_KIND
    ).fault
    assert fault
    assert fault.kind == "forged"
    invalid_head = msgspec.structs.replace(certificate.header, deal=msgspec.structs.replace(deal, secret="zz"))
    with pytest.raises(DamagedError, match="this is not a certificate"):
        certificates.read_certificate(certificates.to_bytes(msgspec.structs.replace(certificate, header=invalid_head)))
