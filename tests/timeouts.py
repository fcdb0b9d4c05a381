"""How long a test waits for another process: a terminal, a server, a browser, a database."""

import os

PATIENCE = float(os.environ.get("ZIM_TEST_PATIENCE", "60"))
"""Seconds. Only a test that fails waits that long, so it is far more than a busy machine needs."""
