"""Features: what people do around a game, a folder each, with files of fixed names.

| file | brings | who looks for it |
|---|---|---|
| `documents` | the shapes of answers and requests; `ENDPOINTS`; `MESSAGES` of feeds | `zimcore.documents` |
| `events` | `SHARE`: its events, and what they add up to in a discussion | `zimcore.service.records.discussion` |
| `actions` | a function for each endpoint; `notice_texts` for players who are away | commands, `server`, notices |
| `server` | a handler for each endpoint; `FEED`; `PANELS` and `FORMS` of the page of a game | `zimcore.server` |
| `log` | `operations`: rows of `log --ops` | `zimcore.service.writing.operations` |

What a feature adds to the terminal is `zimcli/features/<name>.py`: `RENDERERS` of its answers, a function for each
command, and `news` for the prompt and the table.

In other words: plugins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType

FEATURES: Mapping[str, Sequence[str]] = {
    "votes": ("documents", "events", "actions", "server"),
    "departures": ("documents", "events", "actions", "server", "log"),
    "takebacks": ("documents", "events", "actions", "server", "log"),
}
"""The files of each feature, in the order in which pages and lists show features."""


@cache
def modules(file: str) -> Sequence[ModuleType]:
    """The modules of this name, of all features that have one."""
    return [import_module(f"{__name__}.{feature}.{file}") for feature, files in FEATURES.items() if file in files]
