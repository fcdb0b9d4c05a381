"""Attacks a store and its files, and prints how often each attack was tried and what came of it.

An attack is held off if every read returns the true answer or an error, if refused input leaves the file unchanged, if
rolled-back data is reported, and if acknowledged writes are stored. Anything else is a breach: it is printed, and the
exit code is 1.

With `--url` the attack `service` plays on a running server that you name, through a proxy that cuts, delays and doubles
requests (`attack_deployment`): scripts/attack service --url http://127.0.0.1:8321 --token TOKEN --moves 200.

`--planted` tests the attacks: each runs with a fault in the product that it must catch (`attack_planted`).
"""

from __future__ import annotations

import os
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

# Attacks import what they need when they start, so that `--help` works before anything is installed.


class Attack(NamedTuple):
    """An attack: its name, its function in a module `attack_...`, and the number of tries, also for `--short`."""

    name: str
    module: str
    function: str
    tries: int
    short_tries: int


ATTACKS = (
    Attack("flips", "files", "flip_bits", 300, 12),
    Attack("truncations", "files", "truncate_file", 60, 4),
    Attack("pages", "files", "damage_pages", 1000, 12),
    Attack("edits", "files", "edit_rows", 60, 13),
    Attack("relabelled", "files", "relabel_rows", 60, 6),
    Attack("triggers", "files", "add_triggers", 10, 5),
    Attack("rollbacks", "files", "roll_back_store", 60, 6),
    Attack("hostile certificates", "imports", "import_hostile_certificates", 80, 8),
    Attack("hostile exports", "imports", "import_hostile_exports", 40, 8),
    Attack("hostile components", "imports", "load_hostile_components", 200, 12),
    Attack("name races", "writers", "race_for_names", 64, 16),
    Attack("kills", "writers", "kill_sqlite_writers", 144, 9),
    Attack("kills postgresql", "writers", "kill_postgresql_writers", 72, 4),
    Attack("sessions", "writers", "end_store_sessions", 300, 10),
    Attack("power", "power", "cut_power", 300, 60),
    Attack("restarts", "restarts", "restart_database", 10, 1),
    Attack("service", "service", "attack_two_workers", 100, 1),
    Attack("deployment", "deployment", "attack_deployment", 120, 14),
    Attack("secrecy", "secrets", "compare_hidden_cards", 142, 8),
    Attack("backups", "backups", "back_up_while_writing", 60, 2),
    Attack("salvage", "salvage", "damage_and_salvage", 300, 9),
    Attack("stopped work", "stopped", "kill_half_way", 60, 4),
    Attack("witness logs", "witness", "step_clocks_and_take_back", 60, 3),
    Attack("foreign code", "code", "name_callables", 70, 7),
    Attack("outputs", "outputs", "write_over_store", 594, 18),
    Attack("replaced files", "replaced", "replace_open_file", 60, 12),
    Attack("two names", "replaced", "write_by_two_names", 20, 1),
    Attack("clocks", "clocks", "write_with_odd_clocks", 60, 3),
    Attack("command ids", "ids", "reuse_ids", 51, 51),
    Attack("tokens", "tokens", "use_foreign_tokens", 1000, 90),
    Attack("delays", "delays", "compare_delayed_views", 4, 2),
)


def run_attacks(attacks: Sequence[Attack], tries: int, *, short: bool) -> Iterator[tuple[str, int, str, bool]]:
    """Runs the attacks. Yields the name of each, the tries, what came of them, and whether all were held off."""
    with tempfile.TemporaryDirectory(prefix="zim-attack-") as folder:
        target = import_module("scripts.attacks.attack_target").create_target(Path(folder))
        from scripts.attacks.attack_target import Breach, NotTried

        for attack in attacks:
            attack_function = getattr(import_module(f"scripts.attacks.attack_{attack.module}"), attack.function)
            try_count, results, is_held_off = (
                tries or (attack.short_tries if short else attack.tries),
                list[str](),
                True,
            )

            def report(result: str, results: list[str] = results, name: str = attack.name) -> None:
                results.append(result)
                show_progress(f"{name}: {len(results):,}")

            try:
                attack_function(target, try_count, report)
                outcome_text = ", ".join(f"{amount:,} {result}" for result, amount in Counter(results).most_common())
            except NotTried as reason:
                outcome_text = f"not tried: {reason}"
            except Exception as error:  # an exception that no attack handles is a breach, too
                outcome_text, is_held_off = f"BREACH: {error if isinstance(error, Breach) else repr(error)}", False
            show_progress("")
            yield attack.name, try_count, outcome_text, is_held_off


def show_progress(text: str) -> None:
    """Shows the progress if stderr is a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def run_with_faults(attacks: Sequence[Attack], tries: int, *, short: bool) -> Iterator[tuple[str, str, str, bool]]:
    """Plants each fault, and runs the attacks that must catch it.

    Yields the fault, the attack, the result, and whether the fault was missed; an attack that can't be tried on this
    machine misses nothing. What happens when a process is killed depends on chance, so a fault that the tries of
    `short` miss meets all of them. Each fault has a process of its own, forked from this one before it imports the
    product.
    """
    from scripts.attacks.attack_planted import FAULTS

    for module in LIBRARIES:
        import_module(module)
    for fault in FAULTS:
        for attack in attacks:
            if attack.name not in fault.catching_attacks:
                continue
            show_progress(f"{fault.name}: {attack.name}")
            for is_short in (True, False) if short else (False,):
                result, is_held_off = run_with_fault(fault.name, attack, tries, short=is_short)
                is_missed = is_held_off and not result.startswith("not tried: ")
                if not is_missed:
                    break
            show_progress("")
            yield fault.name, attack.name, result, is_missed


LIBRARIES = (
    "click.testing",
    "eventsourcing.sqlite",
    "httpx",
    "jinja2",
    "litestar.testing",
    "msgspec",
    "psycopg",
    "pytest",
)
"""What is slow to import, and has no faults planted in it."""


def run_with_fault(fault: str, attack: Attack, tries: int, *, short: bool) -> tuple[str, bool]:
    """Runs an attack with a fault. Returns what came of it, and whether it was held off: then the fault was missed."""
    receiver, sender = get_context("fork").Pipe(duplex=False)
    with tempfile.TemporaryFile() as output:

        def attack_here() -> None:
            for stream in (sys.stdout, sys.stderr):
                os.dup2(output.fileno(), stream.fileno())
            folder = Path(__file__).parent
            import_paths = [str(folder / "planted"), str(folder.parents[1]), os.environ.get("PYTHONPATH", "")]
            os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, import_paths))  # for the processes that it starts
            os.environ["ZIM_PLANTED"] = fault
            import_module("scripts.attacks.attack_planted").plant_fault(fault)
            ((_, _, *attack_result),) = run_attacks([attack], tries, short=short)
            sender.send(attack_result)

        process = get_context("fork").Process(target=attack_here)
        process.start()
        sender.close()
        try:
            result, is_held_off = receiver.recv()
        except EOFError:
            output.seek(0)
            result, is_held_off = f"the attack fails: {output.read().decode()[-400:]}", True
        process.join()
    return result, is_held_off


def attack_running_server(arguments: Namespace) -> int:
    """Attacks a running server. Prints the report, and each breach."""
    from scripts.attacks.attack_deployment import Plan, execute_plan, refusal_reason
    from scripts.attacks.attack_target import Breach

    token = arguments.token or os.environ.get("ZIM_TOKEN", "")
    plan = Plan(
        arguments.url,
        token,
        moves=arguments.moves,
        writers=arguments.writers,
        followers=arguments.followers,
        proxy=arguments.proxy,
        kill_command=arguments.kill_command,
        kills=arguments.kills,
    )
    if objection := refusal_reason(plan, is_own_server=arguments.i_operate_this_server):
        print(f"attack: {objection}", file=sys.stderr)
        return 2
    try:
        report = execute_plan(plan, show_progress)
    except Breach as error:
        print(f"the server can't be used: {error}")
        return 1
    show_progress("")
    print(*(f"BREACH: {breach}" for breach in report.breaches), report.summary, *report.details, sep="\n")
    return 1 if report.breaches else 0


def main() -> int:
    """Runs the attacks and prints the table."""
    parser = ArgumentParser("attack", description="Attacks a store in every way there is a defence for.")
    names = [attack.name for attack in ATTACKS]
    parser.add_argument("attack", nargs="*", metavar="ATTACK", help=f"{', '.join(names)} (default: all)")
    parser.add_argument("--short", action="store_true", help="a few tries of each attack")
    parser.add_argument(
        "--tries", type=int, default=0, metavar="N", help="the number of tries of each attack: power --tries 2000"
    )
    parser.add_argument(
        "--planted", action="store_true", help="run each attack with a fault in the product that it must catch"
    )
    service_options = parser.add_argument_group("service --url URL: play on a running server")
    service_options.add_argument("--url", default="", help="its address; only your own server, as its games stay there")
    service_options.add_argument(
        "--token", default="", help="token of an account there; ZIM_TOKEN keeps it out of the list of processes"
    )
    service_options.add_argument(
        "--moves", type=int, default=200, metavar="N", help="moves of all games together (default: 200)"
    )
    service_options.add_argument(
        "--writers", type=int, default=4, metavar="N", help="writers, each with a game of its own (default: 4)"
    )
    service_options.add_argument(
        "--followers", type=int, default=12, metavar="N", help="readers of the feeds of these games (default: 12)"
    )
    service_options.add_argument(
        "--proxy", choices=("chaos", "none"), default="chaos", help="chaos cuts, delays and doubles requests"
    )
    service_options.add_argument(
        "--kill-command",
        default="",
        metavar="COMMAND",
        help="shell command that restarts the server, for example systemctl restart zim@8321",
    )
    service_options.add_argument(
        "--kills", type=int, default=3, metavar="N", help="how often to run that command (default: 3)"
    )
    service_options.add_argument(
        "--i-operate-this-server", action="store_true", help="needed for a server on another machine"
    )
    arguments = parser.parse_args()
    if arguments.url:
        if arguments.attack != ["service"]:
            parser.error("--url goes with the attack service alone: attack service --url URL")
        return attack_running_server(arguments)
    if unknown_names := [name for name in arguments.attack if name not in names]:
        parser.error(f"there is no attack {', '.join(unknown_names)}; there is {', '.join(names)}")
    attacks, all_passed = [attack for attack in ATTACKS if attack.name in (arguments.attack or names)], True
    if arguments.planted:
        print(f"{'fault':44} {'attack':22} result")
        for fault, name, result, is_missed in run_with_faults(attacks, arguments.tries, short=arguments.short):
            line = " ".join(f"{'MISSED: ' * is_missed}{result}".split())  # an error may have several lines
            print(f"{fault:44} {name:22} {line}"[:200], flush=True)
            all_passed = all_passed and not is_missed
        return 0 if all_passed else 1
    print(f"{'attack':22} {'tries':>5}  result")
    for name, tries, result, is_held_off in run_attacks(attacks, arguments.tries, short=arguments.short):
        print(f"{name:22} {tries:>5}  {result}", flush=True)
        all_passed = all_passed and is_held_off
    return 0 if all_passed else 1


if __name__ == "__main__":
    sys.exit(main())
