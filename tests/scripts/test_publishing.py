"""What is published: built twice it is the same; its licence, page, changelog and workflows agree with the files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterable
from email.parser import HeaderParser
from pathlib import Path

import pytest

from scripts.publishing.package_page import LINK, PICTURE, page_text
from scripts.publishing.release import ReleaseError, build, build_twice, changelog_section, check_tag, version_of
from tests.project_files import ROOT, project_files

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
README = (ROOT / "README.md").read_text("utf-8")
FORGE = "https://forge.example/ann/zim"
LICENCES_BY_PHRASE = {"MIT License": "MIT", "Bitstream Vera is a trademark": "Bitstream-Vera"}
"""The identifier of a licence, by words of its text."""
FOREIGN_SUFFIXES = {".ttf", ".otf", ".woff", ".woff2", ".mp3", ".ogg"}
"""Files that we did not make."""
FOREIGN_PHRASE = re.compile(r"copyright|@licen[sc]e|spdx-licen|licen[sc]ed under|all rights reserved", re.IGNORECASE)
"""What others write into a script, a style sheet or a table that they made."""
SYSTEMS_BY_CLASSIFIER = {"POSIX :: Linux": "ubuntu", "MacOS": "macos", "Microsoft :: Windows": "windows"}


@pytest.fixture(scope="module")
def metadata_text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The metadata of a wheel that is built for a forge."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"ZIM_REPOSITORY": FORGE}, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return archive.read(name).decode()


@pytest.mark.parametrize("repository", ["", FORGE])
def test_wheel_and_sdist_are_the_same_when_they_are_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repository: str
) -> None:
    monkeypatch.setenv("ZIM_REPOSITORY", repository)
    assert {Path(name).suffix for name in build_twice(ROOT, tmp_path)} == {".gz", ".whl"}


def test_a_build_that_differs_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def build_with_a_number(root: Path, folder: Path, *targets: str) -> dict[str, str]:
        digests = build(root, folder, "sdist")
        return dict.fromkeys(digests, str(folder))

    monkeypatch.setattr("scripts.publishing.release.build", build_with_a_number)
    with pytest.raises(ReleaseError, match=r"tar.gz differ"):
        build_twice(ROOT, tmp_path)


def test_the_licence_expression_names_the_licence_of_each_bundled_file() -> None:
    texts = {name: (ROOT / name).read_text("utf-8") for name in PROJECT["license-files"]}
    licences = {
        name: [licence for phrase, licence in LICENCES_BY_PHRASE.items() if phrase in text]
        for name, text in texts.items()
        if name != "NOTICE"
    }
    assert all(len(found) == 1 for found in licences.values()), licences
    assert PROJECT["license"] == " AND ".join(found[0] for found in licences.values())
    bundled_files = {Path(name) for name in project_files("event_store", "zimcli", "zimcore")}
    licensed_folders = {Path(name).parent for name in licences} - {Path()}
    foreign_files = {path for path in bundled_files if path.suffix in FOREIGN_SUFFIXES}
    assert foreign_files
    assert {path for path in foreign_files if path.parent not in licensed_folders} == set()
    assert {path for path in bundled_files if "LICENSE" in path.name} <= {Path(name) for name in licences}


def files_of_others(names: Iterable[str], root: Path = ROOT) -> list[str]:
    """The text files that say who made them."""
    return [name for name in sorted(names) if FOREIGN_PHRASE.search((root / name).read_text("utf-8", "replace"))]


def test_no_bundled_script_or_table_is_of_others(tmp_path: Path) -> None:
    assert files_of_others(project_files("event_store", "zimcli", "zimcore")) == ["zimcore/picture/fonts/LICENSE.txt"]
    (tmp_path / "chart.min.js").write_text("/*! chart 4.4 | (c) 2026 A. N. Other | Licensed under MIT */", "utf-8")
    assert files_of_others(["chart.min.js"], tmp_path) == ["chart.min.js"]


def test_the_notice_names_designers_publishers_and_what_is_not_ours() -> None:
    notice = " ".join((ROOT / "NOTICE").read_text("utf-8").split())
    for words in ("Jeroen Doumen", "Joris Wiersinga", "Splotter", "Michael Schacht", "ABACUS", "not affiliated"):
        assert words in notice
    assert "reconstruction" in notice
    assert "Bitstream Vera" in notice
    assert "[NOTICE](NOTICE)" in README


def test_the_page_of_the_package_has_only_links_that_work_there(metadata_text: str) -> None:
    headers, _, page = metadata_text.partition("\n\n")
    assert f"({FORGE}/blob/main/docs/tour.md)" in page
    assert f'src="{FORGE}/raw/main/docs/table.webp"' in page
    assert (LINK.findall(page), PICTURE.findall(page)) == ([], [])
    urls = HeaderParser().parsestr(headers).get_all("Project-URL", ())
    assert f"Source, {FORGE}" in urls
    assert LINK.findall(README), "the README has links of the repository"


def test_without_a_repository_the_page_has_no_links_into_it() -> None:
    page = page_text(README, "")
    assert (LINK.findall(page), PICTURE.findall(page)) == ([], [])
    assert "a tour" in page


def test_the_changelog_has_a_section_for_the_version() -> None:
    heading, text = changelog_section(ROOT, version_of(ROOT))
    assert heading.startswith(version_of(ROOT))
    assert "### Games" in text
    with pytest.raises(ReleaseError, match="no section 9"):
        changelog_section(ROOT, "9.9")


@pytest.mark.parametrize(
    ("tag", "heading", "problem"),
    [
        ("v0.2.0", "0.2.0, 2027-01-01", ""),
        ("v0.3.0", "0.2.0, 2027-01-01", "is not v0.2.0"),
        ("v0.2.0", "0.2.0, not released yet", "write the date"),
        ("v0.2.0", "0.1.0, 2026-01-01", "no section 0.2.0"),
    ],
)
def test_a_tag_is_that_of_a_released_version(tmp_path: Path, tag: str, heading: str, problem: str) -> None:
    (tmp_path / "zimcli").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "zimcli/__init__.py").write_text('__version__ = "0.2.0"\n')
    (tmp_path / "docs/changelog.md").write_text(f"# Changelog\n\n## {heading}\n\n- New.\n\n## 0.0.1\n\n- Old.\n")
    if problem:
        with pytest.raises(ReleaseError, match=problem):
            check_tag(tmp_path, tag)
    else:
        check_tag(tmp_path, tag)
        assert changelog_section(tmp_path, "0.2.0")[1] == "- New.\n"


def test_the_citation_has_the_version_and_the_licences() -> None:
    citation = (ROOT / ".github/CITATION.cff").read_text("utf-8")
    assert f"\nversion: {version_of(ROOT)}\n" in citation
    assert re.findall(r"^  - ([A-Z][\w-]+)$", citation, re.MULTILINE) == PROJECT["license"].split(" AND ")


def test_the_classifiers_name_the_systems_and_pythons_that_a_release_is_tried_on() -> None:
    workflow = (ROOT / ".github/workflows/checks.yml").read_text("utf-8")
    systems, pythons = (re.search(rf"{name}: \[(.+)\]", workflow)[1] for name in ("system", "python"))  # type: ignore[index]
    classifiers = PROJECT["classifiers"]
    named_systems = [each.split(" :: ", 1)[1] for each in classifiers if each.startswith("Operating System")]
    assert {f"{SYSTEMS_BY_CLASSIFIER[name]}-latest" for name in named_systems} == set(systems.split(", "))
    assert set(re.findall(r"Python :: (3\.\d+)", " ".join(classifiers))) == set(re.findall(r"3\.\d+", pythons))
    newest_minor = max(int(python.rpartition(".")[2]) for python in re.findall(r"3\.\d+", pythons))
    assert f" newest=3.{newest_minor} " in (ROOT / "scripts/bounds").read_text("utf-8")


def test_a_release_runs_the_checks_of_each_change_before_it_is_published() -> None:
    workflow = (ROOT / ".github/workflows/release.yml").read_text("utf-8")
    checks = (ROOT / ".github/workflows/checks.yml").read_text("utf-8")
    assert "uses: ./.github/workflows/checks.yml" in workflow
    assert "needs: [checks, build]" in workflow
    assert "bash .ci/run" in checks
    for script in re.findall(r"scripts/\S+", workflow + checks):
        assert (ROOT / script).is_file(), script
