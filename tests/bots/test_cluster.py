"""A Ray cluster plays an arena with the same results as processes, even if it loses workers."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from tests.analysis import test_match_analysis as judging
from tests.bots.test_workers import SEATINGS, play_bundle, play_or_end_process, play_with_failing_bot, without_seconds
from zimcore.analysis.match_analysis import analyse_match
from zimcore.bots import cluster
from zimcore.bots.cluster import ClusterPool
from zimcore.bots.process_pool import MAX_ATTEMPTS, match_results_in_order
from zimcore.game import GameError
from zimcore.games.zimbabwe import GAME

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster

NODE_ADDRESS = "127.0.0.2"
"""Of this machine alone; 127.0.0.1 is what Ray takes for its address in the network."""
NODE_ARGUMENTS: dict[str, Any] = {
    "num_cpus": 1,
    "object_store_memory": 80 << 20,
    "include_dashboard": False,
    "node_ip_address": NODE_ADDRESS,
}


@pytest.fixture(scope="module")
def local_outcomes() -> list[tuple[Any, ...]]:
    return without_seconds(play_bundle(tuple(SEATINGS)))


@pytest.fixture(scope="module")
def ray_cluster(skip_or_fail: Callable[[str], NoReturn]) -> Iterator[Cluster]:
    """A cluster with one node."""
    try:
        from ray.cluster_utils import Cluster
    except ImportError:
        skip_or_fail("Ray is not installed")
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory(prefix="ray", dir="/tmp") as folder:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_raylet_start_wait_time_s", "120")  # on a machine that is busy
        # A folder of its own: in Ray's others look for their cluster, and a new machine has none. Sockets in it need a
        # short name.
        patch.setenv("RAY_TMPDIR", folder)
        (ray_folder := Path(folder, "ray")).mkdir()
        one_node_cluster = Cluster(initialize_head=True, head_node_args={**NODE_ARGUMENTS, "temp_dir": str(ray_folder)})
        yield one_node_cluster
        one_node_cluster.shutdown()  # type: ignore[no-untyped-call]


def test_one_node_and_two_play_the_same_matches(
    ray_cluster: Cluster, local_outcomes: list[tuple[Any, ...]], tmp_path: Path
) -> None:
    with ClusterPool(play_bundle, ray_cluster.address) as pool:
        assert pool.worker_count == 1
        assert without_seconds(match_results_in_order(pool, SEATINGS)) == local_outcomes
        ray_cluster.add_node(**NODE_ARGUMENTS)
        assert pool.worker_count == 2
        pool.run_bundle = partial(play_or_end_process, tmp_path, 1)
        assert without_seconds(match_results_in_order(pool, SEATINGS)) == local_outcomes, "though a worker was killed"
        assert len(list(tmp_path.iterdir())) == 1
        pool.run_bundle = partial(play_or_end_process, tmp_path, 99)
        with pytest.raises(GameError, match="are lost"):
            list(match_results_in_order(pool, SEATINGS))
        assert len(list(tmp_path.iterdir())) == 1 + MAX_ATTEMPTS
        pool.run_bundle = play_with_failing_bot
        with pytest.raises(GameError, match="the bot of kilwa has failed"):
            list(match_results_in_order(pool, SEATINGS))


def test_a_cluster_judges_as_processes_do(ray_cluster: Cluster) -> None:
    commits = judging.commits_of_first_turns()
    analysis = analyse_match(GAME, commits, judging.NODES, 1, cluster=ray_cluster.address)
    assert tuple(analysis) == judging.judged_decisions()


def test_a_node_with_another_zim_plays_nothing() -> None:
    assert cluster.run_bundle_on_node(play_bundle, cluster.build_digest(), ()) == []
    with pytest.raises(GameError, match="another version of Zim"):
        cluster.run_bundle_on_node(play_bundle, "0123456789ab", tuple(SEATINGS))


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind((NODE_ADDRESS, 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        pytest.param(
            f"{NODE_ADDRESS}:{unused_port()}", "no answer from there", id="closed"
        ),  # every worker finds another port
        ("no.such.host.invalid:6379", "no answer from there"),
        ("kilwa", "an address is HOST:PORT, or auto"),
        (":6379", "an address is HOST:PORT, or auto"),
        ("kilwa:many", "Port could not be cast"),
    ],
)
def test_an_address_without_a_server_is_no_cluster(address: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for text, environment_address in ((address, ""), ("auto", address)):
        monkeypatch.setenv("RAY_ADDRESS", environment_address)
        with pytest.raises(GameError, match=f"there is no cluster at {address}: {reason}"):
            ClusterPool(play_bundle, text)


def test_a_server_that_is_no_cluster_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "JOIN_TIMEOUT", 0.5)
    with (
        socket.create_server((NODE_ADDRESS, 0)) as server,
        pytest.raises(GameError, match="no Ray cluster answered there"),
    ):
        ClusterPool(play_bundle, f"{NODE_ADDRESS}:{server.getsockname()[1]}")


def test_the_error_without_ray_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("event_store.extras.absent_distributions", lambda extra: ["ray"])
    with pytest.raises(GameError, match="`cluster` is not installed: it lacks ray") as error:
        ClusterPool(play_bundle, "auto")
    assert error.value.hints == ("pip install 'great-zim[cluster]'",)
