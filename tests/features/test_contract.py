"""What every feature brings, and how few lines outside of its folder name it.

The first is what the type checker saw while features were cases of one `match`, as the hooks of features are untyped.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

from event_store.codec import tag_of
from zimcore import features
from zimcore.documents.positions import Answer
from zimcore.features import FEATURES
from zimcore.server.endpoints.routing import handlers_of

ROOT = Path(__file__).parents[2]
FOLDER = Path(features.__file__).parent


def faults_of(feature: str) -> list[str]:
    """What a feature lacks."""
    module = {file: import_module(f"zimcore.features.{feature}.{file}") for file in FEATURES[feature]}
    terminal_module = import_module(f"zimcli.features.{feature}")
    files = {path.stem for path in (FOLDER / feature).glob("*.py")} - {"__init__"}
    faults = [f"{file}.py is not in FEATURES" for file in sorted(files - module.keys())]
    stored_tags = json.loads((Path(__file__).parent / feature / "golden.json").read_text())
    faults += [
        f"no stored bytes of {tag_of(each)}"
        for each in module["events"].SHARE.event_types
        if tag_of(each) not in stored_tags
    ]
    served_rows = [handler.row for handler in handlers_of(module["server"])]
    faults += [
        f"{row.name} is served {served_rows.count(row)} times"
        for row in module["documents"].ENDPOINTS
        if served_rows.count(row) != 1
    ]
    kinds = [each for each in vars(module["documents"]).values() if isinstance(each, type)]
    answers = {each for each in kinds if issubclass(each, Answer)} - {Answer}
    return faults + [f"{answer.__name__} has no text" for answer in answers - {*terminal_module.RENDERERS}]


@pytest.mark.parametrize("feature", FEATURES)
def test_a_feature_is_whole(feature: str) -> None:
    assert faults_of(feature) == []


def test_what_a_feature_lacks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zimcore.features.votes.server.vote", None)
    monkeypatch.setattr("zimcli.features.votes.RENDERERS", {})
    assert faults_of("votes") == ["vote is served 0 times", "VotesAnswer has no text"]


def test_each_folder_is_a_feature() -> None:
    assert {path.parent.name for path in FOLDER.glob("*/__init__.py")} == {*FEATURES}


def test_the_table_of_hooks_is_complete() -> None:
    table = re.findall(r"^\| `(\w+)` \|(.*)\|.*\|$", features.__doc__ or "", re.MULTILINE)
    hooks = {hook for _, brings in table for hook in re.findall(r"`([A-Za-z_]+)`", brings)}
    product = "".join(path.read_text("utf-8") for room in ("zimcore", "zimcli") for path in (ROOT / room).rglob("*.py"))
    assert {file for file, _ in table} == {file for files in FEATURES.values() for file in files}
    used_names = {*re.findall(r"\b(?:module|each)\.([A-Za-z_]+)\b", product)}
    assert hooks - used_names == set()
    assert {name for name in used_names if name.isupper()} - hooks == set()


class Seam(NamedTuple):
    """The words that name a feature, and the most lines of the product outside of its folder that may have one."""

    words: str
    most_lines: int


SEAMS = {
    "votes": Seam(r"(?i:\bvotes?\b|vote_|VoteCast|VotesAnswer|VoteWhat|NewVote|LateSeat|VoteMessage)|\.late\b", 5),
    # `takebacks` alone is the term of a game, which undo, new games and exports follow, too.
    "takebacks": Seam(
        r"(?i:\btakeback\b)|TakebackRequest|TakebackNumber|features?[=.]\W?takebacks|\"takebacks\": \("
        r"|Request(Info|Reply|Message|Status|Granted|Answered|Withdrawn)|RequestsAnswer|NewRequest\b|request_lines"
        r"|\basked_for\b",
        20,
    ),
}


def seam_for(feature: str) -> Seam:
    """The seam of a feature: by default ten lines with its name."""
    return SEAMS.get(feature) or Seam(rf"\b{feature}\b", 10)


def code_lines(source: str) -> set[int]:
    """The numbers of the lines of a module that are neither a comment nor part of a docstring."""
    lines = set[int]()
    skipped = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in skipped:
            lines |= {*range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                lines -= {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    return lines


def seam_of(feature: str, sources: Mapping[str, str]) -> Iterator[str]:
    """The lines of files that name a feature and do not belong to it."""
    own_files, words = re.compile(rf"/features/{feature}\b"), seam_for(feature).words
    for path, source in sources.items():
        if own_files.search(path) or not re.search(words, source):
            continue
        code = code_lines(source) if path.endswith(".py") else None
        for number, line in enumerate(source.split("\n"), 1):
            if re.search(words, line) and (code is None or number in code):
                yield f"{path}:{number}: {line.strip()}"


def product_sources() -> Mapping[str, str]:
    """The code, templates and scripts of the product, by path."""
    paths = [path for room in ("event_store", "zimcore", "zimcli") for path in (ROOT / room).rglob("*.*")]
    return {
        str(path.relative_to(ROOT)): path.read_text("utf-8") for path in paths if path.suffix in {".py", ".html", ".js"}
    }


def test_few_lines_outside_of_its_folder_name_a_feature() -> None:
    sources = product_sources()
    seams = {feature: [*seam_of(feature, sources)] for feature in FEATURES}
    assert {feature: lines for feature, lines in seams.items() if len(lines) > seam_for(feature).most_lines} == {}


def test_a_line_that_names_a_feature_is_counted() -> None:
    source = '"""About votes."""\n\n# a vote\nfor vote in discussion.votes:\n    count += 1\n'
    sources = {"zimcore/server/news/feeds.py": source, "zimcore/features/votes/events.py": source}
    assert [*seam_of("votes", sources)] == ["zimcore/server/news/feeds.py:4: for vote in discussion.votes:"]
