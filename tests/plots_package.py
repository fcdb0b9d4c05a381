"""Installs `tests/plots.py` as the package of another author: a game without a line in the platform."""

from __future__ import annotations

from pathlib import Path


def install_plots(folder: Path) -> Path:
    """Writes the package into a folder; returns the directory for `PYTHONPATH`."""
    info_folder = folder / "site/plots-1.0.dist-info"
    info_folder.mkdir(parents=True)
    (folder / "site/plots.py").write_text(Path(__file__).with_name("plots.py").read_text("utf-8"))
    (info_folder / "METADATA").write_text("Metadata-Version: 2.1\nName: plots\nVersion: 1.0\n")
    (info_folder / "entry_points.txt").write_text("[zim.games]\nplots = plots:GAME\n")
    return folder / "site"
