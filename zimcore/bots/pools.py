"""Pools of workers: processes of this machine, or nodes of a cluster. See `process_pool` and `cluster`."""

from __future__ import annotations

from zimcore.bots.process_pool import Pool, ProcessPool, RunBundle, Task, TaskResult


def make_pool(
    worker_count: int, cluster_address: str | None, run_bundle: RunBundle[Task, TaskResult], task_count: int
) -> Pool[Task, TaskResult]:
    """A pool for a number of tasks: processes of this machine or, with an address, the nodes of a cluster.

    Raises `GameError` if there is no cluster at that address.
    """
    if cluster_address is None:
        return ProcessPool(run_bundle, min(worker_count, task_count or 1))
    from zimcore.bots.cluster import ClusterPool  # needed only for a cluster

    return ClusterPool(run_bundle, cluster_address)
