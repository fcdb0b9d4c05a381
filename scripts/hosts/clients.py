"""Generates clients from the OpenAPI of a server by well-known generators, and plays a whole game with each.

The argument `python` needs openapi-python-client on the PATH (`uv tool install openapi-python-client`). The argument
`typescript` needs npm, which downloads openapi-typescript, openapi-fetch and tsc into a temporary folder. The tests
run neither, because of these downloads. Each client begins a game for four at a server of its own on loopback, redeems
the links, and plays legal moves at random until it is over. The TypeScript client has to pass `tsc --strict`.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any
from urllib.request import urlopen

ROOT = Path(__file__).parents[2]
PLAYER_SCRIPT = Path(__file__).with_suffix(".ts")
NPM_PACKAGES = ("openapi-typescript@7", "openapi-fetch", "typescript@5", "@types/node@20")
OPTIONAL_FIELD_FLAGS = ("--default-non-nullable", "false")
"""A field of a request with a default need not be sent."""
MAX_MOVES = 5000
"""The most moves of a game; a game that is not over by then would be a bug."""


@contextmanager
def running_server(folder: Path) -> Iterator[tuple[str, str]]:
    """A server on a new store: its URL, and the token of a host."""
    settings = {**os.environ, "HOME": str(folder), "ZIM_STORE": f"sqlite:///{folder}/games.db", "ZIM_BY": "hanna"}
    zim = [sys.executable, "-m", "zimcli"]
    token_process = subprocess.run(
        [*zim, "--json", "serve", "token", "hanna"], env=settings, capture_output=True, check=True
    )
    command = [*zim, "serve", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, env=settings, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            addresses = (re.search(r" at (http://\S+) \(Ctrl-C", line) for line in process.stderr)
            url = next(match_[1] for match_ in addresses if match_)
            # Its log is read on, or the pipe would fill and the server wait.
            Thread(target=process.stderr.read, daemon=True).start()
            yield url, json.loads(token_process.stdout)["token"]
        finally:
            process.terminate()


def play_with_python(folder: Path, url: str, token: str, kind: str, seed: int, max_moves: int) -> None:
    """Plays by a client of openapi-python-client."""
    generator = shutil.which("openapi-python-client")
    if generator is None:
        sys.exit("clients: openapi-python-client is missing\n  try: uv tool install openapi-python-client")
    command = [generator, "generate", "--path", "openapi.json", "--output-path", "generated", "--meta", "none"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    sys.path.insert(0, str(folder))
    client_module, models = importlib.import_module("generated"), importlib.import_module("generated.models")
    keys = itertools.count()

    def make_client(bearer_token: str) -> Any:
        return client_module.AuthenticatedClient(base_url=url, token=bearer_token)

    def call(operation: str, client: Any, *path: str, **arguments: Any) -> Any:
        """Calls an operation; waits where the server says so."""
        function: Callable[..., Any] = importlib.import_module(f"generated.api.default.{operation}").sync_detailed
        while (answer := function(*path, client=client, **arguments)).status_code in (429, 503):
            time.sleep(float(answer.headers["Retry-After"]))
        if isinstance(answer.parsed, models.ProblemDetails):
            sys.exit(f"clients: {operation}: {answer.parsed.to_dict()}")
        return answer

    def write(operation: str, client: Any, *path: str, body: Any, **arguments: Any) -> Any:
        key = f"a-key-of-the-clients-{next(keys)}"
        return call(operation, client, *path, body=body, idempotency_key=key, **arguments)

    host_client = make_client(token)
    options = models.NewGameOptions.from_dict({"players": "4"})
    begin_answer = write("begin", host_client, body=models.NewGame(kind=kind, name="g", options=options))
    clients_by_seat = {}
    for seat in call("seats", host_client, "g").parsed.seats:
        body = models.NewToken(role=models.NewTokenRole.SEAT, seat=seat.seat)
        invitation_token = write("give_token", host_client, "g", body=body).parsed.token
        seat_token = write(
            "redeem", host_client, body=models.Redemption(link=invitation_token, by=f"player of {seat.seat}")
        ).parsed
        clients_by_seat[seat.seat] = make_client(seat_token.token)
    position, rng, moves = begin_answer.parsed.position, random.Random(seed), 0
    while not position.over and moves < max_moves:
        mover_client = clients_by_seat[position.to_move[0]]
        legal_moves = call("legal", mover_client, "g", "main").parsed.legal
        etag = call("show", mover_client, "g", "main").headers["ETag"]
        body = models.Move(move=rng.choice(legal_moves))
        position, moves = write("play", mover_client, "g", "main", body=body, if_match=etag).parsed.position, moves + 1
    report_result("python", moves, position.status, is_done=position.over or moves == max_moves)


def play_with_typescript(folder: Path, url: str, token: str, kind: str, seed: int, max_moves: int) -> None:
    """Plays by a client of openapi-typescript and openapi-fetch, whose types tsc has checked."""
    if shutil.which("npm") is None:
        sys.exit("clients: npm is missing\n  try: apt install npm")
    (folder / "package.json").write_text('{"type": "module"}')
    shutil.copy(PLAYER_SCRIPT, folder / "clients.ts")
    program_folder = folder / "node_modules" / ".bin"
    compiler_options = ["--strict", "--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext"]
    for command in (
        ["npm", "install", "--silent", *NPM_PACKAGES],
        [str(program_folder / "openapi-typescript"), "openapi.json", "-o", "zim.d.ts", *OPTIONAL_FIELD_FLAGS],
        [str(program_folder / "tsc"), *compiler_options, "--skipLibCheck", "clients.ts"],
    ):
        process = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if process.returncode:
            sys.exit(f"clients: {command[0]}\n{process.stdout}{process.stderr}")
    command = ["node", "clients.js", url, token, kind, str(seed), str(max_moves)]
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if process.returncode:
        sys.exit(f"clients: node\n{process.stderr}")
    game_result = json.loads(process.stdout)
    report_result(
        "typescript",
        game_result["moves"],
        game_result["status"],
        is_done=game_result["over"] or game_result["moves"] == max_moves,
    )


def report_result(language: str, moves: int, status: str, *, is_done: bool) -> None:
    """Prints how far a game came; exits with 1 if it is not done."""
    print(f"{language}: {moves} moves, {status}")
    if not is_done:
        sys.exit(f"clients: {language} did not finish its game")


LANGUAGES: Mapping[str, Callable[[Path, str, str, str, int, int], None]] = {
    "python": play_with_python,
    "typescript": play_with_typescript,
}


def main() -> None:
    """Plays with each client."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", nargs="?", choices=LANGUAGES, help="default: both")
    parser.add_argument("--kind", default="zimbabwe")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--moves", type=int, default=MAX_MOVES, help="stop after this many moves")
    arguments = parser.parse_args()
    for language in [arguments.language] if arguments.language else LANGUAGES:
        with (
            TemporaryDirectory(prefix="zim-clients-") as folder_name,
            running_server(Path(folder_name)) as (url, token),
        ):
            Path(folder_name, "openapi.json").write_bytes(urlopen(f"{url}/v1/openapi.json").read())
            LANGUAGES[language](Path(folder_name), url, token, arguments.kind, arguments.seed, arguments.moves)


if __name__ == "__main__":
    main()
