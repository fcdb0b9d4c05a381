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
from tests.server.game_server import KINDS
from zimcore.documents.copies import CopyAnswer, DealDocument
from zimcore.documents.seats import Terms
from zimcore.game import GameError, OptionError
from zimcore.remote.client_files import Keyring
from zimcore.remote.connection import Connection
from zimcore.remote.invitations import change_terms, invite, leave, link_of, seats, tokens
from zimcore.remote.service import RemoteService
from zimcore.service import Audit, DamagedError, certificates
from zimcore.service.discussion import TakebacksAgreed
from zimcore.service.fair_deal import Dealt, NotDealtError, ShareAdded, TableOpened
from zimcore.service.memberships import GameHosted, MemberEvent, TermsSet


@pytest.fixture
def fair(tmp_path: Path) -> Iterator[LoopbackServer]:
    """A server with a table for Nim, `k`, with free seats."""
    with loopback_server(tmp_path) as server:
        open_table(server)
        yield server


@pytest.fixture
def map_(tmp_path: Path) -> Iterator[LoopbackServer]:
    """A table for The Great Zimbabwe, of which much is dealt: ann plays kilwa, ben zulu."""
    with loopback_server(tmp_path) as server:
        open_table(server, "zimbabwe", players="kilwa:Ann,zulu:Ben")
        yield server


def open_table(house_: LoopbackServer, kind: str = "nim", name: str = "k", **options: str) -> None:
    house_.host().open_table(kind, options, name=name, by="hanna", served=[GameHosted("hanna")])


def lying(nim: LoopbackServer, who: str, change: Callable[[CopyAnswer], CopyAnswer]) -> Audit:
    """What `verify` finds if a server lies to a new client."""
    shutil.rmtree(nim.folders(who).cache, ignore_errors=True)
    client = nim.person(who)
    client.connection = client.remote.connection = Liar(nim.url, change)
    return client.verify("k")


def test_a_game_is_dealt_when_all_have_sat_down(fair: LoopbackServer) -> None:
    ann = fair.sit("ann")
    for someone in (ann, fair.host()):
        with pytest.raises(NotDealtError, match="k is not dealt yet"):
            someone.position("k")
    answer = seats(ann, "k")
    assert (answer.dealt, [each.by for each in answer.seats]) == (False, ["ann-player", ""])
    assert "not dealt yet: free seats: ben" in fair.service.games()[0].status
    ben = fair.sit("ben")
    assert seats(ann, "k").dealt
    for someone in (ann, ben, fair.host()):
        audit = someone.verify("k")
        assert (audit.fault, audit.deal) == (None, "proven")
    ann.play_or_raise("k", "take 1", by="ann")
    (audit,) = (each for each in fair.service.verify_all() if each.game)
    assert (audit.fault, audit.deal) == (None, "proven")
    table = fair.service.names("k").table
    assert table
    assert {seat: share.hex() for seat, share in table.shares.items()} == {
        "ann": fair.person("ann-player").credentials()[-1].share,
        "ben": fair.person("ben-player").credentials()[-1].share,
    }
    assert [op.what for op in fair.service.operations("k")][:2] == ["open", "host"]


def test_nothing_tells_the_secret_before(fair: LoopbackServer) -> None:
    fair.sit("ann")
    table = fair.service.names("k").table
    assert table
    for path in ("", "/seats", "/tokens", "/lines", "/lines/main", "/lines/main/entries", "/lines/main/moves"):
        for who in (fair.host(), fair.person("ann-player")):
            try:
                answer = who.connection.get(f"/v1/games/k{path}", who.remote.token("k")).content
            except GameError as error:
                answer = str(error).encode()
            assert table.secret.hex().encode() not in answer
            assert table.secret not in answer


def test_the_host_begins_with_those_who_sit_there(fair: LoopbackServer) -> None:
    ann = fair.sit("ann")
    with pytest.raises(GameError, match="host"):
        ann.deal("k", by="ann")
    fair.host().deal("k", by="hanna")
    fair.host().deal("k", by="hanna")
    ben = fair.sit("ben")
    assert ben.credentials()[-1].share == ""
    for someone in (ann, ben):
        assert someone.verify("k").deal == "proven"


def test_a_player_who_leaves_before_the_deal_takes_their_share_along(fair: LoopbackServer) -> None:
    leave(fair.sit("ann"), "k")
    zoe = fair.person("zoe", fair.link("ann"))
    fair.sit("ben")
    assert zoe.verify("k").deal == "proven"
    table = fair.service.names("k").table
    assert table
    assert table.shares["ann"].hex() == zoe.credentials()[-1].share


def test_a_link_that_is_redeemed_again_adds_the_same(fair: LoopbackServer) -> None:
    """The token was made, and then the process died before it was kept: the key of the request was kept before."""
    from zimcore.remote import client_files

    link = fair.link("ann")
    digest = sha256(link.partition("#")[2].encode()).hexdigest()
    ring = client_files.update_file(
        fair.folders("ann-player").tokens, Keyring, lambda _: Keyring((), {digest: "k" * 32})
    )
    first = fair.redeem_link("ann-player", link)
    client_files.update_file(fair.folders("ann-player").tokens, Keyring, lambda _: ring)
    assert fair.redeem_link("ann-player", link) == first
    fair.sit("ben")
    assert fair.person("ann-player").verify("k").deal == "proven"


def test_what_can_t_be_dealt_fairly(fair: LoopbackServer) -> None:
    with pytest.raises(GameError, match="a seed can't be chosen"):
        open_table(fair, name="q", seed="7")
    with pytest.raises(GameError, match="you can't choose the seed"):
        fair.service.open_table("nim", {"seed": "7"}, by="x", served=[GameHosted("x")])
    with pytest.raises(OptionError):
        open_table(fair, name="q", colour="red")
    with pytest.raises(GameError, match="already"):
        open_table(fair)


def test_what_was_begun_otherwise_is_not_proven(tmp_path: Path) -> None:
    with loopback_server(tmp_path) as server:
        server.begin("nim", {"seed": "7"})
        assert server.sit("ann").verify("k").deal == "unproven"
        assert server.service.verify("k").deal == "unproven"


@pytest.mark.usefixtures("souk")
def test_where_cards_are_hidden_the_secret_is_revealed_after_the_end(tmp_path: Path) -> None:
    with loopback_server(tmp_path) as server:
        open_table(server, "souk", "s")
        people: dict[str, RemoteService] = {}
        for each in seats(server.host(), "s").seats:
            people[each.seat] = server.sit(each.seat, "s")
        copy = entries(next(iter(people.values())))
        assert copy.deal
        assert copy.deal.secret == ""
        while not server.service.position("s").outcome.over:
            seat = server.service.position("s").to_move[0]
            text = [*people[seat].position("s").legal(seat).texts()][-1]
            people[seat].play_or_raise("s", text, by=seat, seat=seat)
        for someone in people.values():
            audit = someone.verify("s")
            assert (audit.fault, audit.deal) == (None, "proven")


def entries(someone: RemoteService) -> CopyAnswer:
    content = someone.connection.get("/v1/games/s/lines/main/entries", someone.remote.token("s")).content
    return msgspec.json.decode(content, type=CopyAnswer)


# A server that lies, and attackers who write into its store.


def deal_with(copy: CopyAnswer, **changes: object) -> CopyAnswer:
    assert copy.deal
    return msgspec.structs.replace(copy, deal=msgspec.structs.replace(copy.deal, **changes))


def another(copy: CopyAnswer) -> CopyAnswer:
    """Another secret, with its digest published again."""
    from zimcore.service.fair_deal import commitment_of

    assert copy.deal
    secret = secrets.token_bytes(32)
    return deal_with(copy, secret=secret.hex(), commit=commitment_of(copy.deal.kind, copy.deal.options, secret))


def shares_of(deal: DealDocument | None, **changes: str) -> dict[str, str]:
    assert deal
    return {**deal.shares, **changes}


LIES: dict[str, tuple[Callable[[CopyAnswer], CopyAnswer], str]] = {
    "no deal": (lambda copy: msgspec.structs.replace(copy, deal=None), "your share is not in the deal"),
    "another secret": (lambda copy: deal_with(copy, secret="00" * 32), "the secret does not match"),
    "a secret of its own": (another, "does not follow|contains another commitment"),
    "other options": (lambda copy: deal_with(copy, options={"players": "2"}), "the secret does not match"),
    "my share": (lambda copy: deal_with(copy, shares=shares_of(copy.deal, kilwa="00" * 32)), "does not follow|go into"),
    "another's share": (lambda copy: deal_with(copy, shares=shares_of(copy.deal, zulu="00" * 32)), "does not follow"),
    "no shares": (lambda copy: deal_with(copy, shares={}), "does not follow|go into"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_server_that_lies_about_the_deal_is_named(map_: LoopbackServer, lie: str) -> None:
    map_.sit("kilwa")
    map_.sit("zulu")
    change, what = LIES[lie]
    fault = lying(map_, "kilwa-player", change).fault
    assert fault
    assert fault.kind == "forged"
    assert any(each in fault.what for each in what.split("|")), fault.what


def test_a_share_that_was_left_out_is_missed(fair: LoopbackServer) -> None:
    """The owner of the store deals with another share than the one ann sent; everything else fits."""
    fair.sit("ann")
    names = fair.service.names("k")
    fair.service._writer.entry(names.stream, names.revision, [ShareAdded("ann", bytes(32))], "hanna")
    fair.sit("ben")
    fault = fair.person("ann-player").verify("k").fault
    assert fault
    assert fault.what == "your share is not in the deal"
    assert fair.person("ben-player").verify("k").deal == "proven", "ben's did"


def test_a_game_that_was_dealt_otherwise_is_found(map_: LoopbackServer) -> None:
    """The owner of the store deals as they like, and claims that it is the agreed deal."""
    from zimcore.service.deciding import set_up
    from zimcore.service.names import LineNamed

    ann = map_.sit("kilwa")
    service = map_.service
    names = service.names("k")
    deal = set_up(service.game("k"), {"seed": "7", "players": "kilwa:Ann,zulu:Ben"})
    service._writer.entry("mine", -1, deal.events, "hanna", parent=b"", state=deal.digest)
    service._writer.entry(names.stream, names.revision, [LineNamed("main", "mine"), Dealt("mine")], "hanna")
    for audit in (service.verify("k"), ann.verify("k")):
        assert audit.fault
        assert "does not follow from the secret and the shares" in audit.fault.what


@pytest.mark.parametrize(
    "late", [ShareAdded("ann", bytes(32)), Dealt("x"), TableOpened("nim", {}, ("ann",), bytes(32))]
)
def test_nothing_is_added_to_a_deal_that_was_made(fair: LoopbackServer, late: msgspec.Struct) -> None:
    fair.sit("ann")
    fair.sit("ben")
    names = fair.service.names("k")
    fair.service._writer.entry(names.stream, names.revision, [late], "hanna")
    assert {audit.fault.kind for audit in fair.open().verify_all() if audit.fault} == {"damaged"}


def test_two_who_deal_at_once_deal_the_same(fair: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    fair.sit("ann")
    first, second = fair.open(), fair.open()
    adopt, left = first.store.adopt, [lambda: second.deal("k", by="x")]

    def adopt_later(entries: Sequence[Entry]) -> None:
        if left:
            left.pop()()
        adopt(entries)

    monkeypatch.setattr(first.store, "adopt", adopt_later)
    assert first.deal("k", by="x")
    assert len(first.names("k").lines) == 1
    assert not left, "they have met"
    assert [audit.fault for audit in first.verify_all() if audit.fault] == []


def test_a_table_is_exported_imported_and_deleted_as_any_game(fair: LoopbackServer, tmp_path: Path) -> None:
    from event_store import EventStore
    from event_store.archive import export_lines
    from tests.remote.loopback_server import KINDS
    from zimcore.service import GameService

    fair.sit("ann")
    there = GameService(EventStore.open(f"sqlite:///{tmp_path}/there.zim"), games=KINDS)
    there.import_(list(export_lines(fair.service.store)), by="zoe")
    assert "not dealt yet" in there.games()[0].status
    assert there.deal("k", by="zoe")
    assert there.verify("k").deal == "proven"
    fair.service.delete("k", by="hanna")
    fair.service.remove("k", by="hanna")
    assert fair.service.game_names() == []


def test_a_client_without_a_token_of_the_game_trusts_the_server(fair: LoopbackServer) -> None:
    fair.sit("ann")
    fair.sit("ben")
    host = fair.host()
    assert host.verify("k").deal == "proven"
    assert isinstance(host.connection, Connection)


def test_a_table_has_terms_programs_and_a_way_to_take_moves_back(tmp_path: Path) -> None:
    with loopback_server(tmp_path) as server:
        host = server.host()
        served: list[MemberEvent] = [GameHosted("hanna"), TermsSet(pace=3600)]
        terms = [TakebacksAgreed("never")]
        host.open_table("nim", {}, name="k", by="hanna", served=served, bots={"ben": "random"}, agreed=terms)
        ann = server.sit("ann")  # with her all sit: it is dealt
        answer = seats(ann, "k")
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
        link = link_of(server.url, invite(hanna, "k", "seat", "ann", "", None).token)
        hanna = server.person("hanna", link)
        assert seats(hanna, "k").seats[0].by == "hanna"
        server.redeem_link("ben", link_of(server.url, invite(hanna, "k", "seat", "ben", "", None).token))
        assert change_terms(hanna, "k", Terms(pace="3d")).terms == {"pace": "3d"}
        assert [each.role for each in tokens(hanna, "k")] == ["seat", "seat"]
        assert hanna.position("k").match == "k"
        assert not leave(hanna, "k", "ben").seats[1].by


def test_a_certificate_carries_the_deal(map_: LoopbackServer) -> None:
    ann, _ = map_.sit("kilwa"), map_.sit("zulu")
    certificate = certificates.read_certificate(certificates.write(ann.certificate("k")))
    audit = certificates.verify(certificate, KINDS)
    assert (audit.fault, audit.deal) == (None, "proven")
    table = map_.service.names("k").table
    assert table
    assert table.commitment in audit.unproven[0], "what was published is to be held against one's link"
    deal = certificate.head.deal
    assert deal
    forged = msgspec.structs.replace(deal, shares={**deal.shares, "kilwa": "00" * 32})
    head = certificates.seal_header(msgspec.structs.replace(certificate.head, deal=forged))
    wrong = certificates.verify(msgspec.structs.replace(certificate, head=head), KINDS).fault
    assert wrong
    assert wrong.kind == "forged"
    nonsense = msgspec.structs.replace(certificate.head, deal=msgspec.structs.replace(deal, secret="zz"))
    with pytest.raises(DamagedError, match="this is not a certificate"):
        certificates.read_certificate(certificates.write(msgspec.structs.replace(certificate, head=nonsense)))
