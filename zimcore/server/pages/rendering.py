"""Renders pages: templates that escape all text, static files, and the security headers of a page."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from zimcore import features
from zimcore.picture import replay
from zimcore.picture.palette import DARK_CSS, owner_sign_path, owner_style
from zimcore.server.wire.replies import AnyRequest, Reply
from zimcore.toolkit.printable import printable, printable_all
from zimcore.toolkit.words import spaced

PAGES_FOLDER = Path(__file__).parent
FEATURES_FOLDER = Path(features.__file__).parent
REPLAY_FOLDER = Path(replay.__file__).parent
HTML_TYPE = "text/html"
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PAGE_HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "Referrer-Policy": "same-origin",  # with "no-referrer" a form would come without its origin
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Vary": "Cookie, Accept-Encoding, Zim-Part",
}
CACHED_FOREVER = "public, max-age=31536000, immutable"
STYLE_COMMENT = re.compile(rb"/\*.*?\*/\s*", re.DOTALL)
SCRIPT_COMMENT = re.compile(rb"^ *(?:/\*.*?\*/|//[^\n]*)\n", re.DOTALL | re.MULTILINE)
"""Comments on lines of their own: for people who read the file, not for browsers, which would load them each time."""
MEDIA_TYPE_BY_SUFFIX = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}


class StaticFile(msgspec.Struct, frozen=True):
    """A static file: its content, plain and gzipped."""

    content: bytes
    gzipped_content: bytes
    media_type: str


@cache
def static_files() -> Mapping[str, StaticFile]:
    """All styles, scripts and icons by name. Files that pages share with a replay are taken from the replay."""
    style = (REPLAY_FOLDER / "replay.css").read_text("utf-8").replace("{{dark}}", DARK_CSS)
    content_by_name = {
        path.name: path.read_bytes()
        for path in sorted((PAGES_FOLDER / "static").iterdir())
        if path.suffix in MEDIA_TYPE_BY_SUFFIX
    }
    content_by_name["page.css"] = STYLE_COMMENT.sub(b"", style.encode() + content_by_name["page.css"])
    content_by_name["drawing.js"] = (REPLAY_FOLDER / "drawing.js").read_bytes()
    content_by_name |= {
        name: SCRIPT_COMMENT.sub(b"", content) for name, content in content_by_name.items() if name.endswith(".js")
    }
    return {
        name: StaticFile(content, gzip.compress(content, 9, mtime=0), MEDIA_TYPE_BY_SUFFIX[Path(name).suffix])
        for name, content in content_by_name.items()
    }


@cache
def files_version() -> str:
    """A hash of all static files, part of their addresses: new content has a new address, so files can be cached."""
    return sha256(b"".join(name.encode() + file.content for name, file in static_files().items())).hexdigest()[:12]


@cache
def template_environment() -> Environment:
    """The Jinja environment with the templates."""
    environment = Environment(
        loader=FileSystemLoader((PAGES_FOLDER / "templates", FEATURES_FOLDER)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_make_printable,
        auto_reload=False,
    )
    environment.filters["name_of"] = lambda seat, people: people.get(seat) or spaced(seat).title()
    environment.filters["with_names"] = with_names
    environment.filters["named_value"] = named_value
    environment.filters["words"] = spaced
    environment.filters["with_code"] = with_code
    environment.filters["as_json"] = lambda value: msgspec.json.encode(value).decode()
    environment.globals.update(paper=_paper, emblem=_emblem, static=f"/static/{files_version()}")
    return environment


def _make_printable(value: Any) -> Any:
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def with_code(text: str) -> Markup:
    """A text in which what stands between backticks is code.

    >>> with_code("`end` ends a turn, <b>")
    Markup('<code>end</code> ends a turn, &lt;b&gt;')
    """
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(printable(text)))))  # noqa: S704 - it is escaped


def with_names(text: str, people: Mapping[str, str]) -> str:
    """A text with the names of players in the place of their seats; `people` has unique names.

    >>> with_names("kilwa pays 2 to zulu, b4-kilwa", {"kilwa": "Ann", "zulu": "Ben"})
    'Ann pays 2 to Ben, b4-kilwa'
    >>> with_names("round 2 · Zulu has won", {"zulu": "Ben"})
    'round 2 · Ben has won'
    >>> with_names("Zulu (Ben) has won", {"zulu": "Ben"})
    'Ben has won'
    """
    words = {word: name for seat, name in people.items() for word in (seat, spaced(seat), spaced(seat).title())}
    if not words:
        return text
    # A game that knows names of its own writes `Kilwa (Ann)`
    own_names = "|".join(re.escape(f" ({name})") for name in people.values())
    seats = rf"(?<![\w@-])({'|'.join(map(re.escape, words))})(?![\w@-])(?:{own_names})?"
    return re.sub(seats, lambda match: words[match[1]], text)


def named_value(expression: str, people: Mapping[str, str]) -> str:
    """What `why` was asked about, with the name of a player instead of a seat.

    >>> named_value("kilwa.vp", {"kilwa": "Ann"}), named_value("d4", {"kilwa": "Ann"})
    ('VP of Ann', 'd4')
    """
    seat, dot, figure = expression.partition(".")
    if not dot or seat not in people or not figure.replace("_", "").isalnum():
        return with_names(expression, people)
    return f"{figure.upper() if len(figure) == 2 else spaced(figure)} of {people[seat]}"


def _paper(colours: Mapping[str, str], seat: str) -> str:
    return owner_style(colours.get(seat, ""))[1]


def _emblem(colours: Mapping[str, str], seat: str) -> str:
    return owner_sign_path(colours.get(seat, ""))


def render_template(template: str, **values: Any) -> str:
    """Renders a template with these values."""
    return template_environment().get_template(template).render(values).strip()


def accepted_encodings(request: AnyRequest) -> str:
    """The encodings that a browser accepts, as it sent them."""
    return request.headers.get("accept-encoding", "")


def html_reply(request: AnyRequest | str, template: str, status: int = 200, **values: Any) -> Reply:
    """The reply with a page, or a part of one."""
    return compress_reply(request, render_template(template, **values).encode(), HTML_TYPE, status)


def json_reply(request: AnyRequest | str, document: msgspec.Struct) -> Reply:
    """The reply with a document for a script."""
    content = msgspec.json.encode(printable_all(msgspec.to_builtins(document, str_keys=True)))
    return compress_reply(request, content, "application/json")


def compress_reply(request: AnyRequest | str, content: bytes, media_type: str, status: int = 200) -> Reply:
    """The reply with content, gzipped if the browser accepts that and the content is over 500 bytes.

    A request can be given by its Accept-Encoding alone.
    """
    headers = PAGE_HEADERS
    if "gzip" in (request if isinstance(request, str) else accepted_encodings(request)) and len(content) > 500:
        content, headers = gzip.compress(content, 9, mtime=0), {**PAGE_HEADERS, "Content-Encoding": "gzip"}
    return Reply(content, status, headers=headers, media_type=media_type)
