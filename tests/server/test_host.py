"""`zim host` as a process: one command to a game with friends, who type what it prints."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import httpx
import pytest

from tests.server.process import environment, serving
from tests.waiting import PATIENCE
from zimcli.commands.host import Table, check_address
from zimcli.output import Output
from zimcli.render.answers.seats import draw_qr_code
from zimcli.session import Session
from zimcore.game import GameError
from zimcore.remote.connection import server_of
from zimcore.server import hosting as hosting_seats
from zimcore.server.tokens import digest, id_of, new_token
from zimcore.service import StoreError, open_service
from zimcore.service.memberships import SeatTaken

ZIM = (sys.executable, "-m", "zimcli")
ANY = ("--listen", "127.0.0.1:0")


class Host:
    """A host: its process, its output, and the links by seat."""

    def __init__(self, process: subprocess.Popen[str], text: str) -> None:
        self.process = process
        self.said = text
        self.links = dict(re.findall(r"(\w+) is free; this link works once:\n(\S+)", text))

    def ends(self) -> str:
        """Presses Ctrl-C; the output after it."""
        self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, errors
        return errors


@contextmanager
def hosting(folder: Path, *words: str, until: str = "zim join LINK") -> Iterator[Host]:
    """A host whose output is read up to the line with these words."""
    process = subprocess.Popen(
        [*ZIM, "host", *words],
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    patience = Timer(PATIENCE, process.kill)  # what never says it fails, and does not wait for ever
    patience.start()
    try:
        output = ""
        assert process.stdout
        while until not in output:
            line = process.stdout.readline()
            assert line, process.communicate()
            output += line
        patience.cancel()
        yield Host(process, output)
    finally:
        patience.cancel()
        process.kill()
        process.communicate()


def types(folder: Path, by: str, line: str, code: int = 0) -> str:
    """Types a printed line as a person with separate files."""
    settings = {
        **environment(folder),
        "ZIM_BY": by,
        "XDG_DATA_HOME": str(folder / by),
        "XDG_CACHE_HOME": str(folder / by),
    }
    if by == "hanna":
        settings = environment(folder)
    words = shlex.split(re.sub(r"^.*zimcli |^zim ", "", line))
    process = subprocess.run([*ZIM, *words], env=settings, capture_output=True, text=True, timeout=PATIENCE, input="")
    assert process.returncode == code, process.stderr
    return process.stdout + process.stderr


def test_one_line_hosts_a_game_and_another_goes_on_with_it(tmp_path: Path) -> None:
    game = ("friday", "players=kilwa,zulu,lozi", "order=kilwa,zulu,lozi", "bots=lozi:quick")
    with hosting(tmp_path, *game, *ANY) as host:
        assert "quick plays lozi" in host.said
        assert list(host.links) == ["zulu"]
        play = re.search(r"you play kilwa; in another terminal:\n  (.*)", host.said)
        assert play
        output = types(tmp_path, "ben", f"zim join {host.links['zulu']}")
        assert "you play zulu in friday" in output
        types(tmp_path, "hanna", f"{play[1].replace(' play ', ' do ')} 'start {first_start(tmp_path, play[1])}'")
        again = re.search(r"friday is stored; to go on: .*?(zim.*)$", host.ends(), re.MULTILINE)
        assert again
    assert again[1].split()[-4:] == ["host", "friday", *ANY]
    with hosting(tmp_path, *again[1].split()[-3:], "--again", "zulu") as host:
        assert list(host.links) == ["zulu"], "ben has lost the first one"
        play = re.search(r"you play kilwa; in another terminal:\n  (.*)", host.said)
        assert play, "who hosted it still has the seat, at whatever port"
        assert "start" in types(tmp_path, "hanna", play[1].replace(" play ", " log "))
        assert "--again" not in host.ends(), "the next time ben keeps the seat"


def test_the_host_sees_who_joins_and_leaves(tmp_path: Path) -> None:
    with hosting(tmp_path, "friday", "players=kilwa,zulu", "order=zulu,kilwa", *ANY) as host:
        (seat,) = host.links
        assert seat == "zulu", "the host has the seat that is named first, also if another begins"
        types(tmp_path, "ben", f"zim join {host.links[seat]}")
        assert next_note(host) == f"ben has joined, and plays {seat}\n"
        server = host.links[seat].partition("/join#")[0]
        types(tmp_path, "ben", f"zim --store {server} leave friday")
        assert next_note(host) == f"ben has left {seat}\n"
        host.ends()


def test_a_friend_who_sits_is_named_with_the_line_that_gives_a_new_link(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    address = f"sqlite:///{tmp_path / 'games.db'}"
    service = open_service(address)
    game = service.new("zimbabwe", {"players": "kilwa,zulu"}, name="friday", by="hanna").match
    with pytest.raises(GameError, match="no person has a seat"):
        hosting_seats.vacate(service, game, "zulu", "hanna")
    hosting_seats.host(service, game, "hanna")
    link = hosting_seats.links(service, game, ["zulu"], "hanna")["zulu"]
    token = new_token("seat", service.stream_of(game))
    taken = SeatTaken("zulu", id_of(link), "ben", id_of(token), digest(token))
    service.enrol(game, lambda _: [taken], by="ben")
    table = Table(Session(Output(), by="hanna", service=service), game, "kilwa", {}, {}, "zim host k")
    table.line = "zim host friday"
    table.name_players(address, "kilwa")
    assert capsys.readouterr().err == "ben plays zulu; if they lost their link: zim host friday --again zulu\n"
    hosting_seats.vacate(service, game, "zulu", "hanna")
    assert not service.players(game)
    service.store.close()


def next_note(host: Host) -> str:
    """The next line about who sits; other notes are left out."""
    assert host.process.stderr
    patience = Timer(PATIENCE, host.process.kill)
    patience.start()
    note = next((line for line in host.process.stderr if re.search("has (joined|left)", line)), "none came")
    patience.cancel()
    return note


def first_start(folder: Path, play: str) -> str:
    return types(folder, "hanna", play.replace(" play ", " legal ")).split()[1]


def test_a_game_that_was_begun_before_is_hosted_and_a_friend_has_the_only_seat(tmp_path: Path) -> None:
    subprocess.run([*ZIM, "new", "k", "--game", "africana", "players=2"], env=environment(tmp_path), check=True)
    with hosting(tmp_path, "k", "--seat", "none", "--url", "http://10.0.0.7:8321", *ANY) as host:
        assert "you play" not in host.said
        assert sorted(host.links) == ["france", "italy"]
        assert all(link.startswith("http://10.0.0.7:8321/join#zim_link_") for link in host.links.values())


def test_a_name_of_another_site_that_leads_here_is_answered_nothing(tmp_path: Path) -> None:
    """DNS rebinding: a browser takes what it hears for that site's own, and its scripts could read it."""
    with hosting(tmp_path, "friday", "players=kilwa,zulu", *ANY) as host:
        assert_is_asked_by_address(next(iter(host.links.values())).partition("/join")[0])


@pytest.mark.parametrize("words", [("--demo",), ("--url", "https://zim.example")], ids=["demo", "url"])
def test_a_server_answers_only_to_names_that_it_was_started_for(tmp_path: Path, words: tuple[str, ...]) -> None:
    """The games of a demonstration are public: who may ask, may read them."""
    with serving(tmp_path, *words) as server:
        assert_is_asked_by_address(server.url)
        response = httpx.get(server.url, headers={"Host": "zim.example"})
        assert response.status_code == (200 if "--url" in words else 421)


def assert_is_asked_by_address(url: str) -> None:
    for path in ("/", "/join", "/health", "/v1/openapi.json"):
        here = httpx.get(url + path)
        assert here.status_code == 200, (path, here.text)
        for name in ("evil.example", "evil.example:8321", "93.184.216.34", "127.0.0.1.evil.example"):
            theirs = httpx.get(url + path, headers={"Host": name})
            assert (theirs.status_code, "not by this name" in theirs.text) == (421, True), (path, name)
        assert httpx.get(url + path, headers={"Host": "192.168.1.5:8321"}).status_code == 200


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("friday", "--seat", "rome"), "this seat is not free"),
        (("friday", "players=9"), "players"),
        (("friday", "keys=zulu:anna"), "players bring their keys when they join"),
        (("friday", "--listen", "here"), "write it as HOST:PORT"),
        (("friday", "--game", "chess"), "there is no game of this name"),
    ],
)
def test_what_can_not_be_hosted_begins_no_game(tmp_path: Path, words: tuple[str, ...], why: str) -> None:
    process = subprocess.run(
        [*ZIM, "host", *words], env=environment(tmp_path), capture_output=True, text=True, timeout=PATIENCE
    )
    assert process.returncode == 2
    assert why in process.stderr
    assert "there is no store" in types(tmp_path, "hanna", "zim games", code=4)


@pytest.mark.parametrize(
    ("house", "url", "why"),
    [
        ("93.184.216.34", "", "it is not in a home network"),
        ("::ffff:93.184.216.34", "", "it is not in a home network"),
        ("hanna.example", "", "it is not in a home network"),
        ("0.0.0.0", "", "a link can't lead to this address"),
        ("127.0.0.1", "http://zim.example", "your token could be read"),
        ("127.0.0.1", "http://192.168.1.5.zim.example", "your token could be read"),
        ("127.0.0.1", "http://192.168.1.5@zim.example", "a token says who you are"),
        ("127.0.0.1", "http://100.64.0.1", "your token could be read"),
        ("127.0.0.1", "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]", "your token could be read"),  # Teredo
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "", "it is not in a home network"),
        ("127.0.0.1", "zim.example", "an address is https://HOST"),
    ],
)
def test_no_token_goes_over_the_internet_in_clear_text(house: str, url: str, why: str) -> None:
    with pytest.raises(GameError, match=why):
        check_address(house, 8321, url)
    if url:
        with pytest.raises(StoreError):
            server_of(url)


def test_addresses_of_a_house_need_no_encryption() -> None:
    assert check_address("192.168.1.5", 8321, "") == check_address("127.0.0.1", 8321, "") == ""
    assert check_address("0.0.0.0", 8321, "http://192.168.1.5:80/") == "http://192.168.1.5"


def test_a_link_is_drawn_as_a_square_with_a_quiet_border() -> None:
    rows = draw_qr_code("http://192.168.1.5:8321/join#zim_link_0123456789abcdef_" + 43 * "x")
    width = len(rows[0])
    assert {len(row) for row in rows} == {width}
    assert len(rows) == (width + 1) // 2
    assert rows[0] == "█" * width
    assert rows[1].startswith("██ ▄▄▄▄▄ ")
