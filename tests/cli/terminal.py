"""`python -m tests.cli.terminal URL ...`: zim as a process of its own, with the game of the herd."""

import sys

from event_store import EventStore
from tests.cli.conftest import TEST_GAMES
from zimcli.main import cli
from zimcli.output.output import Output
from zimcli.session.session import Session
from zimcore.service import GameService

if __name__ == "__main__":
    service = GameService(EventStore.open(sys.argv[1]), games=TEST_GAMES)
    cli.main(sys.argv[2:], prog_name="zim", obj=Session(Output(), by="anna", service=service))
