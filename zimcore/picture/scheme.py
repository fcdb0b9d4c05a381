"""Light and dark. Paper and what stands on it take the colours of the reader's scheme; a board keeps its own."""

from __future__ import annotations

from zimcore.toolkit.svg import tag

DARK = (
    ".paper{fill:#1c1814}.ink{fill:#efe6d3}.soft{fill:#cdb07c}.rule{stroke:#4d4130}.frame{stroke:#8b7044}"
    ".edge{stroke:#93866f}.teeth{fill:#7d5f30}.gold{fill:#e0b35f}"
)
"""The classes of what stands on paper, in the dark."""


def style() -> str:
    """For a picture by itself. What makes a PNG of it reads no media queries: that is always light."""
    return tag("style", f"@media (prefers-color-scheme:dark){{{DARK}}}")
