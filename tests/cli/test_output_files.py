"""Every option that names a file to write: it costs no file that was there, and never a store."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess

import click
import pytest

from event_store.outputs import OutputError
from tests.cli.commands import run_command
from zimcli.output.output import Output
from zimcli.session.output_files import FORCED_KINDS, OutputFile, OutputKind
from zimcli.session.session import Session
from zimcli.shell.registry import ENTRIES
from zimcore.service import open_service

ROOT = Path(__file__).parents[2]

COMMAND_LINES = {
    "analyse --svg": "analyse k --nodes 1 --svg {}",
    "arena --into": "arena random --players 2 --games 1 --into {}",
    "audit --into": "audit k.log --into {}",
    "audit --learn": "audit k.log --learn {}",
    "backup file": "backup {} --open",
    "board --png": "board k --png {}",
    "board --svg": "board k --svg {}",
    "db new": "db salvage sqlite:///{} --open",
    "export --certificate": "export k --certificate {}",
    "export --certificates": "export --certificates {}",
    "export --jsonl": "export --jsonl {} --open",
    "export --tables": "export --tables {}",
    "new-game name": "new-game {}",
    "replay --html": "replay k --html {}",
    "sign file": "sign {}",
    "witness file": "witness {}",
}
"""A command line for each parameter that names a file to write."""
MORE_LINES = ("db upgrade {} --open", "witness --append {}", "audit k.log --learn {} --style k.style")
FILES_READ = {
    *("audit files", "audit --style", "audit --words", "doctor --backup", "import file", "new --house-rules"),
    *("rules --recorded", "run file", "run --folder", "pipe --folder", "serve --notices", "sign --key", "verify files"),
    *("verify place", "verify --signed-by", "import --house-rules", "audit --house-rules"),
    *("stats files", "stats --house-rules"),
}
"""The parameters that name files or folders of which none is written by that name."""
WRITERS = {
    "event_store/outputs.py": "the one function that writes files",
    "event_store/backends/sqlite_file.py": "moves and locks files of the store itself",
    "event_store/disk.py": "creates empty files of stores",
    "event_store/backup.py": "inside it, to the temporary path",
    "zimcli/settings/settings.py": "inside it, to the temporary path",
    "event_store/backends/sqlite.py": "a store",
    "event_store/backends/sqlite_health.py": "a store, which it opens to check it",
    "zimcli/__main__.py": "the null device",
    "zimcli/main.py": "the null device",
    "zimcli/keys/signing_keys.py": "puts an own key away in its folder",
    "zimcore/analysis/json_lines.py": "appends to a cache of Zim's own",
    "zimcore/bots/learning.py": "games to resume from, beside the game's module",
    "zimcore/remote/client_files.py": "locks, and rows of Zim's own copies",
}
"""The modules that open files to write, and what these are. All others call `event_store.outputs`."""
WRITING_FUNCTIONS = (
    *("os.replace", "os.rename", "os.link", "os.symlink", "os.truncate", "sqlite3.connect", "shutil.copy"),
    *("shutil.copy2", "shutil.copyfile", "shutil.move", "write_text", "write_bytes", "touch", "hardlink_to"),
    *("symlink_to", "mkstemp", "NamedTemporaryFile"),
)
OPENING_TO_WRITE = re.compile(r"""O_(WRONLY|RDWR|CREAT)\b|['"][rbt]*[wax+][rwaxbt+]*['"]""")


def parameters_by_name() -> dict[str, click.Parameter]:
    """The parameters of all commands: `audit --into`, `backup file`."""
    return {
        f"{entry.name} {parameter.opts[-1]}": parameter
        for entry in ENTRIES
        for parameter in entry.load_command().params
    }


OUTPUTS: Mapping[str, OutputKind] = {
    name: each.type.kind for name, each in parameters_by_name().items() if isinstance(each.type, OutputFile)
}
FORCED_OUTPUTS = [name for name, kind in OUTPUTS.items() if kind in FORCED_KINDS]


def names_a_file(parameter: click.Parameter) -> bool:
    """Whether a parameter names a file or a folder, as far as its declaration shows."""
    label = f"{parameter.metavar or parameter.name}".upper()
    is_flag = isinstance(parameter, click.Option) and parameter.is_flag
    return isinstance(parameter.type, click.Path | click.File) or (
        not is_flag and bool(re.search("FILE|DIR|FOLDER|PATH", label))
    )


def test_every_parameter_that_names_a_file_reads_it_or_is_checked() -> None:
    named_files = {name for name, parameter in parameters_by_name().items() if names_a_file(parameter)}
    assert named_files - {*OUTPUTS} == FILES_READ


def writes(call: ast.Call) -> bool:
    """Whether a call writes a file, or opens one to write."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name == "open":
        return bool(OPENING_TO_WRITE.search(ast.unparse(call)))
    return any(each.rpartition(".")[2] == name and ast.unparse(call.func).endswith(each) for each in WRITING_FUNCTIONS)


def may_write(source: str) -> bool:
    """Whether a source has the words of a call that writes: parsing all of them takes long."""
    return any(name in source for name in WRITING_FUNCTIONS) or (
        "open(" in source and bool(OPENING_TO_WRITE.search(source))
    )


def writing_modules(source_by_path: Mapping[str, str]) -> set[str]:
    """The modules that call something which writes a file."""
    return {
        path
        for path, source in source_by_path.items()
        if may_write(source)
        and any(isinstance(node, ast.Call) and writes(node) for node in ast.walk(ast.parse(source)))
    }


def test_no_other_module_writes_files() -> None:
    paths = (path for room in ("event_store", "zimcore", "zimcli") for path in (ROOT / room).rglob("*.py"))
    sources = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in paths}
    assert writing_modules(sources) == {*WRITERS}


@pytest.mark.parametrize(
    ("source", "is_found"),
    [
        ("page_path.write_text(page)", True),
        ("with open(path, 'wb') as file: pass", True),
        ("with path.open(mode='a') as file: pass", True),
        ("os.open(path, os.O_WRONLY | os.O_CREAT)", True),
        ("os.replace(draft, path)", True),
        ("with open(path, 'rb') as file: pass", False),
        ("file.write([page])", False),
        ("EventStore.open('memory:')", False),
    ],
)
def test_a_module_that_writes_is_found(source: str, is_found: bool) -> None:
    assert (writing_modules({"module.py": source}) == {"module.py"}) is is_found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current folder with a store that is open and has a write-ahead log, another store, and a file of the user's."""
    monkeypatch.chdir(tmp_path)
    for variable in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))
    monkeypatch.setenv("ZIM_STORE", "sqlite:///games.db")
    with closing(open_service("sqlite:///other.db").store) as other_store:
        open_service("sqlite:///other.db").new("zimbabwe", {"players": "3", "seed": "7"}, name="other", by="anna")
        assert other_store.exists()
    service = open_service("sqlite:///games.db")
    with service.store:
        service.new("zimbabwe", {"players": "3", "seed": "7"}, name="k", by="anna")
        Path("k.log").write_text("new players=3 seed=7\nstart g7\n")
        Path("k.style").write_text("")
        Path("mine").write_text("My favourite games.")
        yield tmp_path


def zim(line: str) -> CompletedProcess[str]:
    return run_command(*shlex.split(line))


def contents(folder: Path) -> dict[Path, bytes | None]:
    """What all files have; only that of shared memory, which every reader changes, is left out."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".db-shm"}


def store_names(folder: Path) -> list[str]:
    """Names of the stores in a folder, and of the files that belong to them."""
    Path("link").symlink_to("games.db")
    Path("link-to-log").symlink_to("games.db-wal")
    Path("other-link").symlink_to("other.db")
    Path("hard-link").hardlink_to("games.db")
    Path("hard-link-to-log").hardlink_to("games.db-wal")
    Path("sub").mkdir()
    names = ["games.db", "games.db-wal", "games.db-shm", "games.db-journal", "other.db", "other.db-wal", "other-link"]
    names += ["link", "link-to-log", "hard-link", "hard-link-to-log", "sub/../games.db", str(folder / "games.db")]
    return names + ["GAMES.DB"] * Path("GAMES.DB").exists()


def test_there_is_a_command_line_for_every_output() -> None:
    assert {*COMMAND_LINES} == {*OUTPUTS}


@pytest.mark.parametrize("line", [*COMMAND_LINES.values(), *MORE_LINES])
def test_no_output_changes_a_store(folder: Path, line: str) -> None:
    descriptor = os.open("games.db", os.O_RDONLY)
    names = [*store_names(folder), *[f"/proc/self/fd/{descriptor}"] * Path("/proc/self/fd").is_dir()]
    contents_before = contents(folder)
    for name in names:
        for option in ("", " --force"):
            result = zim(line.format(name) + option)
            assert (result.returncode in (2, 3, 4), result.stdout) == (True, ""), (name, option)
            assert contents(folder) == contents_before, (name, option)
    os.close(descriptor)


TO_SHOW = ("analyse --svg", "board --png", "board --svg", "new-game name", "replay --html")
"""The outputs that others may read."""


@pytest.mark.parametrize("name", OUTPUTS)
def test_only_its_owner_reads_an_output_that_is_not_made_to_be_shown(folder: Path, name: str) -> None:
    assert zim("key").returncode == 0
    if name == "sign file":
        assert zim("export k --certificate plots").returncode == 0
    own_files = {folder / each for each in ("k.log", "k.style", "mine")}
    lines = [COMMAND_LINES[name].format("plots")]
    lines += [f"--as zulu {COMMAND_LINES[name].format('of-zulu')}"] * name.startswith(("board", "replay"))
    umask_before = os.umask(0o022)
    try:
        for line in lines:
            result = zim(line)
            assert result.returncode == 0, result.stderr
    finally:
        os.umask(umask_before)
    files = {file for file in folder.rglob("*") if file.is_file()} - own_files
    public_files = {file for file in files if file.stat().st_mode & 0o077}
    assert public_files == {file for file in files if "plots" in file.parts and name in TO_SHOW}
    assert bool(public_files) is (name in TO_SHOW)


@pytest.mark.parametrize("name", FORCED_OUTPUTS)
def test_an_error_names_the_store_by_its_whole_path_and_a_name_that_is_free(folder: Path, name: str) -> None:
    error = zim(COMMAND_LINES[name].format("games.db")).stderr
    assert error.startswith(
        f"file: can't write {folder}/games.db\n  it is a store, or part of one, and never overwritten\n"
    )
    assert error.rpartition("try: ")[2] == f"zim {COMMAND_LINES[name].format('games-2.db')}\n"


def existing_file(folder: Path, kind: OutputKind) -> Path:
    """A file of the user's where a command would write one; in a folder those that the commands write."""
    if kind != "folder":
        return folder / "mine"
    (folder / "kept").mkdir()
    for name in ("k.main.cert", "games.csv"):
        (folder / "kept" / name).write_text("My favourite games.")
    return folder / "kept"


@pytest.mark.parametrize("name", FORCED_OUTPUTS)
def test_an_existing_file_stays_and_what_the_error_proposes_can_be_typed(folder: Path, name: str) -> None:
    target, contents_before = existing_file(folder, OUTPUTS[name]), {}
    contents_before = contents(folder)
    refusal = zim(COMMAND_LINES[name].format(target.name))
    assert (refusal.returncode, refusal.stdout) == (2, "")
    assert re.match(rf"file: can't write {target}\S*\n  the file already exists\n", refusal.stderr), refusal.stderr
    assert contents(folder) == contents_before
    with_free_name, with_force = refusal.stderr.strip().rpartition("try: ")[2].split(" · ")
    assert (f"{target.name}-2" in with_free_name, with_force.endswith(" --force")) == (True, True)
    for proposal in (with_free_name, with_force):
        result = zim(proposal.removeprefix("zim "))
        assert result.returncode == 0, result.stderr
        written_file = f"{target}-2" if proposal == with_free_name else str(target)
        assert written_file in result.stdout + result.stderr or name == "export --jsonl"
    changed = {path for path, content in contents(folder).items() if contents_before.get(path, content) != content}
    assert changed
    assert changed <= {target, *target.glob("*")}


@pytest.mark.parametrize(
    "line", ["sign mine", "witness --append mine", "arena random --games 1 --players 2 --into mine"]
)
def test_a_file_of_another_kind_is_never_extended(folder: Path, line: str) -> None:
    assert zim(line).returncode != 0
    assert (folder / "mine").read_text() == "My favourite games."


def test_files_of_their_own_kind_are_extended(folder: Path) -> None:
    for line in ("key", "export k --certificate k.cert", "sign k.cert", "sign k.cert", "witness --append log"):
        assert zim(line).returncode == 0, line
    assert zim("do k 'start g7'").returncode == 0
    assert zim("witness --append log").returncode == 0
    arena_line = "arena random --games 1 --players 2 --into arena.db"
    assert [zim(arena_line).returncode for _ in range(2)] == [0, 0]
    assert zim("verify --all --since log").returncode == 0


@pytest.mark.parametrize("option", ["--certificates", "--tables"])
def test_a_file_in_the_place_of_a_folder_is_an_error_with_a_name_that_is_free(folder: Path, option: str) -> None:
    result = zim(f"export {option} mine --force")
    assert (result.returncode, "it is a file, not a folder" in result.stderr) == (2, True)
    assert result.stderr.endswith(f"try: zim export {option} mine-2 --force\n")
    assert zim(f"export {option} mine-2 --force").returncode == 0
    assert zim("new-game mine").stderr.endswith("try: zim new-game mine_2\n")


def test_a_link_in_a_folder_does_not_lead_to_a_store(folder: Path) -> None:
    (folder / "kept").mkdir()
    (folder / "kept" / "k.main.cert").symlink_to(folder / "games.db")
    contents_before = contents(folder)
    result = zim("export --certificates kept --force")
    assert (result.returncode, f"({folder}/games.db)" in result.stderr) == (2, True)
    assert contents(folder) == contents_before


def test_stdout_and_devices_can_be_named(folder: Path) -> None:
    for name in ("-", "/dev/stdout"):
        result = zim(f"export k --certificate {name}")
        assert (result.returncode, json.loads(result.stdout.splitlines()[0])["game"]) == (0, "k")
    assert zim("export k --certificate /dev/null").returncode == 0


def run_in_script(line: str, options: str = "") -> tuple[int, str]:
    result = run_command("run", *shlex.split(options), "-", stdin=line)
    return result.returncode, result.stdout + result.stderr


def run_in_pipe(line: str, options: str = "") -> tuple[int, str]:
    """The exit code and the error of a request that has the words of `export k --certificate FILE`."""
    request = {"export": True, "place": "k", "certificate": shlex.split(line)[-1]}
    result = run_command("pipe", *shlex.split(options), stdin=json.dumps(request))
    reply = json.loads(result.stdout)
    return reply["code"], json.dumps(reply.get("error"))


@pytest.mark.parametrize("run", [run_in_script, run_in_pipe])
def test_a_script_and_a_pipe_write_only_in_their_folder(folder: Path, run: Callable[..., tuple[int, str]]) -> None:
    inner, outside = folder / "inner", folder.parent / f"{folder.name}.cert"
    inner.mkdir()
    (inner / "away").symlink_to(folder.parent)
    (inner / "away.cert").symlink_to(outside)
    for name in ("../k.cert", str(outside), "away/k.cert", "inner/../../k.cert", "away.cert"):
        relative_name = name if name.startswith(("/", "inner")) else f"inner/{name}"
        code, text = run(f"export k --certificate {relative_name}", f"--folder {inner}")
        assert (code, f"writes only in {inner}" in text) == (2, True), name
    assert run(f"export k --certificate {outside}")[0] == 2
    assert not outside.exists()
    assert run("export k --certificate inner/k.cert", f"--folder {inner}")[0] == 0
    assert run("export k --certificate k.cert")[0] == 0
    code, text = run("export k --certificate k.cert")
    assert (code, "the file already exists" in text, "force" in text) == (2, True, True)
    assert run("export k --certificate games.db")[0] == 2


def test_a_hint_of_a_pipe_is_a_parameter(folder: Path) -> None:
    request = {"board": True, "place": "k", "svg": "mine"}
    error = json.loads(run_command("pipe", stdin=json.dumps(request)).stdout)["error"]
    assert error["hints"] == ['"svg": "mine-2"', '"force": true']
    forced_request = {**request, **json.loads(f"{{{error['hints'][1]}}}")}
    assert json.loads(run_command("pipe", stdin=json.dumps(forced_request)).stdout)["code"] == 0
    assert (folder / "mine").read_text().startswith("<svg")


def test_what_a_script_proposes_can_be_typed(folder: Path) -> None:
    (folder / "inner").mkdir()
    Path("script").write_text("export k --certificate kept.cert\n")
    error = zim("run --folder inner script").stderr
    hints = error.partition("try: ")[2].splitlines()[0].split(" · ")
    assert hints == ["zim export k --certificate inner/kept.cert", f"zim run --folder {folder} FILE"]
    assert zim(hints[1].removeprefix("zim ").replace("FILE", "script")).returncode == 0
    assert (folder / "kept.cert").exists()


def test_a_script_gives_no_other_script_more_than_it_has(folder: Path) -> None:
    (folder / "inner").mkdir()
    Path("script").write_text("export k --certificate kept.cert\n")
    assert run_in_script("run --folder . script", "--folder inner")[0] == 2
    assert run_in_script("run script", "--folder inner")[0] == 2
    assert not (folder / "kept.cert").exists()
    assert run_in_script("run --folder . script")[0] == 0


def test_a_script_writes_to_stdout_but_to_no_device(folder: Path) -> None:
    code, text = run_in_script("export k --certificate -")
    assert (code, text.startswith('{"zim":"certificate')) == (0, True)
    assert run_in_script("export k --certificate /dev/stdout")[0] == 2
    assert run_in_script("learn tests.nim:GAME")[0] == 2, "its file would lie beside the module"


def test_the_prompt_refuses_as_the_shell_does_and_its_scripts_stay_in_the_folder(folder: Path) -> None:
    session = Session(Output(), store="sqlite:///games.db", by="anna")
    session.is_careful, session.level = True, 1
    session.run_line("show k")
    session.enter_position(session.position("k"))
    with pytest.raises(OutputError, match="the file already exists") as error:
        session.run_line("board --svg mine")
    assert error.value.hints == ("board k/main --svg mine-2", "board k/main --svg mine --force")
    session.run_line(error.value.hints[1])
    outside = folder.parent / f"{folder.name}.svg"
    session.run_line(f"board --svg {outside}")
    assert outside.exists(), "a person may write anywhere"
    Path("script").write_text(f"board --svg {outside} --force\n")
    with pytest.raises(OutputError, match="writes only in"):
        session.run_line("run script")
