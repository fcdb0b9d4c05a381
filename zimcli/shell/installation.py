"""How this Zim was installed (with pip, uv, pipx or in a checkout), and what to type there to install more of it."""

from __future__ import annotations

import re
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from shlex import join, quote

import msgspec

from event_store.extras import PROJECT, absent_distributions, requirements_of

EXTRA_HINT = re.compile(rf"pip install '{PROJECT}\[(\w+)\]'")
UPGRADE_HINT = re.compile(rf"pip install --upgrade '?{PROJECT}\b.*")


def install_hint(hint: str) -> str:
    """`pip install ...` as it is typed where Zim was installed as it was here. Other hints stay the same."""
    if not hint.startswith("pip "):
        return hint
    folder = Path(sys.prefix)
    is_uv_tool, is_pipx = (folder / "uv-receipt.toml").exists(), (folder / "pipx_metadata.json").exists()
    extra = EXTRA_HINT.fullmatch(hint)
    if extra and is_uv_tool:
        return f"uv tool install {quote(source_with_extra(extra[1]))}"
    if extra and is_pipx:
        return join(["pipx", "inject", folder.name, *requirements_of(extra[1])])
    if UPGRADE_HINT.fullmatch(hint):
        if (checkout := checkout_folder()) and (checkout / ".git").exists():  # an unpacked sdist has none
            return f"git -C {quote(str(checkout))} pull"
        if is_uv_tool or is_pipx:
            return f"uv tool upgrade {PROJECT}" if is_uv_tool else f"pipx upgrade {folder.name}"
    return with_this_python(hint)


def with_this_python(hint: str) -> str:
    """`pip ...` for the Python that runs zim. Environments made by uv have no pip."""
    python_path = quote(sys.executable)
    if find_spec("pip"):
        return f"{python_path} -m {hint}"
    _, command, words = hint.split(" ", 2) if hint.count(" ") > 1 else (*hint.split(" "), "")
    return f"uv pip {command} --python {python_path} {words}".rstrip()


def source_with_extra(extra: str) -> str:
    """What uv installs anew as a tool: Zim with this extra and those it has, from where it came from.

    Uv forgets the extras of an earlier `uv tool install`, so all are named.
    """
    from importlib import metadata

    known_extras = metadata.metadata(PROJECT).get_all("Provides-Extra") or []
    present_extras = {name for name in known_extras if requirements_of(name) and not absent_distributions(name)}
    name = f"{PROJECT}[{','.join(sorted({extra, *present_extras}))}]"
    url = str(origin().get("url", ""))
    return f"{name} @ {url}" if url else name


def checkout_folder() -> Path | None:
    """The folder of the checkout that Zim runs from; None if it was installed as a copy."""
    from urllib.parse import urlsplit
    from urllib.request import url2pathname  # takes 0.03 s

    document = origin()
    is_editable = isinstance(folder := document.get("dir_info"), dict) and folder.get("editable")
    return Path(url2pathname(urlsplit(str(document["url"])).path)) if is_editable else None


@cache
def origin() -> dict[str, object]:
    """Where Zim was installed from, as installers note it (direct_url.json); {} if from a registry, or if unknown."""
    from importlib import metadata

    try:
        text = metadata.distribution(PROJECT).read_text("direct_url.json")
    except metadata.PackageNotFoundError:  # a clone that is not installed
        text = None
    return msgspec.json.decode(text or "{}", type=dict[str, object])
