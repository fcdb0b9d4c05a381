"""Pools of workers: processes of this machine, or nodes of a cluster. See `process_pool` and `cluster`."""

from __future__ import annotations

from typing import Generic

from zimcore.bots.process_pool import Bundle, Pool, ProcessPool, RunBundle, Task, TaskResult


class OwnProcess(Generic[Task, TaskResult]):
    """No workers: each bundle is run here when its results are asked for, so that a caller's script needs no guard."""

    def __init__(self, run_bundle: RunBundle[Task, TaskResult]) -> None:
        self.run_bundle, self.worker_count = run_bundle, 1

    def __enter__(self) -> OwnProcess[Task, TaskResult]:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def begin(self, bundle: Bundle[Task]) -> Bundle[Task]:
        """Keeps a bundle for later."""
        return bundle

    def results(self, bundle: Bundle[Task]) -> list[TaskResult]:
        """Runs a bundle."""
        return self.run_bundle(bundle)


def make_pool(
    worker_count: int, cluster_address: str | None, run_bundle: RunBundle[Task, TaskResult], task_count: int
) -> Pool[Task, TaskResult]:
    """A pool for a number of tasks: processes of this machine or, with an address, the nodes of a cluster.

    Without workers it is this process. Raises `GameError` if there is no cluster at that address.
    """
    if not worker_count and cluster_address is None:
        return OwnProcess(run_bundle)
    if cluster_address is None:
        return ProcessPool(run_bundle, min(worker_count, task_count or 1))
    from zimcore.bots.cluster import ClusterPool  # needed only for a cluster

    return ClusterPool(run_bundle, cluster_address)
