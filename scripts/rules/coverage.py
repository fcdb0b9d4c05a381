"""Lists the rules for each sentence of a rulebook, or why it needs none: prints docs/rules-coverage.md.

    python scripts/rules/coverage.py GREAT-ZIMBABWE.txt AFRICANA.txt SUMMARY.txt REFRESHER.txt > docs/rules-coverage.md

The rulebooks are not in this repository: give them as text files. `coverage.toml` lists the sentences of each rule as
digests. Other sentences get the reason in its first matching line, or that of the block of sentences that they are in
(`blocks` there). Exit code 1 means that some sentences have neither, and lists them. Only
the first words of a sentence are printed.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from zimcore.games.registry import game

REASONS_FILE = Path(__file__).with_name("coverage.toml")
GAME_NAMES = ("zimbabwe", "africana")
TEXT_NAMES = (*GAME_NAMES, "summary", "refresher")
OPENING_WORDS = 4
"""How many words name a sentence: too few to quote it."""
HEADING_REASON = "a heading, a label or a number of a page"
SENTENCE_END = re.compile(r"(?<=[.!?:])[”’\"')]*\s+(?=[A-Z0-9“\"'(])")


class Sentence(NamedTuple):
    """A sentence, and the codes of its rules, or why it needs none."""

    text: str
    codes: tuple[str, ...]
    why: str = ""

    @property
    def opening(self) -> str:
        """Its first words."""
        words = self.text.split()
        return " ".join(words[:OPENING_WORDS]) + (" …" if len(words) > OPENING_WORDS else "")


def sentence_digest(sentence: str) -> str:
    """The digest by which `coverage.toml` names a sentence."""
    return blake2b(sentence.encode(), digest_size=3).hexdigest()


def plain_text(text: str) -> str:
    """A text without emphasis marks, and with single blanks."""
    return re.sub(r"\s+", " ", re.sub(r"[*✦⇒➡✎#]", "", text)).strip()


def paragraphs(text: str, settings: Mapping[str, str]) -> Iterator[str]:
    """The paragraphs of a rulebook between its first and its last line, as its settings name them."""
    first_line, last_line = settings.get("begins", ""), settings.get("ends", "\0")
    has_begun = not first_line
    for line in text.splitlines():
        has_begun = has_begun or line.strip().startswith(first_line)
        if has_begun and line.strip().startswith(last_line):
            return
        if has_begun and (paragraph := plain_text(line).removeprefix("- ").strip()):
            yield paragraph


def sentences(text: str, settings: Mapping[str, object]) -> Iterator[Sentence]:
    """Every sentence of a rulebook, in order. `settings` is its table of `coverage.toml`."""
    rules: Mapping[str, str] = settings["rules"]  # type: ignore[assignment]  # as the file has it
    paragraph_texts = paragraphs(text, {key: str(settings[key]) for key in ("begins", "ends") if key in settings})
    reasons: Mapping[str, str] = settings.get("reasons", {})  # type: ignore[assignment]
    blocks: Mapping[str, str] = settings.get("blocks", {})  # type: ignore[assignment]
    block_reason = ""
    for paragraph in paragraph_texts:
        for sentence in filter(None, SENTENCE_END.split(paragraph)):
            digest = sentence_digest(sentence)
            codes = tuple(code for code, digests in rules.items() if digest in digests.split())
            block_reason = next(
                (reason for beginning, reason in blocks.items() if sentence.startswith(beginning)), block_reason
            )
            reason = next((reason for pattern, reason in reasons.items() if re.match(pattern, sentence)), block_reason)
            reason = reason or (HEADING_REASON if re.fullmatch(str(settings["headings"]), sentence) else "")
            reason = "" if codes else reason
            yield Sentence(sentence, codes, reason)


def page_lines(
    texts: Mapping[str, str], settings_by_game: Mapping[str, Mapping[str, object]]
) -> tuple[list[str], list[str]]:
    """The lines of the document, and the sentences with neither a rule nor a reason."""
    lines = ["# Every sentence of the rulebooks, and its rule", "", *INTRODUCTION, ""]
    unexplained_sentences = list[str]()
    for name, text in texts.items():
        page_sentences = list(sentences(text, settings_by_game[name]))
        digest = blake2b("\n".join(sentence.text for sentence in page_sentences).encode(), digest_size=8).hexdigest()
        lines += [f"## {game(name).title}", "", f"{len(page_sentences)} sentences, digest `{digest}`.", ""]
        lines += ["| | sentence | rule, or why it needs none |", "|---:|---|---|"]
        for number, sentence in enumerate(page_sentences, 1):
            explanation = ", ".join(sentence.codes) or sentence.why
            lines.append(f"| {number} | {sentence.opening.replace('|', '/')} | {explanation} |")
            if not explanation:
                unexplained_sentences.append(f"{name} {number}: {sentence.text}")
        lines.append("")
    return lines[:-1], unexplained_sentences


INTRODUCTION = (
    "For people who check the rules against the books. Each sentence is named by its first words, because the books",
    "are not in this repository. Beside it are the codes of the rules that state it (`zim rules CODE` shows one), or",
    "why it needs none. `AMB` codes are our readings of ambiguous sentences. Africana's rulebook is listed in English.",
    "[Other texts](#other-texts) has the sentences of its Dutch part, of a refresher and of a summary on which a rule",
    "or another reading of one rests. `scripts/rules/coverage.py` makes this page from the books.",
)


def other_lines(texts: Mapping[str, str], settings_by_title: Mapping[str, Mapping[str, object]]) -> Iterator[str]:
    """The sentences of other texts on which rules or other readings of them rest."""
    yield from ("", "## Other texts", "", "| text | sentence | rule |", "|---|---|---|")
    for title, settings in settings_by_title.items():
        for sentence in sentences(texts[str(settings["file"])], {"headings": "", **settings}):
            if sentence.codes:
                yield f"| {title} | {sentence.opening.replace('|', '/')} | {', '.join(sentence.codes)} |"


def main(paths: Sequence[str]) -> int:
    """Prints the document."""
    if len(paths) != len(TEXT_NAMES):
        print(f"usage: coverage.py {' '.join(name.upper() for name in TEXT_NAMES)}", file=sys.stderr)
        return 2
    try:
        texts = {name: Path(path).read_text("utf-8") for name, path in zip(TEXT_NAMES, paths, strict=True)}
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    settings = tomllib.loads(REASONS_FILE.read_text("utf-8"))
    lines, unexplained_sentences = page_lines({name: texts[name] for name in GAME_NAMES}, settings)
    print("\n".join((*lines, *other_lines(texts, settings["other"]))))
    for sentence in unexplained_sentences:
        print(f"neither a rule nor a reason: {sentence}", file=sys.stderr)
    return 1 if unexplained_sentences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
