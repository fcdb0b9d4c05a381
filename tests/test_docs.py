"""Every example in docs/ works as printed: the blocks of a page are one session, in a store of its own.

In what is printed `...` stands for anything: digests and times are never the same, and a page need not show it all.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from types import MappingProxyType

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted(path.name for path in (ROOT / "docs").glob("*.md"))
ELSEWHERE = {"new-game.md", "api.md", "playing-together.md"}
"""Their examples need more: see tests/toolkit/test_new_game.py; in tests/server test_docs.py and test_together.py."""
NEEDS = {"scripting.md": ("jq",)}
"""Programs that a page calls besides zim."""
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
FILE = re.compile(r"```python\n# (\w+\.py)\n(.*?)```", re.DOTALL)
EXPORT = re.compile(r"^export (\w+)=(\S+)$", re.MULTILINE)
"""What holds for all commands after it, as it does for a reader: whatever a page needs it has to say itself."""
PICTURE = re.compile(r'src(?:set)?="([^"]+)"')
LINK = re.compile(r"\]\((?!\w+:)([^)#]+)")


def steps(text: str) -> Iterator[tuple[str, str]]:
    """Each command of a text, and what it prints."""
    for block in BLOCK.findall(text):
        for step in re.split(r"(?m)^\$ ", block)[1:]:
            first, *lines = step.splitlines(keepends=True)
            more = list(takewhile(lambda line: line.startswith("> "), lines))
            yield first + "".join(line[2:] for line in more), "".join(lines[len(more) :])


def run(command: str, folder: Path, exported: Mapping[str, str] = MappingProxyType({})) -> str:
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "ZIM_BY": "anna",
        "XDG_DATA_HOME": str(folder / "data"),
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
        **exported,
    }
    script = f"exec 2>&1; {command}"
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, input="", text=True, capture_output=True)
    return done.stdout


def pattern(printed: str) -> str:
    """What is printed, as a pattern: `...` on a line of its own is any number of lines, elsewhere any characters."""
    lines = ((line, re.escape(line).replace(r"\.\.\.", ".*")) for line in printed.splitlines())
    return "".join("(?:.*\n)*" if line == "..." else f"{found}\n" for line, found in lines)


@pytest.mark.parametrize("page", sorted({*PAGES} - ELSEWHERE))
def test_what_a_page_says_is_so(page: str, tmp_path: Path, program: Callable[..., str]) -> None:
    for needed in NEEDS.get(page, ()):
        program(needed)
    (tmp_path / "zimcore").symlink_to(ROOT / "zimcore")
    (tmp_path / "bot.sh").symlink_to(ROOT / "docs" / "bot.sh")
    text = (ROOT / "docs" / page).read_text("utf-8")
    for name, content in FILE.findall(text):
        (tmp_path / name).write_text(content, "utf-8")
    exported = dict[str, str]()
    for command, printed in steps(text):
        told = run(command, tmp_path, exported)
        exported |= dict(EXPORT.findall(command))
        assert re.fullmatch(pattern(printed), told), f"$ {command}\n{told}"
        assert "this is a bug" not in told


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    links = (*LINK.findall(text), *PICTURE.findall(text))
    assert [link for link in links if not (page.parent / link).exists()] == []
