"""Commands with files and settings of their own, run in this process: a new one would import Zim each time."""

from __future__ import annotations

from collections.abc import Mapping
from subprocess import CompletedProcess

from click.testing import CliRunner

from zimcli.keys import signing_keys
from zimcli.main import cli


def run_command(*words: str, environment: Mapping[str, str] | None = None, stdin: str = "") -> CompletedProcess[str]:
    """Runs `zim` as a new process would, with `environment` over that of the test.

    Raises the exceptions that `zim` does not catch.
    """
    signing_keys._load_key_once.cache_clear()  # a new process has no key loaded
    result = CliRunner().invoke(cli, words, input=stdin, env=environment, catch_exceptions=False, prog_name="zim")
    return CompletedProcess(words, result.exit_code, result.stdout, result.stderr)
