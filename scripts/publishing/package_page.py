"""Makes the page of the package for an index: the README with links that work there, and the addresses of the project.

Hatchling runs it (`tool.hatch.metadata.hooks.custom` in pyproject.toml). Where the repository is, only its forge knows:
the workflow of a release gives it as ZIM_REPOSITORY (https://forge.example/zim). Without it the page has no links that
lead into the repository. A wheel that is built from an sdist takes the address from there.
"""

from __future__ import annotations

import os
import re
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:)([^)]+)\)")
PICTURE = re.compile(r'<img src="(?!https?:)([^"]+)"[^>]*>\n*')
VARIABLE = "ZIM_REPOSITORY"


def page_text(readme: str, repository: str) -> str:
    """The README with absolute links; without a repository, with the words of the links only, and no pictures.

    >>> page_text("[a tour](docs/tour.md)", "https://forge.example/zim")
    '[a tour](https://forge.example/zim/blob/main/docs/tour.md)'
    >>> page_text('<img src="docs/a.webp" alt="a">\\n[a tour](docs/tour.md), [here](https://zim.example)', "")
    'a tour, [here](https://zim.example)'
    """
    if not repository:
        return LINK.sub(r"\1", PICTURE.sub("", readme))
    with_pictures = PICTURE.sub(
        lambda match: match[0].replace(f'"{match[1]}"', f'"{repository}/raw/main/{match[1]}"'), readme
    )
    return LINK.sub(rf"[\1]({repository}/blob/main/\2)", with_pictures)


def repository_of(root: Path) -> str:
    """The address of the repository, from the environment or an sdist; "" if neither has it."""
    package_info = root / "PKG-INFO"
    headers = HeaderParser().parsestr(package_info.read_text("utf-8") if package_info.exists() else "")
    noted_urls = dict(line.partition(", ")[::2] for line in headers.get_all("Project-URL", ()))
    return (os.environ.get(VARIABLE) or noted_urls.get("Source", "")).rstrip("/")


class PackagePage(MetadataHookInterface):
    """Fills in `readme` and `urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Changes the metadata of the project."""
        root = Path(self.root)
        repository = repository_of(root)
        text = page_text((root / "README.md").read_text("utf-8"), repository)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        if repository:
            metadata["urls"] = {
                "Source": repository,
                "Documentation": f"{repository}/tree/main/docs",
                "Changelog": f"{repository}/blob/main/docs/changelog.md",
                "Issues": f"{repository}/issues",
            }
