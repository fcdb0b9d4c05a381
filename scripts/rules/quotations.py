"""Counts how much of the rulebooks this project quotes, in runs of five words.

    python scripts/rules/quotations.py                               # each share, and the files that quote most
    python scripts/rules/quotations.py --digests TITLE=BOOK.txt ...  # writes tests/data/rulebook_runs.json anew

The rulebooks are not in this repository, and can't be restored from what is: of each run of five words only a digest of
four bytes is kept, and the digests are sorted. Among the million runs of this project about two match by chance.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from tests.project_files import project_files

ROOT = Path(__file__).parents[2]
DIGESTS_FILE = ROOT / "tests" / "data" / "rulebook_runs.json"
RUN_WORDS = 5
DIGEST_BYTES = 4
SHOWN_FILES = 8
WORD = re.compile(r"[^\W_]+")


def run_digests(text: str) -> set[str]:
    """The digest of each run of five words, in hexadecimal. Case, marks and line ends make no difference.

    >>> run_digests("One two, three four FIVE") == run_digests("# one two three\\n# four five")
    True
    >>> len(run_digests("one two three four five six")), run_digests("one two three four")
    (2, set())
    """
    words = WORD.findall(text.lower())
    runs = {" ".join(words[start : start + RUN_WORDS]) for start in range(len(words) - RUN_WORDS + 1)}
    return {blake2b(run.encode(), digest_size=DIGEST_BYTES).hexdigest() for run in runs}


def read_books() -> dict[str, set[str]]:
    """The digests of each book, by its title."""
    stored: dict[str, str] = json.loads(DIGESTS_FILE.read_text("utf-8"))
    width = 2 * DIGEST_BYTES
    return {
        title: {digests[start : start + width] for start in range(0, len(digests), width)}
        for title, digests in stored.items()
    }


def quoted_runs(paths: Iterable[Path], books: Mapping[str, set[str]]) -> Iterator[tuple[str, Path, set[str]]]:
    """For each text file, and each book that it quotes: the title, the file, and the digests of the runs."""
    for path in paths:
        try:
            digests = run_digests(path.read_text("utf-8"))
        except UnicodeDecodeError:  # a picture or a font
            continue
        for title, book_digests in books.items():
            if quoted := digests & book_digests:
                yield title, path, quoted


def quoted_share(paths: Iterable[Path], books: Mapping[str, set[str]]) -> dict[str, float]:
    """The part of each book that the files quote together, from 0 to 1."""
    found: dict[str, set[str]] = {title: set() for title in books}
    for title, _, quoted in quoted_runs(paths, books):
        found[title] |= quoted
    return {title: len(found[title]) / len(digests) for title, digests in books.items()}


def main(words: Sequence[str]) -> int:
    """Prints the shares, or writes the digests."""
    if words[:1] == ["--digests"] and len(words) > 1:
        texts = {title: Path(path).read_text("utf-8") for title, _, path in (word.partition("=") for word in words[1:])}
        digests = {title: "".join(sorted(run_digests(text))) for title, text in texts.items()}
        DIGESTS_FILE.write_text(json.dumps(digests, indent=0) + "\n", "utf-8")
    elif words:
        print(f"usage: quotations.py [--digests TITLE=BOOK.txt ...], not {' '.join(words)}", file=sys.stderr)
        return 2
    books, paths = read_books(), [ROOT / name for name in sorted(project_files())]
    counts = [(len(quoted), title, path) for title, path, quoted in quoted_runs(paths, books)]
    for title, share in quoted_share(paths, books).items():
        print(f"{share:6.1%}  {title}, {len(books[title])} runs of {RUN_WORDS} words")
        of_title = sorted(((count, path) for count, each, path in counts if each == title), reverse=True)
        for count, path in of_title[:SHOWN_FILES]:
            print(f"{count:6}    {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
