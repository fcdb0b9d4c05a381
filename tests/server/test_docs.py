"""docs/api.md names what the endpoints have. tests/test_reading_order.py types its examples."""

from __future__ import annotations

import re

from tests.server.test_openapi import openapi_document
from tests.test_docs import ROOT
from zimcore.documents.endpoint import EVERYBODY
from zimcore.documents.endpoints import ENDPOINTS
from zimcore.server.endpoints import question_handlers
from zimcore.server.endpoints.routing import handlers_of
from zimcore.server.openapi import operation_of

DOCUMENTED_URL = "http://127.0.0.1:8321"


def test_the_page_explains_each_status_of_the_openapi() -> None:
    text = (ROOT / "docs" / "api.md").read_text("utf-8")
    rows = re.findall(r"^\|(\d{3}(?:, \d{3})*)\|", text, re.MULTILINE)
    explained_statuses = sorted(status for row in rows for status in row.split(", "))
    operations = [operation_of(openapi_document(), row) for row in ENDPOINTS]
    statuses = {status for operation in operations for status in operation["responses"]}
    assert explained_statuses == sorted(status for status in statuses if not status.startswith("2"))


def test_the_page_names_every_question() -> None:
    """A question is an endpoint of a line that everybody may ask, and that answers with a document."""
    text = (ROOT / "docs" / "api.md").read_text("utf-8")
    (names,) = re.findall(r"^Questions \(([^)]*)\) are endpoints of a line", text, re.MULTILINE)
    rows = [handler.row for handler in handlers_of(question_handlers) if "line" in handler.row.parameters]
    questions = [row for row in rows if row.roles == EVERYBODY and row.answer is not str]
    assert re.findall(r"`(\w+)`", names) == [row.name for row in questions]


def test_the_reference_lists_the_roles_of_each_endpoint() -> None:
    """That it says the same as the table is held by tests/cli/test_registry.py."""
    text = (ROOT / "docs" / "reference.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+) (/v1\S+)` \| (.+) \|$", text, re.MULTILINE)
    assert [(method, path) for method, path, _ in rows] == [(row.method, row.path) for row in ENDPOINTS]
    roles = {f"{method} {path}": role_names for method, path, role_names in rows}
    assert roles["POST /v1/games"] == "host"
    assert roles["POST /v1/tokens"] == "anyone, without a token"
    assert roles["DELETE /v1/games/{game}/lines/{line}"] == "seat (own line), bot (own line)"
