"""Files of others at each door that reads one: a wrong kind is named, with the command that takes it."""

from __future__ import annotations

import ast
import gzip
import shlex
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from zimcli.main import cli
from zimcore.toolkit import file_kinds
from zimcore.toolkit.file_kinds import FileKind, kind_of

CLI_FOLDER = Path(__file__).parents[2] / "zimcli"
DOORS = {
    "import": ("import {}", "certificate export page json text"),
    "run": ("run {}", "script script16 text empty"),
    "audit": ("audit {}", "log table answer script script16 page json text"),
    "verify": ("verify {}", "certificate"),
    "against": ("verify k --against {}", "certificate"),
    "sign": ("sign ./{}", "certificate store"),  # a store is refused as a file to write
    "since": ("verify --all --since {}", "witness witnesses"),
    "witness --append": ("witness --append {}", "witness witnesses store"),  # a witness has an error of its own
    "signed-by": ("verify k.cert --signed-by ./{}", "keys text empty"),
    "style": ("audit k.log --style {}", "style text"),
    "words": ("audit k.log --words {}", "text style"),
    "house rules": ("audit page.html --house-rules {}", "style text empty"),
    "restore": ("db restore {}", "store zeros empty"),
    "store": ("--store sqlite:///{} games", "store zeros empty"),
}
"""What is typed at each door, and the kinds of files that it reads itself."""
ORDINARY_READS = {"zimcli/study/disputes.py": 1, "zimcli/study/recorded_files.py": 1}
"""Where a file of a folder is read: each that is none is left out, and named."""


def run(line: str, url: str = "sqlite:///store") -> Result:
    """Runs a line in the shell; it may name another store."""
    return CliRunner().invoke(cli, ["--store", url, *shlex.split(line)], prog_name="zim")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of each kind. A certificate has what editors and mail add: a byte order mark, CRLF, blank lines."""
    folder = tmp_path_factory.mktemp("kinds")
    url = f"sqlite:///{folder / 'store'}"
    for line in (
        "new k players=2 seed=7",
        "do k 'start f6' 'start c6'",
        f"export k --certificate {folder}/k.cert",
        f"export --jsonl {folder}/export",
        f"witness {folder}/witness",
        f"witness --append {folder}/witnesses",
    ):
        assert run(line, url).exit_code == 0, line
    (folder / "k.log").write_text(run("log k", url).stdout)
    (folder / "log").write_text(run("log k", url).stdout)
    (folder / "table").write_text(run("--format csv log k", url).stdout)
    (folder / "answer").write_text(run("--json log k", url).stdout)
    certificate = (folder / "k.cert").read_bytes()
    contents = {
        "certificate": b"\xef\xbb\xbf\r\n" + certificate.replace(b"\n", b"\r\n") + b"\r\n",
        "certificate16": certificate.decode().encode("utf-16"),
        "script": b"# ours\r\n\r\nnew m players=2 seed=7\r\nstart f6\r\n",
        "script16": "new n players=2 seed=7\nstart f6\n".encode("utf-16"),
        "page": b"<!DOCTYPE html><p>no game</p>",
        "page.html": b"<!DOCTYPE html><p>no game</p>",
        "json": b'[{"a": 1}]',
        "text": b"Dear friends,\nthis is a letter.\n",
        "keys": b"anna:" + b"ab" * 32 + b"\n",
        "style": b'[words]\nbaut = "build"\n',
        "gz": gzip.compress(certificate),
        "pdf": b"%PDF-1.4\n",
        "picture": b"\x89PNG\r\n\x1a\n\0\0",
        "zeros": b"\0" * 100,
        "empty": b"\xef\xbb\xbf\r\n",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    with zipfile.ZipFile(folder / "zip", "w") as archive:
        archive.writestr("k.cert", certificate)
    return folder


FILES = [
    *("certificate", "certificate16", "export", "store", "script", "script16", "log", "table", "answer", "witness"),
    *("witnesses", "style", "keys", "page", "json", "text", "gz", "zip", "pdf", "picture", "zeros", "empty"),
]


@pytest.mark.parametrize("door", DOORS)
def test_a_wrong_file_is_named_with_the_command_that_takes_it(
    door: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    line, accepted = DOORS[door]
    error, code = ("store", 4) if door == "store" else ("not understood", 2)
    for file in FILES:
        if file in accepted.split():
            continue
        result = run(line.format(file))
        path, kind = f"./{file}" if "./" in line else file, kind_of(Path(file).read_bytes())
        assert (result.exit_code, result.stdout) == (code, ""), (file, result.output)
        if (file, kind.name) != ("certificate16", "a certificate") or "certificate" not in accepted.split():
            named = "the file is empty" if file == "empty" else f"it is {kind.name}"
            assert result.stderr.startswith(f"{error}: {path}\n  {named}"), (file, result.stderr)
            assert all(hint.replace("FILE", path) in result.stderr for hint in kind.hints)
        else:
            assert "it is in UTF-16: save it as UTF-8" in result.stderr
        assert "salvage" not in result.stderr


@pytest.mark.parametrize("door", ["import", "verify", "against"])
def test_what_editors_add_to_a_certificate_is_no_fault(
    door: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert run(DOORS[door][0].format("certificate")).exit_code == 0


@pytest.mark.parametrize("length", [0.4, 0.99, "a line"], ids=str)
@pytest.mark.parametrize("file", ["k.cert", "export", "witness", "witnesses"])
def test_a_file_that_is_cut_off_is_no_damaged_store(
    file: str, length: float | str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    content = Path(file).read_bytes()
    end = int(len(content) * length) if isinstance(length, float) else content.rfind(b"\n", 0, -1) + 1
    Path("cut").write_bytes(content[:end] or content[:-9])
    for door, (line, accepted) in DOORS.items():
        if {"k.cert": "certificate", "witness": "witness"}.get(file, file) in accepted.split() and door != "sign":
            result = run(line.format("cut"))
            assert (result.exit_code in (1, 4), "salvage" in result.stderr) == (True, False), (door, result.output)


def test_a_wrong_file_among_several_hides_no_other(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    result = run("verify k.cert script gz")
    assert result.exit_code == 1
    assert "2 of 3 files do not verify\n  script: other kind: the file: it is a script, not a cert" in result.stderr
    result = run("audit k.log witness page")
    assert (result.exit_code, "k.log · 2 lines: 2 legal" in result.stdout) == (2, True), result.output
    assert "witness: it is a witness, not a log" in result.stderr


def test_each_kind_has_a_file_here(folder: Path) -> None:
    kinds = {value for value in vars(file_kinds).values() if isinstance(value, FileKind)}
    assert {kind_of((folder / name).read_bytes()) for name in FILES} == kinds - {file_kinds.COMPRESSED}


@pytest.mark.parametrize("start", [b"[quote]\nbid 3\n", b"[b]Kilwa[/b]\nbid 3", b"a = [1,\n and so on", b"7 builds"])
def test_a_chat_is_no_settings_file(start: bytes) -> None:
    assert kind_of(start) == file_kinds.TEXT


def test_each_read_of_a_file_says_what_it_wants() -> None:
    """A door that opens a file of a person without naming its kinds would blame the file for what it is not."""
    reads = dict[str, int]()
    for path in CLI_FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "open_for_reading":
                name = str(path.relative_to(CLI_FOLDER.parent))
                reads[name] = reads.get(name, 0) + (len(node.args) < 3)
    assert {name: count for name, count in reads.items() if count} == ORDINARY_READS


def test_a_store_that_was_damaged_at_its_start_is_still_called_a_store(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    assert run("new k players=2", f"sqlite:///{path}").exit_code == 0
    path.write_bytes(b"\0" * 16 + path.read_bytes()[16:])
    result = run("games", f"sqlite:///{path}")
    assert (result.exit_code, "file is not a database" in result.stderr) == (4, True), result.output


def test_the_name_of_a_store_may_have_a_question_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("what").write_text("a letter")
    assert run("new k players=2", "sqlite:///what?.db").exit_code == 0
    assert "it is a text" in run("games", "sqlite:///what?mode=ro").stderr
