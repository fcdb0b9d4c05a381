import pytest

from event_store import EventStore
from tests.event_store.contract import StoreContract
from tests.event_store.diary import note, open_diary


class TestMemory(StoreContract):
    @pytest.fixture
    def url(self) -> str:
        return "memory:"

    def test_two_stores_share_nothing(self, url: str) -> None:
        note(open_diary(url), "a", -1, "one")
        assert list(EventStore.open(url).read("a")) == []
