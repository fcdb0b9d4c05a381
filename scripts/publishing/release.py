"""Builds the wheel and the sdist that are published, and checks that they can be built again, byte by byte.

    scripts/release DIST                   builds into a new folder
    scripts/release DIST --tag v0.2.0      also checks that this tag has the version, and the changelog a section for it
    scripts/release DIST --notes FILE      also writes that section: the text of the release

The second wheel is built from the sdist, in another folder. Nothing is published: a workflow of the forge does that.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
UNRELEASED = "not released yet"


class ReleaseError(Exception):
    """Why this can't be released."""


def build(root: Path, folder: Path, *targets: str) -> dict[str, str]:
    """Builds into a folder; returns the digest of each file, by its name."""
    target_words = [word for target in targets for word in ("--target", target)]
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder.absolute()), *target_words]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def build_twice(root: Path, folder: Path) -> dict[str, str]:
    """Builds the sdist and the wheel, and both again from the unpacked sdist. Raises `ReleaseError` if they differ."""
    digests = build(root, folder, "sdist", "wheel")
    with tempfile.TemporaryDirectory() as second_folder:
        (sdist,) = folder.glob("*.tar.gz")
        # By tar: Python's own unpacking is safe without a warning from 3.11.4 on, and Debian has 3.11.2.
        subprocess.run(["tar", "-xzf", sdist, "-C", second_folder], check=True)
        (unpacked,) = Path(second_folder).iterdir()
        second_digests = build(unpacked, Path(second_folder, "dist"), "sdist", "wheel")
    if different := [name for name in digests if second_digests.get(name) != digests[name]]:
        raise ReleaseError(f"built again from the sdist, {' and '.join(different)} differ")
    return digests


def version_of(root: Path) -> str:
    """The version of the project, from its one place."""
    match = re.search(r'^__version__ = "(.+)"$', (root / "zimcli" / "__init__.py").read_text("utf-8"), re.MULTILINE)
    assert match, "zimcli/__init__.py has the version"
    return match[1]


def changelog_section(root: Path, version: str) -> tuple[str, str]:
    """The heading and the text of a version in the changelog. Raises `ReleaseError` if there is none."""
    text = (root / "docs" / "changelog.md").read_text("utf-8")
    match = re.search(rf"^## ({re.escape(version)}\b.*)\n((?:.*\n)*?)(?=^## |\Z)", text, re.MULTILINE)
    if not match or not match[2].strip():
        raise ReleaseError(f"docs/changelog.md has no section {version}")
    return match[1], match[2].strip() + "\n"


def check_tag(root: Path, tag: str) -> None:
    """Raises `ReleaseError` unless a tag is that of this version, and the changelog calls it released."""
    version = version_of(root)
    if tag != f"v{version}":
        raise ReleaseError(f"the tag {tag} is not v{version}, the version in zimcli/__init__.py")
    heading, _ = changelog_section(root, version)
    if UNRELEASED in heading:
        raise ReleaseError(f"docs/changelog.md calls {version} {UNRELEASED}: write the date there")


def main(words: Sequence[str]) -> int:
    """Builds, and prints the digests."""
    parser = argparse.ArgumentParser(prog="scripts/release", description="Build what is published.")
    parser.add_argument("folder", type=Path, metavar="DIST", help="a new folder")
    parser.add_argument("--tag", help="the tag of the release")
    parser.add_argument("--notes", type=Path, metavar="FILE", help="write the changelog's section there")
    arguments = parser.parse_args(words)
    try:
        if arguments.folder.exists():
            raise ReleaseError(f"{arguments.folder} exists: name a new folder")
        if arguments.tag:
            check_tag(ROOT, arguments.tag)
        _, notes = changelog_section(ROOT, version_of(ROOT))
        for name, digest in build_twice(ROOT, arguments.folder).items():
            print(f"{digest}  {name}")
        if arguments.notes:
            arguments.notes.write_text(notes, "utf-8")
    except ReleaseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
