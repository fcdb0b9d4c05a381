"""What `zim doctor` found in the configuration of a store or of a server."""

from __future__ import annotations

from typing import Literal

from zimcore.documents.positions import Answer, Document

Level = Literal["problem", "remark", "unchecked"]
"""A `problem` matters, a `remark` is worth knowing, and what is `unchecked` could not be examined."""


class HealthFinding(Document, frozen=True):
    """A finding of a check: what was found, why it matters, and commands to type (`hints`)."""

    check: str
    level: Level
    what: str
    why: str
    hints: tuple[str, ...] = ()


class DoctorAnswer(Answer, frozen=True):
    """The findings about a store or a server (`about`, its URL without a password), and the names of all checks."""

    about: str
    checks: tuple[str, ...]
    findings: tuple[HealthFinding, ...]

    @property
    def problems(self) -> tuple[HealthFinding, ...]:
        """The findings that matter."""
        return tuple(finding for finding in self.findings if finding.level == "problem")
