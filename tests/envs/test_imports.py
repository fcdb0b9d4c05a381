"""Optional libraries are not loaded before they are needed."""

import subprocess
import sys

import pytest

HEAVY_LIBRARIES = {"gymnasium", "numpy", "openskill", "pettingzoo", "pyspiel", "ray"}
PRINT_LOADED = "import sys; print(*{name.partition('.')[0] for name in sys.modules})"


def packages_loaded_by(program: str) -> set[str]:
    process = subprocess.run(
        [sys.executable, "-c", f"{program}; {PRINT_LOADED}"], capture_output=True, text=True, check=True
    )
    return set(process.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    "program",
    [
        "import zimcli.main, zimcli.shell.registry",
        "import zimcli.commands.arena, zimcli.commands.play, zimcore.bots.arena",
        "from zimcore.games.registry import game; [(game(kind).encoding, game(kind).strategy) for kind in "
        "('zimbabwe', 'africana')]",
        "import zimcore.envs",
    ],
)
def test_the_terminal_loads_no_heavy_library(program: str) -> None:
    assert packages_loaded_by(program) & HEAVY_LIBRARIES == set()


def test_a_loaded_library_is_noticed() -> None:
    assert {"numpy", "gymnasium"} <= packages_loaded_by("import zimcore.envs.aec")
