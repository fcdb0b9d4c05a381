"""Plays with an installed Zim, on any system: a game against a program, its history, a copy, a server and its client.

    python smoke.py COMMAND...      # COMMAND starts zim: `great-zim`, or `python -m zimcli`

It uses nothing but the standard library, and a temporary folder.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile

HIDDEN_VARIABLES = ("ZIM_", "XDG_")


def main(command: list[str]) -> int:
    """Plays; an answer that is not expected ends it with an `AssertionError`."""
    command = [os.path.abspath(command[0]) if os.path.exists(command[0]) else command[0], *command[1:]]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(HIDDEN_VARIABLES)}
        environment |= {"HOME": folder, "ZIM_BY": "anna", "PYTHONUTF8": "1"}

        def zim(*words: str, store: str = "sqlite:///games.db") -> str:
            result = subprocess.run(
                [*command, "--store", store, *words],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                check=False,
            )
            assert result.returncode == 0, f"{words}\n{result.stdout}{result.stderr}"
            return result.stdout

        assert "zulu wins" in zim("demo")
        zim("new", "friday", "players=kilwa,zulu", "bots=zulu:quick", "seed=7")
        zim("hint", "friday")
        zim("show", "friday")
        zim("log", "friday", "--json")
        assert "is as it was played" in zim("verify", "friday")
        zim("export", "--certificate", "friday.cert", "friday")
        zim("backup", "copy.db")
        assert "friday" in zim("games", store="sqlite:///copy.db")
        zim("db", "restore", "copy.db")
        with subprocess.Popen(
            [*command, "serve", "--demo", "--listen", "127.0.0.1:0"],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        ) as server:
            assert server.stdout
            lines = []
            for line in server.stdout:
                lines.append(line)
                if link := re.search(r"http://127\.0\.0\.1:\d+", line):
                    break
            else:
                raise AssertionError("".join(lines))
            try:
                zim("games", store=link[0])
            finally:
                server.terminate()
    print("Zim plays, keeps, verifies, restores and serves here")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [sys.executable, "-m", "zimcli"]))
