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

from tests.server.server_process import environment, running_server
from tests.timeouts import PATIENCE
from zimcli.commands.host import HostedTable, check_address
from zimcli.output.output import Output
from zimcli.render.answers.seats import draw_qr_code
from zimcli.session.session import Session
from zimcore.game import GameError
from zimcore.remote.connection import server_address
from zimcore.server import hosting as hosting_module
from zimcore.server.wire.tokens import digest, id_of, new_token
from zimcore.service import StoreError, open_service
from zimcore.service.records.memberships import SeatTaken

ZIM_COMMAND = (sys.executable, "-m", "zimcli")
ANY_PORT = ("--listen", "127.0.0.1:0")


class Host:
    """A process of `zim host`: its output, and the links by seat."""

    def __init__(self, process: subprocess.Popen[str], output: str) -> None:
        self.process = process
        self.output = output
        self.links = dict(re.findall(r"(\w+) is free; this link works once:\n(\S+)", output))

    def stop(self) -> str:
        """Presses Ctrl-C; returns the output after it."""
        self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, errors
        return errors


@contextmanager
def running_host(folder: Path, *arguments: str, last_line_words: str = "zim join LINK") -> Iterator[Host]:
    """A host whose output is read up to the line with these words."""
    process = subprocess.Popen(
        [*ZIM_COMMAND, "host", *arguments],
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    kill_timer = Timer(PATIENCE, process.kill)  # a host that never prints the words is killed, and the test fails
    kill_timer.start()
    try:
        output = ""
        assert process.stdout
        while last_line_words not in output:
            line = process.stdout.readline()
            assert line, process.communicate()
            output += line
        kill_timer.cancel()
        yield Host(process, output)
    finally:
        kill_timer.cancel()
        process.kill()
        process.communicate()


def run_as(folder: Path, person_name: str, command: str, exit_code: int = 0) -> str:
    """Runs a printed command as a person with separate files; returns its output."""
    variables = {
        **environment(folder),
        "ZIM_BY": person_name,
        "XDG_DATA_HOME": str(folder / person_name),
        "XDG_CACHE_HOME": str(folder / person_name),
    }
    if person_name == "hanna":
        variables = environment(folder)
    arguments = shlex.split(re.sub(r"^.*zimcli |^zim ", "", command))
    process = subprocess.run(
        [*ZIM_COMMAND, *arguments], env=variables, capture_output=True, text=True, timeout=PATIENCE, input=""
    )
    assert process.returncode == exit_code, process.stderr
    return process.stdout + process.stderr


def test_one_command_hosts_a_game_and_another_resumes_it(tmp_path: Path) -> None:
    host_words = ("friday", "players=kilwa,zulu,lozi", "order=kilwa,zulu,lozi", "bots=lozi:quick")
    with running_host(tmp_path, *host_words, *ANY_PORT) as host:
        assert "quick plays lozi" in host.output
        assert list(host.links) == ["zulu"]
        play_line = re.search(r"you play kilwa; in another terminal:\n  (.*)", host.output)
        assert play_line
        output = run_as(tmp_path, "ben", f"zim join {host.links['zulu']}")
        assert "you play zulu in friday" in output
        run_as(
            tmp_path,
            "hanna",
            f"{play_line[1].replace(' play ', ' do ')} 'start {first_start_square(tmp_path, play_line[1])}'",
        )
        resume_line = re.search(r"friday is stored; to go on: .*?(zim.*)$", host.stop(), re.MULTILINE)
        assert resume_line
    assert resume_line[1].split()[-4:] == ["host", "friday", *ANY_PORT]
    with running_host(tmp_path, *resume_line[1].split()[-3:], "--again", "zulu") as host:
        assert list(host.links) == ["zulu"], "ben has lost the first one"
        play_line = re.search(r"you play kilwa; in another terminal:\n  (.*)", host.output)
        assert play_line, "who hosted it still has the seat, at whatever port"
        assert "start" in run_as(tmp_path, "hanna", play_line[1].replace(" play ", " log "))
        assert "--again" not in host.stop(), "the next time ben keeps the seat"


def test_the_host_gets_a_link_to_their_own_seat_each_time(tmp_path: Path) -> None:
    link_pattern = r"or in your browser; this link works once, within a day:\n(\S+)"
    with running_host(tmp_path, "friday", "players=kilwa,zulu", "order=kilwa,zulu", *ANY_PORT) as host:
        (first_link,) = re.findall(link_pattern, host.output)
        assert "you play kilwa in friday" in run_as(tmp_path, "phone", f"zim join {first_link}")
        assert "no longer valid" in run_as(tmp_path, "eve", f"zim join {first_link}", exit_code=2)
        server = first_link.partition("/join#")[0]
        assert "hanna" in run_as(tmp_path, "phone", f"zim --store {server} seats friday")
        host.stop()
    with running_host(tmp_path, "friday", *ANY_PORT) as host:
        (second_link,) = re.findall(link_pattern, host.output)
        assert second_link.partition("#")[2] != first_link.partition("#")[2]
        host.stop()


def test_the_host_sees_players_join_and_leave(tmp_path: Path) -> None:
    with running_host(tmp_path, "friday", "players=kilwa,zulu", "order=zulu,kilwa", *ANY_PORT) as host:
        (seat,) = host.links
        assert seat == "zulu", "the host has the seat that is named first, also if another begins"
        run_as(tmp_path, "ben", f"zim join {host.links[seat]}")
        assert next_seat_note(host) == f"ben has joined, and plays {seat}\n"
        server = host.links[seat].partition("/join#")[0]
        run_as(tmp_path, "ben", f"zim --store {server} leave friday")
        assert next_seat_note(host) == f"ben has left {seat}\n"
        host.stop()


def test_seated_players_are_listed_with_the_command_for_a_new_link(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store_url = f"sqlite:///{tmp_path / 'games.db'}"
    service = open_service(store_url)
    game = service.new("zimbabwe", {"players": "kilwa,zulu"}, name="friday", by="hanna").match
    with pytest.raises(GameError, match="no person has a seat"):
        hosting_module.vacate(service, game, "zulu", "hanna")
    hosting_module.make_host(service, game, "hanna")
    link = hosting_module.offer_links(service, game, ["zulu"], "hanna")["zulu"]
    token = new_token("seat", service.stream_of(game))
    event = SeatTaken("zulu", id_of(link), "ben", id_of(token), digest(token))
    service.change_members(game, lambda _: [event], by="ben")
    host_table = HostedTable(Session(Output(), by="hanna", service=service), game, "kilwa", {}, {}, "zim host k")
    host_table.host_command = "zim host friday"
    host_table.note_seated_players(store_url, "kilwa")
    assert capsys.readouterr().err == "ben plays zulu; if they lost their link: zim host friday --again zulu\n"
    hosting_module.vacate(service, game, "zulu", "hanna")
    assert not service.players(game)
    service.store.close()


def next_seat_note(host: Host) -> str:
    """The next line about who sits; other notes are left out."""
    assert host.process.stderr
    kill_timer = Timer(PATIENCE, host.process.kill)
    kill_timer.start()
    note = next((line for line in host.process.stderr if re.search("has (joined|left)", line)), "none came")
    kill_timer.cancel()
    return note


def first_start_square(folder: Path, play_command: str) -> str:
    return run_as(folder, "hanna", play_command.replace(" play ", " legal ")).split()[1]


def test_an_existing_game_is_hosted_without_a_seat_for_the_host(tmp_path: Path) -> None:
    subprocess.run([*ZIM_COMMAND, "new", "k", "--game", "africana", "players=2"], env=environment(tmp_path), check=True)
    with running_host(tmp_path, "k", "--seat", "none", "--url", "http://10.0.0.7:8321", *ANY_PORT) as host:
        assert "you play" not in host.output
        assert sorted(host.links) == ["france", "italy"]
        assert all(link.startswith("http://10.0.0.7:8321/join#zim_link_") for link in host.links.values())


def test_a_request_by_the_name_of_another_site_is_refused(tmp_path: Path) -> None:
    """DNS rebinding: a browser would take the answer for that site's own, and its scripts could read it."""
    with running_host(tmp_path, "friday", "players=kilwa,zulu", *ANY_PORT) as host:
        check_host_names(next(iter(host.links.values())).partition("/join")[0])


@pytest.mark.parametrize("arguments", [("--demo",), ("--url", "https://zim.example")], ids=["demo", "url"])
def test_a_server_answers_only_to_names_that_it_was_started_for(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """The games of a demonstration are public: any client that gets an answer can read them."""
    with running_server(tmp_path, *arguments) as server:
        check_host_names(server.url)
        response = httpx.get(server.url, headers={"Host": "zim.example"})
        assert response.status_code == (200 if "--url" in arguments else 421)


def check_host_names(url: str) -> None:
    for path in ("/", "/join", "/health", "/v1/openapi.json"):
        response = httpx.get(url + path)
        assert response.status_code == 200, (path, response.text)
        for name in ("evil.example", "evil.example:8321", "93.184.216.34", "127.0.0.1.evil.example"):
            refusal = httpx.get(url + path, headers={"Host": name})
            assert (refusal.status_code, "this server has another name" in refusal.text) == (421, True), (path, name)
        assert httpx.get(url + path, headers={"Host": "192.168.1.5:8321"}).status_code == 200


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("friday", "--seat", "rome"), "this seat is not free"),
        (("friday", "players=9"), "players"),
        (("friday", "keys=zulu:anna"), "players bring their keys when they join"),
        (("friday", "--listen", "here"), "write it as HOST:PORT"),
        (("friday", "--game", "chess"), "there is no game of this name"),
    ],
)
def test_an_invalid_host_command_begins_no_game(tmp_path: Path, arguments: tuple[str, ...], reason: str) -> None:
    process = subprocess.run(
        [*ZIM_COMMAND, "host", *arguments], env=environment(tmp_path), capture_output=True, text=True, timeout=PATIENCE
    )
    assert process.returncode == 2
    assert reason in process.stderr
    assert "there is no store" in run_as(tmp_path, "hanna", "zim games", exit_code=4)


@pytest.mark.parametrize(
    ("listen_host", "url", "reason"),
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
def test_no_token_goes_over_the_internet_in_clear_text(listen_host: str, url: str, reason: str) -> None:
    with pytest.raises(GameError, match=reason):
        check_address(listen_host, 8321, url)
    if url:
        with pytest.raises(StoreError):
            server_address(url)


def test_addresses_of_a_home_network_need_no_encryption() -> None:
    assert check_address("192.168.1.5", 8321, "") == check_address("127.0.0.1", 8321, "") == ""
    assert check_address("0.0.0.0", 8321, "http://192.168.1.5:80/") == "http://192.168.1.5"


def test_a_link_is_drawn_as_a_square_with_a_quiet_border() -> None:
    rows = draw_qr_code("http://192.168.1.5:8321/join#zim_link_0123456789abcdef_" + 43 * "x")
    width = len(rows[0])
    assert {len(row) for row in rows} == {width}
    assert len(rows) == (width + 1) // 2
    assert rows[0] == "█" * width
    assert rows[1].startswith("██ ▄▄▄▄▄ ")
