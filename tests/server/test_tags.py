"""Tags on a server: the host and the players name positions of shared lines; spectators see the tags."""

from __future__ import annotations

import html
import re
from pathlib import Path

from tests.server.game_server import game_server
from tests.server.test_pages import get_page


def test_seats_and_the_host_may_tag_positions(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        ann, ben, spectator = server.seats["ann"], server.seats["ben"], server.token("spectator")
        server.play("take 3", "take 1")
        tags_path = f"{server.path}/tags"
        assert spectator("PUT", f"{tags_path}/opening", {"at": "1"}).status_code == 403
        assert ann("PUT", f"{tags_path}/opening", {"at": "1"}).status_code == 200
        assert server.host("PUT", f"{tags_path}/peak", {}).status_code == 200
        assert spectator("DELETE", f"{tags_path}/peak").status_code == 403
        assert ben("DELETE", f"{tags_path}/peak").status_code == 200
        rows = spectator.get_json(tags_path)["tags"]
        assert [(each["name"], each["line"], each["number"]) for each in rows] == [("opening", "main", 1)]
        assert spectator.get_json(f"{server.main}?at=opening")["position"]["number"] == 1


def test_tags_on_a_page_lead_to_their_positions(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        server.play("take 3", "take 1")
        spectator_token = server.token("spectator").token
        assert ">Tags " not in get_page(server, "/games/k", spectator_token).text
        for name in ("opening", "two-left"):
            assert server.host("PUT", f"{server.path}/tags/{name}", {"at": "1"}).status_code == 200
        page = get_page(server, "/games/k", spectator_token)
        links = re.findall(r'href="([^"]*at=[^"]*)" title="main@1, named by ', page.text)
        assert [link.rpartition("at=")[2] for link in links] == ["opening", "two-left"]
        assert 'value="main@0" class="this-place"' in get_page(server, html.unescape(links[0]), spectator_token).text


def test_a_private_line_has_no_tags(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        ann, ben = server.seats["ann"], server.seats["ben"]
        server.play("take 3")
        assert ann("POST", f"{server.path}/lines", {"name": "plan"}).status_code == 201
        response = ann("PUT", f"{server.path}/tags/idea", {"line": "ann--plan"})
        assert (response.status_code, "line of your own" in response.text) == (409, True)
        assert ben("PUT", f"{server.path}/tags/idea", {"line": "ann--plan"}).status_code == 404


def test_a_delayed_spectator_sees_tags_with_the_delay(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        server.play("take 3", "take 1", "take 1")
        assert server.host("PUT", f"{server.path}/terms", {"delay": "2"}).status_code == 200
        for position_text, name in (("1", "opening"), ("3", "newest")):
            assert server.host("PUT", f"{server.path}/tags/{name}", {"at": position_text}).status_code == 200
        spectator = server.token("spectator")
        assert [each["name"] for each in spectator.get_json(f"{server.path}/tags")["tags"]] == ["opening"]
        assert [each["name"] for each in server.host.get_json(f"{server.path}/tags")["tags"]] == ["opening", "newest"]
