"""A Ray cluster plays an arena with the same results as processes, even if it loses workers."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from tests.analysis import test_match as judging
from tests.bots.test_workers import PLANNED, outcomes, play, play_badly, play_or_die
from zimcore.analysis.match_analysis import analyse
from zimcore.bots import cluster
from zimcore.bots.cluster import ClusterPool
from zimcore.bots.process_pool import MAX_ATTEMPTS, in_order
from zimcore.game import GameError
from zimcore.games.zimbabwe import GAME

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster

HOME = "127.0.0.2"
"""Of this machine alone; 127.0.0.1 is what Ray takes for its address in the network."""
SMALL: dict[str, Any] = {
    "num_cpus": 1,
    "object_store_memory": 80 << 20,
    "include_dashboard": False,
    "node_ip_address": HOME,
}


@pytest.fixture(scope="module")
def local_outcomes() -> list[tuple[Any, ...]]:
    return outcomes(play(tuple(PLANNED)))


@pytest.fixture(scope="module")
def ray_cluster(missing: Callable[[str], NoReturn]) -> Iterator[Cluster]:
    """A cluster with one node."""
    try:
        from ray.cluster_utils import Cluster
    except ImportError:
        missing("Ray is not installed")
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory(prefix="ray", dir="/tmp") as folder:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_raylet_start_wait_time_s", "120")  # on a machine that is busy
        # A folder of its own: in Ray's others look for their cluster, and a new machine has none. Sockets in it need a
        # short name.
        patch.setenv("RAY_TMPDIR", folder)
        (own := Path(folder, "ray")).mkdir()
        found = Cluster(initialize_head=True, head_node_args={**SMALL, "temp_dir": str(own)})
        yield found
        found.shutdown()  # type: ignore[no-untyped-call]


def test_one_node_and_two_play_the_same(
    ray_cluster: Cluster, local_outcomes: list[tuple[Any, ...]], tmp_path: Path
) -> None:
    with ClusterPool(play, ray_cluster.address) as nodes:
        assert nodes.count == 1
        assert outcomes(in_order(nodes, PLANNED)) == local_outcomes
        ray_cluster.add_node(**SMALL)
        assert nodes.count == 2
        nodes.run_task = partial(play_or_die, tmp_path, 1)
        assert outcomes(in_order(nodes, PLANNED)) == local_outcomes, "though a worker was killed"
        assert len(list(tmp_path.iterdir())) == 1
        nodes.run_task = partial(play_or_die, tmp_path, 99)
        with pytest.raises(GameError, match="are lost"):
            list(in_order(nodes, PLANNED))
        assert len(list(tmp_path.iterdir())) == 1 + MAX_ATTEMPTS
        nodes.run_task = play_badly
        with pytest.raises(GameError, match="the bot of kilwa has failed"):
            list(in_order(nodes, PLANNED))


def test_a_cluster_judges_as_processes_do(ray_cluster: Cluster) -> None:
    commits = judging.short()
    again = analyse(GAME, commits, judging.NODES, 1, cluster=ray_cluster.address)
    assert tuple(again) == judging.judged_decisions()


def test_a_node_with_another_zim_plays_nothing() -> None:
    assert cluster.run_bundle(play, cluster.build(), ()) == []
    with pytest.raises(GameError, match="another version of Zim"):
        cluster.run_bundle(play, "0123456789ab", tuple(PLANNED))


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOME, 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize(
    ("address", "why"),
    [
        pytest.param(f"{HOME}:{unused_port()}", "no answer from there", id="closed"),  # every worker finds another port
        ("no.such.host.invalid:6379", "no answer from there"),
        ("kilwa", "an address is HOST:PORT, or auto"),
        (":6379", "an address is HOST:PORT, or auto"),
        ("kilwa:many", "Port could not be cast"),
    ],
)
def test_an_address_without_a_server_is_no_cluster(address: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for text, where in ((address, ""), ("auto", address)):
        monkeypatch.setenv("RAY_ADDRESS", where)
        with pytest.raises(GameError, match=f"there is no cluster at {address}: {why}"):
            ClusterPool(play, text)


def test_what_answers_but_is_no_cluster_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "JOIN_TIMEOUT", 0.5)
    with socket.create_server((HOME, 0)) as other, pytest.raises(GameError, match="no Ray cluster answered there"):
        ClusterPool(play, f"{HOME}:{other.getsockname()[1]}")


def test_without_ray_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "find_spec", lambda name: None)
    with pytest.raises(GameError, match="Ray is not installed") as error:
        ClusterPool(play, "auto")
    assert error.value.hints == ("pip install 'great-zim[cluster]'",)
