"""Long lists come in pages, each with the address of the next."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.table import Client, Table


def pages(client: Client, path: str, most: int = 20) -> list[Any]:
    """All pages from an address on, by their links."""
    found = list[Any]()
    while path:
        answer = client.get(path)
        assert answer.status_code == 200, answer.text
        found.append(answer.json())
        path = answer.links.get("next", {}).get("url", "")
        assert len(found) < most, "it does not end"
    return found


@pytest.mark.parametrize("more", ["", "&facts=true", "&every=true"])
def test_moves_come_in_pages(nim: Table, more: str) -> None:
    nim.play(*["take 1"] * 6)
    ann = nim.seats["ann"]
    (whole,) = pages(ann, f"{nim.main}/moves?{more.lstrip('&')}")
    found = pages(ann, f"{nim.main}/moves?limit=3{more}")
    assert [len(page["commits"]) for page in found] == [3, 3, 1]
    assert [each for page in found for each in page["commits"]] == whole["commits"]
    assert {page["digest"] for page in found} == {whole["digest"]}
    (rest,) = pages(ann, f"{nim.main}/moves?since=4{more}")
    assert rest["commits"] == whole["commits"][5:]


def test_a_page_stays_with_the_log_that_it_began(nim: Table) -> None:
    nim.play("take 1", "take 1")
    ann = nim.seats["ann"]
    following = ann.get(f"{nim.main}/moves?limit=2").links["next"]["url"]
    nim.play("take 1", "take 1")
    assert [each["number"] for each in ann.ok(following)["commits"]] == [2]


def test_entries_come_in_pages(nim: Table) -> None:
    nim.play(*["take 1"] * 6)
    ann = nim.seats["ann"]
    (whole,) = pages(ann, f"{nim.main}/entries")
    found = pages(ann, f"{nim.main}/entries?limit=3")
    assert [len(page["entries"]) for page in found] == [3, 3, 1]
    assert [each for page in found for each in page["entries"]] == whole["entries"]


@pytest.mark.parametrize("query", ["limit=0", "limit=-1", "limit=x", "since=-2", "limit=10001"])
def test_a_page_has_a_size(nim: Table, query: str) -> None:
    assert nim.seats["ann"].get(f"{nim.main}/moves?{query}").status_code == 400
