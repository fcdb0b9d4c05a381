"""A league's year: games imported, audited and analysed, what-ifs at turning points, tables in DuckDB, certificates.

    python league_year.py FOLDER [NODES [PLAYOUTS]]

FOLDER has what the clubs sent: a certificate of each game (01.cert) and the log that was written at the table (01.log).
Everything found is in FOLDER/year: a document for each game, year.duckdb, and certificates up to the turning points.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

import zimcore as zim


def describe_game(store: zim.Store, game: str, log: bytes, nodes: int, playouts: int) -> dict[str, Any]:
    """What there is to say about a game: its documents are those of `zim --json`."""
    analysis = store.analyse(game, nodes=nodes)
    what_ifs = {}
    for decision in analysis.decisions:
        if decision.turning and decision.best:
            place = f"{game}@{decision.first - 1}"
            turns = ["; ".join(commands) for commands in (decision.commands, decision.best)]
            what_ifs[place] = store.whatif(place, *turns, games=playouts, then="random")
    return {
        "verify": store.verify(game)[0],
        "audit": store.audit(log),
        "analyse": analysis,
        "whatif": what_ifs,
        "leader": store.bisect(game, "leader() == winner"),
    }


def save_tables(store: zim.Store, documents: dict[str, dict[str, Any]], file: Path) -> list[tuple[Any, ...]]:
    """Keeps the tables of all games, and the what-ifs, in DuckDB. Returns the wins and VP of each seat."""
    import duckdb  # pip install duckdb pyarrow

    with duckdb.connect(str(file)) as database:
        frames = dict(store.frames())
        frames["whatifs"] = zim.Frame.of(
            alternative
            for each in documents.values()
            for answer in each["whatif"].values()
            for alternative in answer.alternatives
        )
        for name, frame in frames.items():
            if frame.columns:
                database.register("frame", frame)
                database.execute(f"CREATE OR REPLACE TABLE {name} AS FROM frame")
        return database.execute("SELECT winner, count(*) FROM games GROUP BY ALL ORDER BY ALL").fetchall()


def run_year(folder: Path, nodes: int = 200, playouts: int = 20) -> dict[str, dict[str, Any]]:
    """The documents of all games of a folder."""
    year = folder / "year"
    year.mkdir()
    documents = dict[str, dict[str, Any]]()
    with zim.open(f"sqlite:///{year / 'games.db'}", by="arbiter") as store:
        for certificate in sorted(folder.glob("*.cert")):
            answer = store.import_(certificate.read_bytes())
            game = answer.position.game if answer.position else ""
            log = certificate.with_suffix(".log").read_bytes()
            documents[game] = describe_game(store, game, log, nodes, playouts)
            (year / f"{game}.json").write_bytes(msgspec.json.encode(documents[game]))
            for place in [game, *documents[game]["whatif"]]:
                (year / f"{place}.cert").write_bytes(store.certificate(place))
        print(save_tables(store, documents, year / "year.duckdb"))
    return documents


if __name__ == "__main__":
    run_year(Path(sys.argv[1]), *map(int, sys.argv[2:]))
