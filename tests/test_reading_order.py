"""The README and the pages of docs/ work as printed for a reader who types all, one after the other, in one store.

The order is that of the links under "Read on" in the README.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from tests.log_styles import write_league
from tests.server.server_process import running_server
from tests.test_docs import (
    CONSOLE_BLOCK,
    EXPORT,
    LINK,
    PAGE_NAMES,
    PYTHON_FILE,
    documented_steps,
    output_pattern,
    run_shell_command,
)
from tests.test_readme import README, README_STEPS, make_checkout, type_command

ROOT = Path(__file__).parent.parent
DOCUMENTED_URL = "http://127.0.0.1:8321"
PAGES_ON_A_SERVER = {"api.md", "playing-together.md"}
PERSON = re.compile(r"(?m)^(\w*)\$ ")
"""A prompt. On a page of several people it begins with the name of the one who types; each has a home folder."""
PACKAGE_PAGE = "new-game.md"
"""Its commands need the package that it writes: toolkit/test_new_game.py types them."""
SHARED_GAMES = {"demo-zimbabwe"}
"""Games that several pages begin: `zim demo --keep` says so, and changes nothing, if it is stored already."""
BEGUN_GAME = re.compile(
    r"""^\w*\$ (?:zim |.*')(?:--store http\S+ )?(?:new|host) ([a-z][\w-]*) |"name": "([\w-]+)", "options": """,
    re.MULTILINE,
)
"""A command that begins a game in the reader's store, on a server of it, or in a script."""
USED_GAME = re.compile(
    r"^\w*\$ zim (?:do|show|undo|log|why|board|verify|bot|hint|whatif|expect) ([a-z][\w-]*)", re.MULTILINE
)


def reading_order() -> list[str]:
    """The pages of docs/ to which the README leads, in its order."""
    index = README.partition("## Read on\n")[2].partition("\n## ")[0]
    return [Path(target).name for target, _ in LINK.findall(index) if Path(target).parent == Path("docs")]


def begun_games(page: str) -> set[str]:
    """The games that the commands of a page begin in the reader's store."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    return {name for names in BEGUN_GAME.findall(text) for name in names if name}


def test_each_page_for_users_opens_with_its_job_and_is_in_the_index() -> None:
    pages = {page: (ROOT / "docs" / page).read_text("utf-8") for page in PAGE_NAMES}
    first_paragraphs = {page: text.split("\n\n")[1] for page, text in pages.items()}
    assert {page: text for page, text in first_paragraphs.items() if not text.startswith("For ")} == {}
    assert {*PAGE_NAMES} - {*reading_order()} <= {"architecture.md", "glossary.md", "releasing.md"}, "not for users"
    assert len(reading_order()) == len({*reading_order()})


def test_no_two_pages_begin_the_same_game() -> None:
    """So each page can be typed alone as well as after any other."""
    pages_by_game = defaultdict(set)
    for page in PAGE_NAMES:
        for name in begun_games(page):
            pages_by_game[name].add(page)
    assert {name: pages for name, pages in pages_by_game.items() if len(pages) > 1} == {}
    readme_games = {name for names in BEGUN_GAME.findall(README) for name in names if name}
    assert readme_games
    assert not readme_games & {*pages_by_game}


def test_a_page_uses_only_games_that_it_begins() -> None:
    for page in PAGE_NAMES:
        text = (ROOT / "docs" / page).read_text("utf-8")
        assert {*USED_GAME.findall(text)} <= begun_games(page) | SHARED_GAMES, page


def test_a_reader_types_the_readme_and_all_pages_in_one_store(tmp_path: Path, find_program: Callable[..., str]) -> None:
    for program_name in ("jq", "curl"):
        find_program(program_name)
    make_checkout(tmp_path)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    write_league(tmp_path / "league", game_count=40)
    faults = [f"README: {fault}" for fault in readme_faults(tmp_path)]
    for page in reading_order():
        if page != PACKAGE_PAGE:
            faults += [f"{page}: {fault}" for fault in page_faults(page, tmp_path)]
    assert not faults, "\n\n".join(faults)
    games = run_shell_command("zim games", tmp_path, reader(tmp_path))
    assert all(f"  {name} " in games for name in ("friday", "kilwa-7", "zanzibar", "gedi")), "one store"


def readme_faults(folder: Path) -> Iterator[str]:
    """The commands of the README that print something else."""
    (export_command,) = (command for command, _ in README_STEPS if command.startswith("export "))
    for command, expected_output in README_STEPS[README_STEPS.index((export_command, "")) + 1 :]:
        output = type_command(folder, export_command, command.replace("zim host", "zim host --listen 127.0.0.1:0"))
        if expected_output and not re.fullmatch(output_pattern(expected_output), output):
            yield f"$ {command}\n{output}"
    output = type_command(folder, export_command, "! zim log none")
    if " zim log demo-zimbabwe\n" not in output:
        yield f"a hint that does not begin with what was typed\n{output}"


def page_faults(page: str, folder: Path) -> Iterator[str]:
    """The commands of a page that print something else. A page on a server gets one on the reader's store."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    for name, content in PYTHON_FILE.findall(text):
        (folder / name).write_text(content, "utf-8")
    variables = reader(folder)
    with ExitStack() as stack:
        if page in PAGES_ON_A_SERVER:
            server = stack.enter_context(running_server(folder, store=store_of(folder)))
            text = text.replace(DOCUMENTED_URL, server.url)
            variables["ZIM_STORE"] = store_of(folder)
        for person, command, expected_output in typed_steps(text):
            own_variables = variables if not person else {**variables, **friend(person, folder, server.url)}
            output = run_shell_command(command, folder, own_variables)
            variables |= dict(EXPORT.findall(command))
            if not re.fullmatch(output_pattern(expected_output), output) or "this is a bug" in output:
                yield f"{person}$ {command}\n{output}"


def typed_steps(text: str) -> Iterator[tuple[str, str, str]]:
    """The person ("" on a page of one reader), the command and the output of each step."""
    for block in CONSOLE_BLOCK.findall(text):
        for person, step_text in zip(PERSON.findall(block), PERSON.split(block)[2::2], strict=True):
            ((command, expected_output),) = documented_steps(f"```console\n$ {step_text}```")
            yield person, command, expected_output


def reader(folder: Path) -> dict[str, str]:
    """The variables of the reader: one home folder, so one store."""
    return {"HOME": str(folder), "XDG_DATA_HOME": str(folder / ".local" / "share"), "XDG_CONFIG_HOME": str(folder)}


def friend(person: str, folder: Path, url: str) -> dict[str, str]:
    """The variables of somebody on a page of several people. Hanna has the server's store, the others its address."""
    home = folder / "people" / person
    home.mkdir(exist_ok=True, parents=True)
    homes = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"), str(home))
    return {**homes, "ZIM_BY": person, "ZIM_STORE": store_of(folder) if person == "hanna" else url}


def store_of(folder: Path) -> str:
    return f"sqlite:///{folder}/.local/share/zim/games.db"
