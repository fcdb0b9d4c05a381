"""The pages of docs/: their length and links, and what their examples are. test_reading_order.py types these.

In expected output `...` stands for anything: digests and times differ each time, and a page need not show everything.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).parent.parent
PAGE_NAMES = sorted(path.name for path in (ROOT / "docs").glob("*.md"))
CONSOLE_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
PYTHON_FILE = re.compile(r"```python\n# (\w+\.py)\n(.*?)```", re.DOTALL)
EXPORT = re.compile(r"^export (\w+)=(\S+)$", re.MULTILINE)
"""A variable for all later commands of the page. A page has to export all that its commands need."""
PICTURE = re.compile(r'src(?:set)?="([^"]+)"')
LINK = re.compile(r"\]\((?!\w+:)([^)#]*)(?:#([^)]*))?\)")
"""A link inside the project: the file, "" for the same page, and the heading in it."""
MAX_USER_WORDS, MAX_WORDS = 15_400, 23_300
"""Words of the pages for users, and of these with the pages for people who change the code."""
DEVELOPER_PAGES = (
    *("architecture.md", "glossary.md", "contributing.md", "changelog.md", "releasing.md"),
    "decisions/*.md",
)
UNCOUNTED_PAGES = {"reference.md", "questions.md", "rules-coverage.md"}
"""Pages that scripts make, and one that lists each sentence of the rulebooks."""
FENCED_BLOCK = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def documented_steps(text: str) -> Iterator[tuple[str, str]]:
    """Each command of a text, and what it prints."""
    for block in CONSOLE_BLOCK.findall(text):
        for step in re.split(r"(?m)^\$ ", block)[1:]:
            first_line, *lines = step.splitlines(keepends=True)
            continuation = list(takewhile(lambda line: line.startswith("> "), lines))
            yield first_line + "".join(line[2:] for line in continuation), "".join(lines[len(continuation) :])


def run_shell_command(command: str, folder: Path, exports: Mapping[str, str] = MappingProxyType({})) -> str:
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "ZIM_BY": "anna",
        "XDG_DATA_HOME": str(folder / "data"),
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
        **exports,
    }
    script = f"exec 2>&1; {command}"
    process = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, input="", text=True, capture_output=True
    )
    return process.stdout


def output_pattern(expected_output: str) -> str:
    """What is printed, as a pattern: `...` on a line of its own is any number of lines, elsewhere any characters."""
    lines = ((line, re.escape(line).replace(r"\.\.\.", ".*")) for line in expected_output.splitlines())
    return "".join("(?:.*\n)*" if line == "..." else f"{text}\n" for line, text in lines)


def count_words(pages: Iterable[Path]) -> int:
    """Words of pages as `wc -w` counts them."""
    return sum(len(page.read_text("utf-8").split()) for page in pages)


def exceeded_limits(folder: Path) -> list[str]:
    """Which limits the pages of a folder exceed, by how many words."""
    counted_pages = {path for path in folder.rglob("*.md") if path.name not in UNCOUNTED_PAGES}
    limits = (
        (counted_pages - {path for name in DEVELOPER_PAGES for path in folder.glob(name)}, MAX_USER_WORDS),
        (counted_pages, MAX_WORDS),
    )
    return [
        f"{excess} words more than {limit:,}" for pages, limit in limits if (excess := count_words(pages) - limit) > 0
    ]


def test_the_pages_do_not_grow_back() -> None:
    """Replace something old, or link to the page that has it already."""
    assert count_words((ROOT / "docs").glob("*.md")) > MAX_USER_WORDS, "they are counted"
    assert exceeded_limits(ROOT / "docs") == []


def test_a_page_that_is_too_long_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "decisions").mkdir()
    (tmp_path / "reference.md").write_text("word " * 30_000)
    (tmp_path / "tour.md").write_text("word " * MAX_USER_WORDS)
    (tmp_path / "decisions" / "digests.md").write_text("word " * (MAX_WORDS - MAX_USER_WORDS))
    assert exceeded_limits(tmp_path) == []
    (tmp_path / "glossary.md").write_text("two words")
    assert exceeded_limits(tmp_path) == ["2 words more than 23,300"]
    (tmp_path / "new.md").write_text("one")
    assert exceeded_limits(tmp_path) == ["1 words more than 15,400", "3 words more than 23,300"]


def anchors(text: str) -> set[str]:
    """What links to the headings of a page end with, as GitHub and most renderers form it."""
    times_by_slug = Counter[str]()
    for heading in HEADING.findall(FENCED_BLOCK.sub("", text)):
        times_by_slug[re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")] += 1
    return {f"{slug}-{number}" if number else slug for slug, times in times_by_slug.items() for number in range(times)}


def broken_links(page: Path) -> list[str]:
    """The links and pictures of a page that lead to no file, or to no heading of a page."""
    text = FENCED_BLOCK.sub("", page.read_text("utf-8"))
    broken_targets = [picture for picture in PICTURE.findall(text) if not (page.parent / picture).exists()]
    for link, anchor in LINK.findall(text):
        target = page.parent / link if link else page
        if not target.exists() or (anchor and anchor not in anchors(target.read_text("utf-8"))):
            broken_targets.append(f"{link}#{anchor}" if anchor else link)
    return broken_targets


def test_links_lead_to_files_and_headings() -> None:
    faults = {page.stem: broken_links(page) for page in (ROOT / "docs").rglob("*.md")}
    assert {page: links for page, links in faults.items() if links} == {}


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# What if `zulu.vr` had won?\n\n```\n# no heading\n```\n## Twice\n## Twice\n")
    page = tmp_path / "page.md"
    page.write_text(
        "# Top\n[1](other.md#what-if-zuluvr-had-won) [2](other.md#twice-1) [3](#top) [4](https://zim.example/#no)\n"
        '[5](other.md#no-heading) [6](other.md#twice-2) [7](#bottom) [8](gone.md#top) [9](gone.md) <img src="no.svg">\n'
    )
    assert broken_links(page) == [
        "no.svg",
        "other.md#no-heading",
        "other.md#twice-2",
        "#bottom",
        "gone.md#top",
        "gone.md",
    ]
