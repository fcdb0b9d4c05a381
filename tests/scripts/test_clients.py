"""A client that a well-known generator makes of the OpenAPI plays; `scripts/clients` plays whole games with it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

from tests.timeouts import PATIENCE


def test_a_generated_client_plays(find_program: Callable[..., str]) -> None:
    """The generator is no part of our environment, as it has libraries in other versions: CI has one of its own."""
    find_program("openapi-python-client")
    command = [sys.executable, "-P", "-m", "scripts.hosts.clients", "python", "--kind", "africana", "--moves", "12"]
    process = subprocess.run(command, capture_output=True, text=True, timeout=2 * PATIENCE, check=False)
    assert process.stdout.startswith("python: 12 moves, "), process.stderr
