"""Headers that every response has, whoever makes it: a handler, a page, a file, an error, or the protocol itself."""

from __future__ import annotations

from collections.abc import Iterable

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}
"""The headers; a page has its own policy."""
ENCODED_HEADERS = tuple((name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items())


def with_security_headers(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Headers of a response, and those of `SECURITY_HEADERS` that they lack.

    >>> [name for name, _ in with_security_headers([(b"Referrer-Policy", b"origin")])]
    [b'Referrer-Policy', b'x-content-type-options', b'content-security-policy']
    """
    own_headers = list(headers)
    own_names = {name.lower() for name, _ in own_headers}
    return [*own_headers, *(header for header in ENCODED_HEADERS if header[0] not in own_names)]
