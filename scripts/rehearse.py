"""Types docs/operating.md on a fresh Debian that systemd boots beside this one: see `rehearse_machine`.

Each block of the page is typed in order, as it is printed, except where `CHANGES` and `LATER` say otherwise, and why.
In between two games of four are played by programs through the proxy: the second goes on while Zim is upgraded from the
commit before to this one. The whole rehearsal also kills processes 20 times, and analyses a game; `--short` leaves that
out. Nothing stays on this machine.
"""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

from rehearse_machine import (
    FOLDER,
    PATIENCE,
    Failed,
    Machine,
    NotPossible,
    boot,
    folder,
    in_network,
    lacking,
    make_root,
)
from rehearse_machine import run as run_program

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "operating.md"
EXAMPLES = ROOT / "docs" / "operating"
PACKAGES = ("python3-venv", "postgresql", "caddy")
"""What the page installs; each is fetched before the network is gone."""
SITE = "https://zim.example"
CA = "/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt"
LOCAL = "{\n\tlocal_certs\n\tskip_install_trust\n}\n"
KILLS, KILLED_MOVES = 20, 400
PROGRAMS = "quick"


class Change(NamedTuple):
    """A part of a block that is typed in another way, and why."""

    old: str
    new: str
    why: str


CHANGES = (
    Change("--backup FILE", "--backup friday.jsonl", "the page means any backup"),
    Change("--fork", "--fork --nodes 20", "4,000 positions a turn take an hour"),
)
OTHERWISE: Mapping[str, str] = {
    "zim doctor --backup": "typed after the backup that it compares with",
    "HOME=/var/lib/zim zim analyse": "typed when a game is over; left out by --short, as it takes minutes",
    "scripts/attack": "typed with its faults and kills from this machine, in the other's network; left out by --short",
    "TLS": "Caddy's own authority signs, as the public ones can't reach the machine; doctor says that it ends soon",
    "packages": "fetched before the machine is booted: its network is loopback alone",
    "createuser --pwprompt": "the password comes from stdin, as there is no terminal",
}
"""What is not typed in its place as printed, and why."""
LATER = ("zim doctor --backup", "HOME=/var/lib/zim zim analyse")


class Block(NamedTuple):
    """A block of the page: its heading, and what is typed; of a session only what follows the prompts."""

    heading: str
    text: str

    @property
    def first(self) -> str:
        """Its first line."""
        return self.text.partition("\n")[0]


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page, in order."""
    heading, inside, lines = "", "", list[str]()
    for line in page.splitlines():
        if line.lstrip().startswith("```"):
            if lines:
                yield Block(heading, "\n".join(lines))
            inside, lines = "" if inside else line.strip().removeprefix("```") or "text", []
        elif inside == "console":
            lines += [line[2:]] if line.startswith("$ ") else []
        elif inside:
            lines.append(line.strip())
        elif line.startswith("#"):
            heading = line.lstrip("# ")


def as_typed(text: str) -> str:
    """A block as it is typed."""
    for change in CHANGES:
        text = text.replace(change.old, change.new)
    return text


class Rehearsal:
    """A rehearsal: the machine, the game that programs play there, and what is left to type."""

    def __init__(self, machine: Machine, folder: Path, *, short: bool) -> None:
        self.machine, self.folder, self.short = machine, folder, short
        self.game = ""
        self.later = dict[str, Block]()
        self.players = list[subprocess.Popen[str]]()
        self.server: subprocess.Popen[str] | None = None
        self.began = time.monotonic()

    def say(self, text: str) -> None:
        """Prints what was done, with the time."""
        print(f"{time.monotonic() - self.began:5.0f} s  {text}", flush=True)

    def type(self, block: Block) -> None:
        """Types a block, and checks what it should have brought about."""
        if any(map(block.first.startswith, LATER)):
            self.later[next(filter(block.first.startswith, LATER))] = block
            return
        before, after = next((steps for first, steps in STEPS.items() if block.first.startswith(first)), (None, None))
        if before:
            before(self)
        if "zim serve --listen" in block.text:
            self.serve(block)
        else:
            stdin = "PASSWORD\n" * 2 if "--pwprompt" in block.text else ""
            self.machine.type(as_typed(block.text), stdin)
        self.say(f"{block.heading}: {block.first}" + " ..." * ("\n" in block.text))
        if after:
            after(self)

    def serve(self, block: Block) -> None:
        """Types a block whose last line serves: the server runs on, as in a terminal of its own."""
        lines, _, last = block.text.rpartition("\n")
        self.machine.type(lines)
        self.server = self.machine.start(last, self.folder / "serve.log")
        self.machine.wait_for("curl -sf -H 'Host: zim.example' http://127.0.0.1:8321/health")

    def zim(self, *words: str, **more: Any) -> Any:
        """The document that a command of Zim prints."""
        return json.loads(self.machine.type(f"zim --json {' '.join(words)}", **more).strip().splitlines()[-1])


def play_in_the_file(run: Rehearsal) -> None:
    """The one process has a game, so that its store has something to back up; then it ends at a signal."""
    run.machine.type("zim new cairo --game africana players=2 && zim bot cairo random --to-end")
    run.machine.type("kill $(cat started)")
    assert run.server
    if run.server.wait(PATIENCE):
        raise Failed(f"zim serve has ended with {run.server.returncode}: {(run.folder / 'serve.log').read_text()}")
    run.say("one process has ended with 0 after SIGTERM")


def check_unit(run: Rehearsal) -> None:
    """Systemd knows the unit, and finds no fault in it."""
    if output := run.machine.type("systemd-analyze verify --man=no zim@8321.service").strip():
        raise Failed(output)


def check_database(run: Rehearsal) -> None:
    """The store is there, and belongs to its user."""
    run.machine.type("zim db check")
    if run.machine.type("stat -c %a /etc/zim/environment").strip() != "600":
        raise Failed("/etc/zim/environment has a password, and others can read it")


def check_processes(run: Rehearsal) -> None:
    """Both processes answer, as a user of their own."""
    for port in (8321, 8322):
        run.machine.wait_for(f"curl -sf -H 'Host: zim.example' http://127.0.0.1:{port}/health")
        user = run.machine.type(f"stat -c %U /proc/$(systemctl show -P MainPID zim@{port})").strip()
        if user in ("root", ""):
            raise Failed(f"zim@{port} runs as {user}")


def without_authority(run: Rehearsal) -> None:
    """The machine calls itself zim.example, and Caddy signs for it."""
    run.machine.type(f"echo 127.0.0.1 zim.example >> /etc/hosts; printf {LOCAL!r} > local")


def behind_proxy(run: Rehearsal) -> None:
    """The proxy answers by TLS; then four programs begin a game."""
    machine = run.machine
    machine.type("cat local /etc/caddy/Caddyfile > both && install -m 644 both /etc/caddy/Caddyfile")
    machine.type("systemctl reload caddy")
    machine.wait_for(f"curl -sf --cacert {CA} {SITE}/health")
    machine.type(f"install -m 644 {CA} /usr/local/share/ca-certificates/caddy.crt && update-ca-certificates")
    machine.type("export SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt")
    machine.type(f"zim serve token hanna > token && zim --store {SITE} join - < token")
    begin_game(run, "kilwa-7")


def begin_game(run: Rehearsal, game: str) -> None:
    """A game of four, four links, and a program that plays by each."""
    machine, run.game = run.machine, game
    machine.type(f"zim --store {SITE} new {game} players=4 max_rounds=12")
    for seat in run.zim("--store", SITE, "seats", game)["seats"]:
        name = f"{game}-{seat['seat']}"
        machine.type(f"zim --store {SITE} invite {game} {seat['seat']} --bot > link-{name}")
        home = f"env HOME=/root/{name} ZIM_STORE={SITE} ZIM_BY=program-{name}"
        player = f'{home} zim bot serve "$(cat link-{name})" {PROGRAMS}'
        run.players.append(machine.start(player, run.folder / f"{name}.log"))
    machine.type(f"zim --store {SITE} invite {game} spectator > watching")
    wait_for_moves(run, 8)


def before_upgrade(run: Rehearsal) -> None:
    """The first game may be over by now: the programs begin one that goes on while Zim is upgraded."""
    begin_game(run, "kilwa-8")


def moves(run: Rehearsal) -> int:
    """How many moves the game of four has."""
    return int(run.zim("--store", SITE, "show", run.game)["position"]["number"])


def wait_for_moves(run: Rehearsal, number: int) -> None:
    """Returns when the programs have played so many moves."""
    end = time.monotonic() + PATIENCE
    while (output := moves(run)) < number:
        if time.monotonic() > end:
            text = "".join(path.read_text()[-500:] for path in run.folder.glob("*.log"))
            raise Failed(f"the programs have played {output} of {number} moves\n{text}")
        time.sleep(0.5)
    run.say(f"a game of four is at move {output}, by {len(run.players)} programs")


def file_store(run: Rehearsal) -> None:
    """The store in a file is typed about."""
    run.machine.type("export ZIM_STORE=sqlite:////var/lib/zim/games.db")


def database(run: Rehearsal) -> None:
    """The database is typed about."""
    run.machine.type("export $(cat /etc/zim/environment)")


def restore_to_database(run: Rehearsal) -> None:
    """The export is also imported to an empty database: "a store of either kind"."""
    machine = run.machine
    machine.type("runuser -u postgres -- createdb -O zim again")
    again = "${ZIM_STORE%/zim}/again"
    machine.type(f"zim --store {again} db init && zim --store {again} import friday.jsonl --any-size")
    before, after = (machine.type(f"zim --store {each} verify --all") for each in ("sqlite:///proof.db", again))
    if before != after:
        raise Failed(f"restored to a database: {after}, to a file: {before}")
    run.say("restored to an empty database, too")
    examine(run)


def examine(run: Rehearsal) -> None:
    """Doctor finds no problem but the certificate, as Caddy's own ones last for 12 hours."""
    block = run.later.pop("zim doctor --backup")
    output = run.machine.type(f"{as_typed(block.text)} || [ $? = 1 ]")
    if problems := [line for line in output.splitlines() if line.startswith("problem:") and not line.endswith("[tls]")]:
        raise Failed("\n".join(problems))
    run.say(f"{block.heading}: {block.first} ...")
    print(re.sub("(?m)^", " " * 9, output.strip()))


def new_wheels(run: Rehearsal) -> None:
    """From here on pip finds the commit of today."""
    use_wheels(run.machine, "newer")


def check_upgrade(run: Rehearsal) -> None:
    """The programs play on with the new processes, in which no move is lost."""
    check_processes(run)
    run.machine.wait_for(f"curl -sf {SITE}/health")  # the proxy looks for them every two seconds
    wait_for_moves(run, moves(run) + 4)
    for port in (8321, 8322):
        pid = f"$(systemctl show -P MainPID zim@{port})"
        program = run.machine.type(f"tr '\\0' '\\n' < /proc/{pid}/cmdline").partition("\n")[0]
        if not program.startswith("/opt/zim-2/"):
            raise Failed(f"zim@{port} is still {program}")


def make_wheels(root: Path, at: str, name: str) -> None:
    """Builds the wheel of a commit, "" for the files of this checkout, in a folder of the machine."""
    out = root / "wheels" / name
    shutil.rmtree(out, ignore_errors=True)
    source = Path(mkdtemp(dir=root.parent))
    packed = subprocess.run(["git", "archive", at or "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        files.extractall(source, filter="data")
    if not at:
        changed_files = subprocess.run(["git", "diff", "--name-only", "HEAD"], cwd=ROOT, capture_output=True, text=True)
        for changed_file in filter(None, changed_files.stdout.splitlines()):
            (source / changed_file).write_bytes((ROOT / changed_file).read_bytes())
    run_program(
        (sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(out)), within=source
    )


def use_wheels(machine: Machine, name: str) -> None:
    """Lets pip find Zim of some commit, and the libraries."""
    machine.file("/etc/pip.conf").write_text(
        f"[global]\nno-index = true\nfind_links =\n    /wheels/{name}\n    /wheels/libraries\n"
    )


def fetch_libraries(root: Path) -> None:
    """Fetches what Zim needs, as its wheel says, for the Python of the machine, on which nothing stays installed."""
    fetch = 'pip download -q --dest /tmp/libraries "$(ls /wheels/newer/*.whl)[server,postgres]"'
    within = f"(apt-get -q install python3-venv; python3 -m venv /tmp/venv; PATH=/tmp/venv/bin:$PATH; {fetch}) >&2"
    packed = in_network(root, f"{within}; tar -c -C /tmp libraries", "--volatile=overlay")
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        files.extractall(root / "wheels", filter="data")
    for each in (root / "wheels/libraries").glob("great_zim*"):
        each.unlink()


def after_upgrade(run: Rehearsal) -> None:
    """The programs play on; unless it is a short rehearsal, processes are killed, and the game is played to its end."""
    check_upgrade(run)
    if run.short:
        return
    attack(run)
    for player in run.players:
        player.wait(20 * PATIENCE)
    block = run.later.pop("HOME=/var/lib/zim zim analyse")
    run.machine.type(as_typed(block.text))
    run.say(f"{block.heading}: {block.first}")


def attack(run: Rehearsal) -> None:
    """Kills processes 20 times while moves are written through a proxy that cuts, delays and doubles."""
    (run.folder / "hosts").write_text("127.0.0.1 localhost zim.example\n")
    token = run.machine.file(f"{FOLDER}/token").read_text().strip()
    enter, attack_ = f"nsenter -t {run.machine.leader}", ROOT / "scripts" / "attack"
    kill = f"{enter} -m -u -i -n -p --root --wd systemctl kill -s KILL zim@832$(( $RANDOM % 2 + 1 ))"
    numbers = f"--moves {KILLED_MOVES} --writers 8 --followers 12 --kills {KILLS} --i-operate-this-server"
    command = f"{attack_} service --url {SITE} {numbers} --kill-command {shlex.quote(f'bash -c {shlex.quote(kill)}')}"
    certificate = run.machine.file(CA)
    within = f"mount --bind {run.folder}/hosts /etc/hosts; SSL_CERT_FILE={certificate} ZIM_TOKEN={token} {command}"
    output = run_program((*enter.split(), "-n", "unshare", "-m", "bash", "-ec", within)).decode()
    summary, _, more = output.strip().partition("\n")
    run.say(f"{KILLS} kills behind the proxy: {summary}")
    print(re.sub("(?m)^", " " * 9, more))


def last_step(run: Rehearsal) -> None:
    """A graceful stop while a feed is open; then the game is verified."""
    machine = run.machine
    watching = 'curl -sN -o feed -w %{http_code} -H "Authorization: Bearer $(sed s/.*#// watching)"'
    feed = machine.start(f"{watching} {SITE}/v1/games/{run.game}/lines/main/feed", run.folder / "feed.log")
    machine.wait_for("grep -q 'event: standing' feed")
    began = time.monotonic()
    machine.type("systemctl stop zim@8321 zim@8322")
    took = time.monotonic() - began
    for port in (8321, 8322):
        output = machine.type(f"systemctl show -P Result -P ExecMainStatus zim@{port}").split()
        if output != ["success", "0"]:
            raise Failed(f"zim@{port} has ended with {output}")
    feed.wait(PATIENCE)
    machine.type("grep -q 'event: end' feed")
    run.say(f"stopped in {took:.1f} s with a feed open, which was told to reconnect")
    machine.type("zim verify --all && zim db check")


STEPS: Mapping[str, tuple[Callable[[Rehearsal], None] | None, Callable[[Rehearsal], None] | None]] = {
    "zim serve token hanna": (None, play_in_the_file),
    "apt install postgresql": (None, check_unit),
    "runuser": (None, check_database),
    "systemctl enable": (None, check_processes),
    "install -m 644 Caddyfile": (without_authority, behind_proxy),
    "zim backup friday.db": (file_store, None),
    "zim backup friday.jsonl": (database, restore_to_database),
    "python3 -m venv /opt/zim-2": (new_wheels, None),
    "systemctl stop": (before_upgrade, after_upgrade),
}
"""What is done before a block is typed, and after it, by its first line."""


def rehearse(*, short: bool, prepared: Path | None = None) -> None:
    """Types the page, on a copy of a `prepared` root, which is made if it is not there yet.

    Raises `Failed` at the first thing that does not go as it says, `NotPossible` without means."""
    if why := lacking():
        raise NotPossible(why)
    began = time.monotonic()
    with folder() as place:
        root = place / "root"
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
            rehearsal = Rehearsal(machine, place, short=short)
            rehearsal.began = began
            rehearsal.say("a fresh Debian has booted")
            use_wheels(machine, "older")
            for file in EXAMPLES.iterdir():
                (machine.file(FOLDER) / file.name).write_bytes(file.read_bytes())
            machine.type("apt install python3-venv")
            new_blocks = [*blocks(PAGE.read_text("utf-8"))]
            for block in new_blocks:
                rehearsal.type(block)
            last_step(rehearsal)
            rehearsal.say(f"{len(new_blocks) - len(rehearsal.later)} of {len(new_blocks)} blocks typed")
    for what, why in OTHERWISE.items():
        print(f"{what}: {why}")
    for change in CHANGES:
        print(f"{change.old} as {change.new}: {change.why}")


def main() -> int:
    """Rehearses, and prints what was typed."""
    parser = ArgumentParser("rehearse", description="Types docs/operating.md on a fresh Debian.")
    parser.add_argument("--short", action="store_true", help="without kills and analysis")
    parser.add_argument("--prepared", type=Path, metavar="FOLDER", help="keep the root before the first step there")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the machine ends with it
    try:
        rehearse(short=arguments.short, prepared=arguments.prepared)
    except NotPossible as error:
        print(f"rehearse: {error}", file=sys.stderr)
        return 2
    except Failed as error:
        print(f"FAILED: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
