"""Which room may import which, and which folder of a room, read from the import statements.

A file belongs to the room with the longest name that holds it, and may import its own room, what the room's row
names, the standard library, and nothing else. Inside a room no imports lead in a circle. An import in a function or
under `TYPE_CHECKING` counts like any other. The scripts of a page import each other without a circle, too.
"""

import ast
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from zimcore.features import FEATURES

ROOT = Path(__file__).parent.parent

# What a game may import: the contract, what any game may use, and no other game.
GAME_IMPORTS = {"zimcore.game", "zimcore.toolkit", "msgspec"}

FEATURE_CORE = {"event_store", "zimcore.commits", "zimcore.documents", "zimcore.game", "msgspec"}
# What each file of a feature may import, besides the files of the same feature that come before it here.
FEATURE_FILES = {
    "documents": {"zimcore.documents", "zimcore.game", "msgspec"},
    "events": FEATURE_CORE | {"zimcore.service"},
    "actions": FEATURE_CORE | {"zimcore.service"},
    "server": FEATURE_CORE | {"zimcore.service", "zimcore.server"},
    "log": FEATURE_CORE | {"zimcore.service"},
}


def feature_rooms() -> dict[str, set[str]]:
    """A room for each file of each feature; none may import another feature."""
    files = [*FEATURE_FILES]
    return {
        f"zimcore.features.{feature}.{file}": {
            *FEATURE_FILES[file],
            *(f"zimcore.features.{feature}.{earlier}" for earlier in files[: files.index(file)]),
        }
        for feature, own_files in FEATURES.items()
        for file in own_files
    }


# What each room may import. A name stands for the module and all that is inside it.
ALLOWED_IMPORTS: dict[str, set[str]] = {
    "event_store": {"eventsourcing", "msgspec"},
    "event_store.backends.postgres": {"event_store", "eventsourcing", "psycopg", "psycopg_pool"},
    "event_store.backends.postgres_health": {"event_store", "psycopg", "msgspec"},
    "event_store.backends.signals": {"event_store", "psycopg"},
    "zimcore.game": {"msgspec"},
    "zimcore.commits": {"zimcore.game", "msgspec"},
    "zimcore.candidates": {"zimcore.commits", "zimcore.game"},
    "zimcore.chances": {"zimcore.game", "msgspec", "numpy"},
    "zimcore.rule_texts": {"zimcore.game", "msgspec"},
    "zimcore.reasons": {"zimcore.chances", "zimcore.game"},
    "zimcore.toolkit": {"zimcore.game", "msgspec"},
    "zimcore.toolkit.ratings": {"openskill"},
    "zimcore.games.registry": {"zimcore.game"},
    "zimcore.games.zimbabwe": GAME_IMPORTS,
    "zimcore.games.africana": GAME_IMPORTS,
    "zimcore.documents": {"zimcore.commits", "zimcore.features", "zimcore.game", "msgspec"},
    "zimcore.documents.frames": {
        *("zimcore.commits", "zimcore.documents", "zimcore.toolkit.words", "msgspec", "pyarrow"),
    },
    "zimcore.features": set(),
    **feature_rooms(),
    "zimcore.history": {"zimcore.commits", "zimcore.documents", "zimcore.game", "zimcore.rule_texts", "msgspec"},
    "zimcore.bots": {
        *("zimcore.chances", "zimcore.game", "zimcore.toolkit.learned", "zimcore.toolkit.monte_carlo", "msgspec"),
        *("zimcore.toolkit.progress", "zimcore.toolkit.words"),
    },
    "zimcore.bots.cluster": {"event_store.extras", "zimcore.bots", "zimcore.game", "ray"},
    "zimcore.bots.ratings": {"zimcore.bots", "zimcore.toolkit.ratings"},
    "zimcore.analysis": {
        *("zimcore.bots", "zimcore.chances", "zimcore.commits", "zimcore.documents", "zimcore.game", "zimcore.history"),
        *("zimcore.reasons", "zimcore.service", "zimcore.toolkit.monte_carlo", "msgspec"),
        *("zimcore.toolkit.progress", "zimcore.toolkit.words"),
    },
    "zimcore.transcripts": {
        *(
            "zimcore.bots",
            "zimcore.documents",
            "zimcore.game",
            "zimcore.history",
            "zimcore.toolkit.characters",
            "zimcore.toolkit.player_names",
            "zimcore.toolkit.progress",
            "zimcore.toolkit.words",
            "msgspec",
        ),
    },
    "zimcore.envs": {
        *("zimcore.game", "zimcore.games.registry", "gymnasium", "msgspec", "numpy", "pettingzoo", "pyspiel"),
    },
    "zimcore.service": {
        "zimcore.features",
        *("event_store", "zimcore.commits", "zimcore.documents", "zimcore.game", "zimcore.games.registry", "msgspec"),
        "zimcore.toolkit.characters",
        *("zimcore.toolkit.printable", "zimcore.toolkit.progress", "zimcore.toolkit.ratings", "zimcore.toolkit.words"),
    },
    "zimcore.library": {
        *(
            "zimcore.analysis",
            "zimcore.bots",
            "zimcore.chances",
            "zimcore.commits",
            "zimcore.documents",
            "zimcore.game",
        ),
        *("zimcore.games.registry", "zimcore.history", "zimcore.picture", "zimcore.remote", "zimcore.service"),
        *("zimcore.toolkit.characters", "zimcore.toolkit.words", "msgspec"),
        *("zimcore.toolkit.file_kinds", "zimcore.toolkit.progress", "zimcore.transcripts"),
    },
    "zimcore.service.records.ed25519": {
        *("event_store.extras", "zimcore.game", "zimcore.service.records.public_keys", "cryptography"),
    },
    "zimcore.picture": {
        "event_store.extras",
        *("zimcore.commits", "zimcore.game", "zimcore.toolkit.outline", "zimcore.toolkit.svg"),
        "zimcore.toolkit.printable",
        *("msgspec", "resvg_py"),
    },
    "zimcore.server": {
        *("event_store", "zimcore.commits", "zimcore.documents", "zimcore.game", "zimcore.games.registry"),
        "zimcore.features",
        *(
            "zimcore.analysis",
            "zimcore.bots",
            "zimcore.chances",
            "zimcore.history",
            "zimcore.picture",
            "zimcore.service",
            "zimcore.rule_texts",
            "zimcore.toolkit.printable",
            "msgspec",
        ),
        *(
            "zimcore.candidates",
            "zimcore.toolkit.addresses",
            "zimcore.toolkit.characters",
            "zimcore.toolkit.player_names",
            "zimcore.toolkit.svg",
            "zimcore.toolkit.toml",
            "zimcore.toolkit.words",
            "jinja2",
            "markupsafe",
            "segno",
            "litestar",
            "apprise",
            "prometheus_client",
            "uvicorn",
        ),
    },
    "zimcore.server.news.web_push": {
        *("event_store.outputs", "zimcore.game", "zimcore.toolkit.deadline"),
        *("msgspec", "cryptography", "httpx", "py_vapid"),
    },
    "zimcore.remote": {
        *("event_store", "zimcore.commits", "zimcore.documents", "zimcore.game", "zimcore.games.registry"),
        *(
            "zimcore.history",
            "zimcore.service",
            "zimcore.toolkit.addresses",
            "zimcore.toolkit.deadline",
            "zimcore.toolkit.progress",
            "zimcore.toolkit.unknown",
            "zimcore.toolkit.words",
            "msgspec",
            "httpx",
            "platformdirs",
        ),
    },
    "zimcli": {
        *("event_store.extras", "event_store.outputs"),
        *("zimcore.candidates", "zimcore.commits", "zimcore.documents", "zimcore.game", "zimcore.games.registry"),
        *(
            "zimcore.features",
            "zimcore.analysis",
            "zimcore.bots",
            "zimcore.history",
            "zimcore.picture",
            "zimcore.remote",
        ),
        *("zimcore.reasons", "zimcore.rule_texts", "zimcore.service", "zimcore.toolkit", "zimcore.transcripts"),
        *("zimcore.server.people.accounts", "zimcore.server.hosting", "zimcore.server.serving"),
        *("click", "msgspec", "platformdirs", "prompt_toolkit", "pyarrow", "rich", "segno", "textual_image"),
    },
}


# What stands in each folder of a wide room, from the top down: a folder may import those after it. "" is the room's own
# files. Look at a room with `ls`, and at its folder's `__init__.py` for what belongs there.
FLOORS: dict[str, tuple[str, ...]] = {
    "zimcore.service": ("health", "", "social", "care", "proofs", "writing", "lines", "records"),
    "zimcore.server": ("", "pages", "endpoints", "news", "work", "people", "wire"),
    "zimcli": (
        *("", "commands", "features", "table", "repl", "study", "proofs", "session", "keys", "output", "render"),
        *("settings", "shell"),
    ),
}


def room_of(module: str) -> str:
    """The room that a module is in: `zimcore.games.zimbabwe` for `zimcore.games.zimbabwe.rules.cards`."""
    rooms = [room for room in ALLOWED_IMPORTS if is_inside(module, room)]
    return max(
        rooms, key=len, default=module
    )  # a file outside all of them is a room of its own, which may import no other


def is_inside(module: str, name: str) -> bool:
    return module == name or module.startswith(name + ".")


def imported_names(tree: ast.AST, module: str, *, is_package: bool) -> Iterator[tuple[int, str]]:
    """Every imported name with its line, relative imports made absolute; of `from a import b` it is `a.b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = module.split(".")[: None if is_package else -1]
            parent_package = package[: len(package) - node.level + 1] if node.level else []
            base_parts = [*parent_package, *([node.module] if node.module else [])]
            yield from ((node.lineno, ".".join([*base_parts, alias.name])) for alias in node.names)


def module_of(path: str) -> tuple[str, bool]:
    """The module in a file, and whether it is a package: `zimcore.game` for `zimcore/game.py`."""
    *folders, name = Path(path).with_suffix("").parts
    is_package = name == "__init__"
    return ".".join(folders if is_package else [*folders, name]), is_package


def forbidden_imports(source: str, path: str) -> list[str]:
    """The forbidden imports of a source file: `zimcore/game.py:3: zimcore.game -> rich.table`."""
    module, is_package = module_of(path)
    room = room_of(module)
    allowed_rooms = {room, *ALLOWED_IMPORTS.get(room, set())}
    return [
        f"{path}:{line}: {room} -> {name}"
        for line, name in imported_names(ast.parse(source), module, is_package=is_package)
        if name.split(".")[0] not in sys.stdlib_module_names
        and not any(is_inside(name, allowed_name) for allowed_name in allowed_rooms)
    ]


USERS_OF_FEATURES = {"zimcli/commands/rewriting.py": "amend --ask asks for a takeback"}
"""Files that import a feature although they are no part of one, and why."""


def imported_features(source: str, path: str) -> list[str]:
    """The modules of features that a file outside of their folders imports: others look features up by name."""
    module, is_package = module_of(path)
    own_feature = module.partition(".features.")[2].partition(".")[0]
    names = (name for _, name in imported_names(ast.parse(source), module, is_package=is_package))
    features_by_name = {name: name.split(".")[2] for name in names if name.startswith("zimcore.features.")}
    return [name for name, feature in features_by_name.items() if feature in FEATURES and feature != own_feature]


def test_nothing_but_a_feature_imports_its_modules() -> None:
    sources = {path: (ROOT / path).read_text("utf-8") for path in source_paths() if path not in USERS_OF_FEATURES}
    assert {path: names for path, source in sources.items() if (names := imported_features(source, path))} == {}


def test_a_feature_that_is_imported_outside_of_its_folder_is_found() -> None:
    source = "from zimcore.features.votes import events\nfrom zimcore.features import modules"
    assert imported_features(source, "zimcore/service/service.py") == ["zimcore.features.votes.events"]
    assert imported_features(source, "zimcore/features/votes/server.py") == []
    assert imported_features(source, "zimcli/features/votes.py") == []


def source_paths() -> list[str]:
    paths = (path for room in ("event_store", "zimcore", "zimcli") for path in (ROOT / room).rglob("*.py"))
    return sorted(str(path.relative_to(ROOT)) for path in paths)


def test_a_module_imports_only_what_its_room_may() -> None:
    sources = {path: (ROOT / path).read_text("utf-8") for path in source_paths()}
    assert [arrow for path, source in sources.items() for arrow in forbidden_imports(source, path)] == []


@pytest.mark.parametrize(
    ("path", "source", "arrow"),
    [
        ("event_store/line_history.py", "import zimcore.game", "event_store -> zimcore.game"),
        ("event_store/store.py", "import psycopg", "event_store -> psycopg"),
        ("event_store/backends/sqlite.py", "import psycopg", "event_store -> psycopg"),
        ("zimcore/game.py", "from zimcore.games import africana", "zimcore.game -> zimcore.games.africana"),
        ("zimcore/chess/rules.py", "import zimcore.game", "zimcore.chess.rules -> zimcore.game"),
        ("zimcore/games/zimbabwe/rules/cards.py", "import event_store", "zimcore.games.zimbabwe -> event_store"),
        (
            "zimcore/games/zimbabwe/rules/cards.py",
            "from ....service import x",
            "zimcore.games.zimbabwe -> zimcore.service.x",
        ),
        (
            "zimcore/games/zimbabwe/__init__.py",
            "from ..africana import rules",
            "zimcore.games.zimbabwe -> zimcore.games.africana.rules",
        ),
        ("zimcore/games/zimbabwe/evolve.py", "def f():\n    import rich", "zimcore.games.zimbabwe -> rich"),
        (
            "zimcore/service/service.py",
            "from zimcore.games import zimbabwe",
            "zimcore.service -> zimcore.games.zimbabwe",
        ),
        ("zimcore/history/blame.py", "if TYPE_CHECKING:\n    import click", "zimcore.history -> click"),
        ("zimcore/picture/pieces.py", "import zimcore.history", "zimcore.picture -> zimcore.history"),
        ("zimcore/games/zimbabwe/art/icons.py", "import zimcore.picture", "zimcore.games.zimbabwe -> zimcore.picture"),
        ("zimcli/commands/new.py", "import os, event_store.backends", "zimcli -> event_store.backends"),
        ("zimcli/main.py", "from zimcore import *", "zimcli -> zimcore.*"),
    ],
)
def test_a_forbidden_import_is_named(path: str, source: str, arrow: str) -> None:
    line = source.count("\n") + 1
    assert forbidden_imports(source, path) == [f"{path}:{line}: {arrow}"]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("event_store/backends/postgres.py", "import eventsourcing.postgres, threading\nfrom ..codec import encode"),
        (
            "zimcore/games/zimbabwe/rules/cards.py",
            "import msgspec\nfrom ..state import State\nfrom zimcore.game import Rule",
        ),
        ("zimcore/service/__init__.py", "from .service import GameService\nfrom event_store import EventStore"),
        ("zimcli/main.py", "import click\nfrom zimcore.service import GameService"),
    ],
)
def test_an_allowed_import_is_not_named(path: str, source: str) -> None:
    assert forbidden_imports(source, path) == []


def test_the_tests_of_the_product_import_no_script() -> None:
    paths = [path for path in (ROOT / "tests").rglob("*.py") if path.parent.name != "scripts"]
    imports = {
        f"{path.relative_to(ROOT)} -> {name}"
        for path in paths
        for _, name in imported_names(ast.parse(path.read_text("utf-8")), "tests", is_package=True)
        if is_inside(name, "scripts")
    }
    assert len(paths) > 300
    assert imports == set()


def import_graph(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """What the modules in files (path: source) import of each other. A name in a module counts as that module."""
    modules = {module_of(path)[0] for path in sources}
    graph: dict[str, set[str]] = {}
    for path, source in sources.items():
        module, is_package = module_of(path)
        names = {name for _, name in imported_names(ast.parse(source), module, is_package=is_package)}
        imported_modules = {name if name in modules else name.rpartition(".")[0] for name in names}
        graph[module] = (imported_modules & modules) - {module}
    return graph


def find_cycle(graph: Mapping[str, Collection[str]]) -> str:
    """A cycle of imports, as `a -> b -> a`; "" if there is none."""
    modules_without_cycles: set[str] = set()  # these lead into no cycle

    def search(path: tuple[str, ...]) -> str:
        for imported_module in sorted(graph[path[-1]]):
            if imported_module in path:
                return " -> ".join([*path[path.index(imported_module) :], imported_module])
            if imported_module not in modules_without_cycles and (cycle := search((*path, imported_module))):
                return cycle
        modules_without_cycles.add(path[-1])
        return ""

    return next(filter(None, (search((module,)) for module in sorted(graph))), "")


def test_no_imports_lead_in_a_circle() -> None:
    assert find_cycle(import_graph({path: (ROOT / path).read_text("utf-8") for path in source_paths()})) == ""


@pytest.mark.parametrize(
    ("files", "cycle"),
    [
        ({"a.py": "import b", "b.py": "def f():\n    import a"}, "a -> b -> a"),
        ({"a.py": "import b", "b.py": "if TYPE_CHECKING:\n    from a import A"}, "a -> b -> a"),
        ({"a.py": "import b", "b.py": "from c import C", "c.py": "import a.x"}, "a -> b -> c -> a"),
        ({"a.py": "import b", "b.py": "import c", "c.py": "from b import B"}, "b -> c -> b"),
        (
            {"r/__init__.py": "from .a import A", "r/a.py": "from . import b", "r/b.py": "from . import B"},
            "r -> r.a -> r.b -> r",
        ),
        (
            {"r/__init__.py": "from .a import A", "r/a.py": "from . import b", "r/b.py": "from r import a"},
            "r.a -> r.b -> r.a",
        ),
        ({"a.py": "import b, c", "b.py": "import d", "c.py": "import d", "d.py": "import os"}, ""),
    ],
)
def test_a_circle_is_named(files: Mapping[str, str], cycle: str) -> None:
    assert find_cycle(import_graph(files)) == cycle


def upward_imports(graph: Mapping[str, Collection[str]], room: str, floors: Sequence[str]) -> list[str]:
    """The imports of a room that lead to a folder above, or to one that no floor names."""

    def floor_of(module: str) -> int:
        parts = module.removeprefix(room).split(".")[1:]
        folder = parts[0] if f"{room}.{parts[0]}" in folders else ""
        assert folder in floors, f"{room}.{folder} stands on no floor: name it in FLOORS"
        return floors.index(folder)

    inside = [module for module in graph if is_inside(module, room) and module != room]
    folders = {module.rpartition(".")[0] for module in inside} - {room}
    return [
        f"{module} -> {imported}"
        for module in sorted(inside)
        for imported in sorted(graph[module])
        if imported in inside and floor_of(imported) < floor_of(module)
    ]


@pytest.mark.parametrize("room", FLOORS)
def test_the_folders_of_a_room_depend_downward(room: str) -> None:
    graph = import_graph({path: (ROOT / path).read_text("utf-8") for path in source_paths()})
    assert upward_imports(graph, room, FLOORS[room]) == []
    folders = {path.parent.name for path in (ROOT / room.replace(".", "/")).glob("*/__init__.py")}
    assert {*FLOORS[room]} - {""} == folders


@pytest.mark.parametrize(
    ("files", "arrows"),
    [
        ({"r/top.py": "from r.low import a", "r/low/__init__.py": "", "r/low/a.py": ""}, []),
        ({"r/top.py": "", "r/low/__init__.py": "", "r/low/a.py": "import r.top"}, ["r.low.a -> r.top"]),
        ({"r/low/a.py": "def f():\n    from r.mid.b import c", "r/mid/b.py": ""}, ["r.low.a -> r.mid.b"]),
        ({"r/low/a.py": "", "r/mid/b.py": "import r.low.a", "r/mid/c.py": "import r.mid.b"}, []),
    ],
)
def test_an_import_upward_is_named(files: Mapping[str, str], arrows: Sequence[str]) -> None:
    assert upward_imports(import_graph(files), "r", ("", "mid", "low")) == arrows


SCRIPTS = (*(ROOT / "zimcore/server/pages/static").glob("*.js"), ROOT / "zimcore/picture/drawing.js")
IMPORTED_SCRIPT = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*["']\./([\w.-]+)["']""")


def script_import_graph(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """What the scripts of a page (name: source) import of each other."""
    return {name: {*IMPORTED_SCRIPT.findall(source)} for name, source in sources.items()}


def test_no_imports_of_the_page_lead_in_a_circle() -> None:
    graph = script_import_graph({path.name: path.read_text("utf-8") for path in SCRIPTS})
    assert {*graph} >= set().union(*graph.values()), "each is a file"
    assert graph["page.js"] > {"board.js", "drawing.js", "moves.js", "steps.js"}, "imports are read off"
    assert find_cycle(graph) == ""


@pytest.mark.parametrize(
    ("files", "cycle"),
    [
        ({"a.js": 'import { b } from "./b.js";', "b.js": "import './a.js'"}, "a.js -> b.js -> a.js"),
        ({"a.js": 'import * as b\n  from "./b.js";', "b.js": 'export { c } from "./a.js";'}, "a.js -> b.js -> a.js"),
        ({"a.js": 'import {\n  b,\n} from "./b.js";', "b.js": 'await import("./a.js")'}, "a.js -> b.js -> a.js"),
        ({"a.js": 'import { a } from "./a.js";'}, "a.js -> a.js"),
        ({"a.js": 'import "./b.js";\nimport "./c.js";', "b.js": 'import "./c.js";', "c.js": ""}, ""),
    ],
)
def test_a_circle_of_scripts_is_named(files: Mapping[str, str], cycle: str) -> None:
    assert find_cycle(script_import_graph(files)) == cycle


def shadowed_names(source: str, package: Path) -> list[str]:
    """Names in a package that an import of a module of the same name would replace."""
    package_name = ".".join(package.relative_to(ROOT).parts)
    statements = [node for node in ast.parse(source).body if isinstance(node, ast.ImportFrom)]
    return [
        alias.name
        for node in statements
        for alias in node.names
        if (package / f"{alias.name}.py").exists() and node.module not in (package_name, f"{package_name}.{alias.name}")
    ]


def test_no_module_takes_the_place_of_what_its_package_offers() -> None:
    packages = [ROOT / path for path in source_paths() if path.endswith("__init__.py")]
    faults = {path: shadowed_names(path.read_text("utf-8"), path.parent) for path in packages}
    assert {path: names for path, names in faults.items() if names} == {}


def test_a_name_that_a_module_would_replace_is_named() -> None:
    package = ROOT / "zimcore" / "history"
    assert shadowed_names("from zimcore.history.bisect import story", package) == ["story"]
    assert shadowed_names("from zimcore.history.bisect import bisect", package) == []
