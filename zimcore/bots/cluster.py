"""Runs long work on the nodes of a Ray cluster, with the same results as processes of this machine.

Each node needs the same versions of Zim and Ray. Each bundle (a few tasks that are sent together) is run as one
Ray task: if a worker or node is lost, Ray runs its bundle again, with the same results.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from functools import cache
from hashlib import sha256
from logging import ERROR
from os import environ
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic
from urllib.parse import urlsplit

from event_store.extras import lacking_extra
from zimcore.bots.process_pool import MAX_ATTEMPTS, Bundle, RunBundle, Task, TaskResult, workers_lost_error
from zimcore.game import GameError

if TYPE_CHECKING:
    from ray import ObjectRef

PACKAGE_FOLDER = Path(__file__).parent.parent
AUTO_ADDRESS = "auto"
"""The address of the cluster that this machine is a node of."""
CONNECT_TIMEOUT, JOIN_TIMEOUT = 5.0, 45.0
"""Seconds to wait for a connection to an address, and to join the cluster there."""
JOIN_SCRIPT = "import sys, ray; ray.init(address=sys.argv[1], log_to_driver=False, logging_level=40)"
START_RAY_HINT, USE_PROCESSES_HINT = "ray start --head", "the same with --workers 2"


class ClusterPool(Generic[Task, TaskResult]):
    """Runs bundles on the nodes of a cluster, one on each processor."""

    def __init__(self, run_bundle: RunBundle[Task, TaskResult], address: str) -> None:
        """Joins a cluster. Raises `GameError` if there is none, or if Ray is not installed."""
        check_cluster(address)
        import ray

        ray.init(address=address, log_to_driver=False, logging_level=ERROR)
        self.run_bundle = run_bundle
        self._remote_run_bundle: Any = ray.remote(num_cpus=1, max_retries=MAX_ATTEMPTS - 1)(run_bundle_on_node)

    def __enter__(self) -> ClusterPool[Task, TaskResult]:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        import ray

        ray.shutdown()  # this also stops bundles that still run

    @property
    def worker_count(self) -> int:
        """The number of processors of all nodes now; nodes may join later."""
        import ray

        return max(1, int(ray.cluster_resources().get("CPU", 0)))  # type: ignore[no-untyped-call]

    def begin(self, bundle: Bundle[Task]) -> tuple[Bundle[Task], ObjectRef[list[TaskResult]]]:
        """Starts a bundle."""
        return bundle, self._remote_run_bundle.remote(self.run_bundle, build_digest(), bundle)

    def results(self, running_bundle: tuple[Bundle[Task], ObjectRef[list[TaskResult]]]) -> list[TaskResult]:
        """Waits for the results of a bundle. Raises `GameError` if its workers were lost `MAX_ATTEMPTS` times."""
        import ray
        from ray.exceptions import RayError, RayTaskError

        bundle, task_reference = running_bundle
        try:
            return ray.get(task_reference)
        except RayTaskError as error:  # raised by the task, not by the loss of a worker
            raise error.cause from error
        except RayError as error:
            raise workers_lost_error(bundle, str(error).partition("\n")[0]) from error


def run_bundle_on_node(
    run_bundle: RunBundle[Task, TaskResult], expected_build: str, bundle: Bundle[Task]
) -> list[TaskResult]:
    """Runs a bundle on a node.

    Raises `GameError` if the node has another version of Zim, which could differ in results.
    """
    if build_digest() != expected_build:
        mismatch = f"that of {socket.gethostname()} is {build_digest()}, ours is {expected_build}"
        raise GameError("a node of the cluster runs another version of Zim", mismatch, [USE_PROCESSES_HINT])
    return run_bundle(bundle)


@cache
def build_digest() -> str:
    """A digest of this package's sources and data, which determine all results."""
    build_hash = sha256()
    for path in sorted(
        source_path for source_path in PACKAGE_FOLDER.rglob("*.*") if source_path.suffix in (".py", ".json", ".toml")
    ):
        build_hash.update(f"{path.relative_to(PACKAGE_FOLDER)}\0".encode() + path.read_bytes())
    return build_hash.hexdigest()[:12]


def check_cluster(address: str) -> None:
    """Raises `GameError` soon if there is no cluster at an address: Ray itself would try for minutes.

    Joining may hang, so a subprocess with a time limit tries it first.
    """
    if failure := lacking_extra("cluster"):
        raise GameError("can't join a cluster", *failure)
    ray_address = environ.get("RAY_ADDRESS", AUTO_ADDRESS) if address == AUTO_ADDRESS else address
    if ray_address != AUTO_ADDRESS:
        _check_address(ray_address)
    try:
        finished_join = subprocess.run(  # noqa: S603 - the script is a constant
            [sys.executable, "-c", JOIN_SCRIPT, address],
            capture_output=True,
            text=True,
            timeout=JOIN_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise no_cluster_error(ray_address, f"no Ray cluster answered there within {JOIN_TIMEOUT:g} seconds") from error
    if finished_join.returncode:
        raise no_cluster_error(
            ray_address, ([*filter(None, finished_join.stderr.splitlines())] or ["no reason was given"])[-1]
        )


def _check_address(address: str) -> None:
    try:
        url_parts = urlsplit(address if "://" in address else f"//{address}")
        host, port = url_parts.hostname, url_parts.port
    except ValueError as error:
        raise no_cluster_error(address, str(error)) from error
    if not host or not port:
        raise no_cluster_error(address, f"an address is HOST:PORT, or {AUTO_ADDRESS}")
    try:
        socket.create_connection((host, port), CONNECT_TIMEOUT).close()
    except OSError as error:
        raise no_cluster_error(address, f"no answer from there: {error.strerror or error}") from error


def no_cluster_error(address: str, why: str) -> GameError:
    """The error for an address without a cluster."""
    problem = (
        "this machine is not part of a cluster" if address == AUTO_ADDRESS else f"there is no cluster at {address}"
    )
    return GameError(problem, why, [START_RAY_HINT, USE_PROCESSES_HINT])
