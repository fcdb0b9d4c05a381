"""Types docs/operating.md on a fresh Debian that systemd boots beside this one: see `rehearse_machine`.

Each block of the page is typed in order, as it is printed; `CHANGES` and `TYPED_LATER` list the exceptions, and why.
In between two games of four are played by programs through the proxy: the second goes on while Zim is upgraded from the
commit before to this one. The whole rehearsal also kills processes 20 times, and analyses a game; `--short` leaves that
out. Nothing stays on this machine.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

from scripts.hosts.rehearse_machine import (
    SHELL_FOLDER,
    TIMEOUT_SECONDS,
    CommandFailed,
    Machine,
    RehearsalNotPossible,
    boot,
    make_root,
    missing_requirement,
    run_in_root,
    temporary_folder,
)
from scripts.hosts.rehearse_machine import run_program as run_program

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "operating.md"
EXAMPLES = ROOT / "docs" / "operating"
PACKAGES = ("python3-venv", "postgresql", "caddy")
"""What the page installs; each is fetched before the network is gone."""
SITE = "https://zim.example"
CA_FILE = "/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt"
LOCAL_CERTS = "{\n\tlocal_certs\n\tskip_install_trust\n}\n"
KILL_COUNT, ATTACKED_MOVES = 20, 400
PROGRAM_LEVEL = "quick"


class Change(NamedTuple):
    """A part of a block: as the page prints it, as it is typed here, and why."""

    printed: str
    typed: str
    why: str


CHANGES = (
    Change("--backup FILE", "--backup friday.jsonl", "the page means any backup"),
    Change("--fork", "--fork --nodes 20", "4,000 positions a turn take an hour"),
)
EXCEPTIONS: Mapping[str, str] = {
    "zim doctor --backup": "typed after the backup that it compares with",
    "HOME=/var/lib/zim zim analyse": "typed when a game is over; left out by --short, as it takes minutes",
    "scripts/attack": "typed with its faults and kills from this machine, in the other's network; left out by --short",
    "TLS": "Caddy's own authority signs, as the public ones can't reach the machine; doctor says that it ends soon",
    "packages": "fetched before the machine is booted: its network is loopback alone",
    "createuser --pwprompt": "the password comes from stdin, as there is no terminal",
}
"""What is not typed in its place as printed, and why."""
TYPED_LATER = ("zim doctor --backup", "HOME=/var/lib/zim zim analyse")


class Block(NamedTuple):
    """A block of the page: its heading, and what is typed; of a session only what follows the prompts."""

    heading: str
    text: str

    @property
    def first_line(self) -> str:
        """Its first line."""
        return self.text.partition("\n")[0]


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page, in order."""
    heading, block_kind, lines = "", "", list[str]()
    for line in page.splitlines():
        if line.lstrip().startswith("```"):
            if lines:
                yield Block(heading, "\n".join(lines))
            block_kind, lines = "" if block_kind else line.strip().removeprefix("```") or "text", []
        elif block_kind == "console":
            lines += [line[2:]] if line.startswith("$ ") else []
        elif block_kind:
            lines.append(line.strip())
        elif line.startswith("#"):
            heading = line.lstrip("# ")


def typed_text(text: str) -> str:
    """A block as it is typed."""
    for change in CHANGES:
        text = text.replace(change.printed, change.typed)
    return text


class Rehearsal:
    """A rehearsal: the machine, the game that programs play there, and the blocks to type later."""

    def __init__(self, machine: Machine, folder: Path, *, is_short: bool) -> None:
        self.machine, self.folder, self.is_short = machine, folder, is_short
        self.game = ""
        self.postponed = dict[str, Block]()
        self.players = list[subprocess.Popen[str]]()
        self.server: subprocess.Popen[str] | None = None
        self.started_at = time.monotonic()

    def say(self, text: str) -> None:
        """Prints what was done, with the time."""
        print(f"{time.monotonic() - self.started_at:5.0f} s  {text}", flush=True)

    def type(self, block: Block) -> None:
        """Types a block, and checks what it should have brought about."""
        if any(map(block.first_line.startswith, TYPED_LATER)):
            self.postponed[next(filter(block.first_line.startswith, TYPED_LATER))] = block
            return
        before_step, after_step = next(
            (steps for first_line, steps in STEPS.items() if block.first_line.startswith(first_line)), (None, None)
        )
        if before_step:
            before_step(self)
        if "zim serve --listen" in block.text:
            self.serve(block)
        else:
            stdin = "PASSWORD\n" * 2 if "--pwprompt" in block.text else ""
            self.machine.type(typed_text(block.text), stdin)
        self.say(f"{block.heading}: {block.first_line}" + " ..." * ("\n" in block.text))
        if after_step:
            after_step(self)

    def serve(self, block: Block) -> None:
        """Types a block whose last line serves: the server runs on, as in a terminal of its own."""
        lines, _, last_line = block.text.rpartition("\n")
        self.machine.type(lines)
        self.server = self.machine.start(last_line, self.folder / "serve.log")
        self.machine.wait_for("curl -sf -H 'Host: zim.example' http://127.0.0.1:8321/health")

    def zim(self, *words: str, **options: Any) -> Any:
        """The document that a command of Zim prints."""
        return json.loads(self.machine.type(f"zim --json {' '.join(words)}", **options).strip().splitlines()[-1])


def play_and_stop(rehearsal: Rehearsal) -> None:
    """The one process has a game, so that its store has something to back up; then it ends at a signal."""
    rehearsal.machine.type("zim new cairo --game africana players=2 && zim bot cairo random --to-end")
    rehearsal.machine.type("kill $(cat started)")
    assert rehearsal.server
    if rehearsal.server.wait(TIMEOUT_SECONDS):
        raise CommandFailed(
            f"zim serve has ended with {rehearsal.server.returncode}: {(rehearsal.folder / 'serve.log').read_text()}"
        )
    rehearsal.say("one process has ended with 0 after SIGTERM")


def check_unit(rehearsal: Rehearsal) -> None:
    """Systemd knows the unit, and finds no fault in it."""
    if output := rehearsal.machine.type("systemd-analyze verify --man=no zim@8321.service").strip():
        raise CommandFailed(output)


def check_database(rehearsal: Rehearsal) -> None:
    """The store is there, and belongs to its user."""
    rehearsal.machine.type("zim db check")
    if rehearsal.machine.type("stat -c %a /etc/zim/environment").strip() != "600":
        raise CommandFailed("/etc/zim/environment has a password, and others can read it")


def check_processes(rehearsal: Rehearsal) -> None:
    """Both processes answer, as a user of their own."""
    for port in (8321, 8322):
        rehearsal.machine.wait_for(f"curl -sf -H 'Host: zim.example' http://127.0.0.1:{port}/health")
        user = rehearsal.machine.type(f"stat -c %U /proc/$(systemctl show -P MainPID zim@{port})").strip()
        if user in ("root", ""):
            raise CommandFailed(f"zim@{port} runs as {user}")


def prepare_authority(rehearsal: Rehearsal) -> None:
    """The machine calls itself zim.example, and Caddy signs for it."""
    rehearsal.machine.type(f"echo 127.0.0.1 zim.example >> /etc/hosts; printf {LOCAL_CERTS!r} > local")


def check_proxy(rehearsal: Rehearsal) -> None:
    """The proxy answers by TLS; then four programs begin a game."""
    machine = rehearsal.machine
    machine.type("cat local /etc/caddy/Caddyfile > both && install -m 644 both /etc/caddy/Caddyfile")
    machine.type("systemctl reload caddy")
    machine.wait_for(f"curl -sf --cacert {CA_FILE} {SITE}/health")
    machine.type(f"install -m 644 {CA_FILE} /usr/local/share/ca-certificates/caddy.crt && update-ca-certificates")
    machine.type("export SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt")
    machine.type(f"zim serve token hanna > token && zim --store {SITE} join - < token")
    begin_game(rehearsal, "kilwa-7")


def begin_game(rehearsal: Rehearsal, game: str) -> None:
    """A game of four, four links, and a program that plays by each."""
    machine, rehearsal.game = rehearsal.machine, game
    machine.type(f"zim --store {SITE} new {game} players=4 max_rounds=12")
    for seat in rehearsal.zim("--store", SITE, "seats", game)["seats"]:
        name = f"{game}-{seat['seat']}"
        machine.type(f"zim --store {SITE} invite {game} {seat['seat']} --bot > link-{name}")
        home = f"env HOME=/root/{name} ZIM_STORE={SITE} ZIM_BY=program-{name}"
        player = f'{home} zim bot serve "$(cat link-{name})" {PROGRAM_LEVEL}'
        rehearsal.players.append(machine.start(player, rehearsal.folder / f"{name}.log"))
    machine.type(f"zim --store {SITE} invite {game} spectator > watching")
    wait_for_moves(rehearsal, 8)


def begin_second_game(rehearsal: Rehearsal) -> None:
    """The first game may be over by now: the programs begin one that goes on while Zim is upgraded."""
    begin_game(rehearsal, "kilwa-8")


def count_moves(rehearsal: Rehearsal) -> int:
    """How many moves the game of four has."""
    return int(rehearsal.zim("--store", SITE, "show", rehearsal.game)["position"]["number"])


def wait_for_moves(rehearsal: Rehearsal, number: int) -> None:
    """Returns when the programs have played so many moves."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while (count := count_moves(rehearsal)) < number:
        if time.monotonic() > deadline:
            text = "".join(path.read_text()[-500:] for path in rehearsal.folder.glob("*.log"))
            raise CommandFailed(f"the programs have played {count} of {number} moves\n{text}")
        time.sleep(0.5)
    rehearsal.say(f"a game of four is at move {count}, by {len(rehearsal.players)} programs")


def use_file_store(rehearsal: Rehearsal) -> None:
    """From here on the commands are about the store in a file."""
    rehearsal.machine.type("export ZIM_STORE=sqlite:////var/lib/zim/games.db")


def check_restored(rehearsal: Rehearsal) -> None:
    """The backup is in the store's place, and the store that was there is whole beside it."""
    for store in ("games.db", "games.db.old"):
        rehearsal.machine.type(f"zim --store sqlite:////var/lib/zim/{store} verify --all")
    rehearsal.say("the backup is in the place of the store, which is kept")


def use_database(rehearsal: Rehearsal) -> None:
    """From here on the commands are about the database."""
    rehearsal.machine.type("export $(cat /etc/zim/environment)")


def restore_to_database(rehearsal: Rehearsal) -> None:
    """The export is also imported to an empty database: "a store of either kind"."""
    machine = rehearsal.machine
    machine.type("runuser -u postgres -- createdb -O zim again")
    second_store = "${ZIM_STORE%/zim}/again"
    machine.type(f"zim --store {second_store} db init && zim --store {second_store} import friday.jsonl --any-size")
    file_audit, database_audit = (
        machine.type(f"zim --store {store} verify --all") for store in ("sqlite:///proof.db", second_store)
    )
    if file_audit != database_audit:
        raise CommandFailed(f"restored to a database: {database_audit}, to a file: {file_audit}")
    rehearsal.say("restored to an empty database, too")
    run_doctor(rehearsal)


def run_doctor(rehearsal: Rehearsal) -> None:
    """`zim doctor` finds no problem but the certificate: Caddy's own last for 12 hours only."""
    block = rehearsal.postponed.pop("zim doctor --backup")
    output = rehearsal.machine.type(f"{typed_text(block.text)} || [ $? = 1 ]")
    if problems := [line for line in output.splitlines() if line.startswith("problem:") and not line.endswith("[tls]")]:
        raise CommandFailed("\n".join(problems))
    rehearsal.say(f"{block.heading}: {block.first_line} ...")
    print(re.sub("(?m)^", " " * 9, output.strip()))


def use_new_wheels(rehearsal: Rehearsal) -> None:
    """From here on pip finds the commit of today."""
    use_wheels(rehearsal.machine, "newer")


def check_upgrade(rehearsal: Rehearsal) -> None:
    """The programs play on with the new processes, in which no move is lost."""
    check_processes(rehearsal)
    rehearsal.machine.wait_for(f"curl -sf {SITE}/health")  # the proxy looks for them every two seconds
    wait_for_moves(rehearsal, count_moves(rehearsal) + 4)
    for port in (8321, 8322):
        pid = f"$(systemctl show -P MainPID zim@{port})"
        program = rehearsal.machine.type(f"tr '\\0' '\\n' < /proc/{pid}/cmdline").partition("\n")[0]
        if not program.startswith("/opt/zim-2/"):
            raise CommandFailed(f"zim@{port} is still {program}")


def make_wheels(root: Path, commit: str, name: str) -> None:
    """Builds the wheel of a commit, "" for the tracked files of this checkout, in a folder of the machine."""
    wheel_folder = root / "wheels" / name
    shutil.rmtree(wheel_folder, ignore_errors=True)
    source_folder = Path(mkdtemp(dir=root.parent))
    archive = subprocess.run(["git", "archive", commit or "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", source_folder], input=archive, check=True)
    if not commit:
        changed_files = subprocess.run(["git", "diff", "--name-only", "HEAD"], cwd=ROOT, capture_output=True, text=True)
        for changed_file in filter(None, changed_files.stdout.splitlines()):
            if (ROOT / changed_file).exists():
                (source_folder / changed_file).write_bytes((ROOT / changed_file).read_bytes())
            else:
                (source_folder / changed_file).unlink()
    run_program(
        (sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(wheel_folder)),
        folder=source_folder,
    )


def use_wheels(machine: Machine, name: str) -> None:
    """Lets pip find Zim of some commit, and the libraries."""
    machine.file("/etc/pip.conf").write_text(
        f"[global]\nno-index = true\nfind_links =\n    /wheels/{name}\n    /wheels/libraries\n"
    )


def fetch_libraries(root: Path) -> None:
    """Fetches what Zim needs, as its wheel says, for the Python of the machine, on which nothing stays installed."""
    fetch_command = 'pip download -q --dest /tmp/libraries "$(ls /wheels/newer/*.whl)[server,postgres]"'
    script = (
        f"(apt-get -q install python3-venv; python3 -m venv /tmp/venv; PATH=/tmp/venv/bin:$PATH; {fetch_command}) >&2"
    )
    archive = run_in_root(root, f"{script}; tar -c -C /tmp libraries", "--volatile=overlay")
    subprocess.run(["tar", "-x", "-C", root / "wheels"], input=archive, check=True)
    for wheel in (root / "wheels/libraries").glob("great_zim*"):
        wheel.unlink()


def continue_after_upgrade(rehearsal: Rehearsal) -> None:
    """The programs play on; unless it is a short rehearsal, processes are killed, and the game is played to its end."""
    check_upgrade(rehearsal)
    if rehearsal.is_short:
        return
    attack_machine(rehearsal)
    for player in rehearsal.players:
        player.wait(20 * TIMEOUT_SECONDS)
    block = rehearsal.postponed.pop("HOME=/var/lib/zim zim analyse")
    rehearsal.machine.type(typed_text(block.text))
    rehearsal.say(f"{block.heading}: {block.first_line}")


def attack_machine(rehearsal: Rehearsal) -> None:
    """Kills processes 20 times while moves are written through a proxy that cuts, delays and doubles."""
    (rehearsal.folder / "hosts").write_text("127.0.0.1 localhost zim.example\n")
    token = rehearsal.machine.file(f"{SHELL_FOLDER}/token").read_text().strip()
    enter_command, attack_program = f"nsenter -t {rehearsal.machine.leader}", ROOT / "scripts" / "attack"
    kill_command = f"{enter_command} -m -u -i -n -p --root --wd systemctl kill -s KILL zim@832$(( $RANDOM % 2 + 1 ))"
    amounts = f"--moves {ATTACKED_MOVES} --writers 8 --followers 12 --kills {KILL_COUNT} --i-operate-this-server"
    kill_option = f"--kill-command {shlex.quote(f'bash -c {shlex.quote(kill_command)}')}"
    command = f"{attack_program} service --url {SITE} {amounts} {kill_option}"
    certificate = rehearsal.machine.file(CA_FILE)
    script = (
        f"mount --bind {rehearsal.folder}/hosts /etc/hosts; SSL_CERT_FILE={certificate} ZIM_TOKEN={token} {command}"
    )
    output = run_program((*enter_command.split(), "-n", "unshare", "-m", "bash", "-ec", script)).decode()
    summary, _, details = output.strip().partition("\n")
    rehearsal.say(f"{KILL_COUNT} kills behind the proxy: {summary}")
    print(re.sub("(?m)^", " " * 9, details))


def check_graceful_stop(rehearsal: Rehearsal) -> None:
    """A graceful stop while a feed is open; then the game is verified."""
    machine = rehearsal.machine
    watch_command = 'curl -sN -o feed -w %{http_code} -H "Authorization: Bearer $(sed s/.*#// watching)"'
    feed = machine.start(
        f"{watch_command} {SITE}/v1/games/{rehearsal.game}/lines/main/feed", rehearsal.folder / "feed.log"
    )
    machine.wait_for("grep -q 'event: standing' feed")
    started_at = time.monotonic()
    machine.type("systemctl stop zim@8321 zim@8322")
    duration = time.monotonic() - started_at
    for port in (8321, 8322):
        output = machine.type(f"systemctl show -P Result -P ExecMainStatus zim@{port}").split()
        if output != ["success", "0"]:
            raise CommandFailed(f"zim@{port} has ended with {output}")
    feed.wait(TIMEOUT_SECONDS)
    machine.type("grep -q 'event: end' feed")
    rehearsal.say(f"stopped in {duration:.1f} s with a feed open, which was told to reconnect")
    machine.type("zim verify --all && zim db check")


STEPS: Mapping[str, tuple[Callable[[Rehearsal], None] | None, Callable[[Rehearsal], None] | None]] = {
    "zim serve token hanna": (None, play_and_stop),
    "apt install postgresql": (None, check_unit),
    "runuser": (None, check_database),
    "systemctl enable": (None, check_processes),
    "install -m 644 Caddyfile": (prepare_authority, check_proxy),
    "zim backup friday.db": (use_file_store, None),
    "zim db restore": (None, check_restored),
    "zim backup friday.jsonl": (use_database, restore_to_database),
    "python3 -m venv /opt/zim-2": (use_new_wheels, None),
    "systemctl stop": (begin_second_game, continue_after_upgrade),
}
"""What is done before a block is typed, and after it, by its first line."""


def rehearse(*, is_short: bool, prepared: Path | None = None) -> None:
    """Types the page, on a copy of a `prepared` root, which is made if it is not there yet.

    Raises `CommandFailed` at the first thing that does not go as it says, `RehearsalNotPossible` without means."""
    if why := missing_requirement():
        raise RehearsalNotPossible(why)
    started_at = time.monotonic()
    with temporary_folder() as work_folder:
        root = work_folder / "root"
        if prepared and prepared.exists():
            run_program(("cp", "-a", str(prepared), str(root)))
        else:
            make_root(root, PACKAGES)
            make_wheels(root, "", "newer")
            fetch_libraries(root)
        if prepared and not prepared.exists():
            run_program(("cp", "-a", str(root), str(prepared)))
        make_wheels(root, "HEAD~1", "older")
        make_wheels(root, "", "newer")
        with boot(root) as machine:
            rehearsal = Rehearsal(machine, work_folder, is_short=is_short)
            rehearsal.started_at = started_at
            rehearsal.say("a fresh Debian has booted")
            use_wheels(machine, "older")
            for file in EXAMPLES.iterdir():
                (machine.file(SHELL_FOLDER) / file.name).write_bytes(file.read_bytes())
            machine.type("apt install python3-venv")
            page_blocks = [*blocks(PAGE.read_text("utf-8"))]
            for block in page_blocks:
                rehearsal.type(block)
            check_graceful_stop(rehearsal)
            rehearsal.say(f"{len(page_blocks) - len(rehearsal.postponed)} of {len(page_blocks)} blocks typed")
    for block_start, why in EXCEPTIONS.items():
        print(f"{block_start}: {why}")
    for change in CHANGES:
        print(f"{change.printed} as {change.typed}: {change.why}")


def main() -> int:
    """Rehearses, and prints what was typed."""
    parser = ArgumentParser("rehearse", description="Types docs/operating.md on a fresh Debian.")
    parser.add_argument("--short", action="store_true", help="without kills and analysis")
    parser.add_argument("--prepared", type=Path, metavar="FOLDER", help="keep the root before the first step there")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the machine ends with it
    try:
        rehearse(is_short=arguments.short, prepared=arguments.prepared)
    except RehearsalNotPossible as error:
        print(f"rehearse: {error}", file=sys.stderr)
        return 2
    except CommandFailed as error:
        print(f"FAILED: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
