"""Where tasks are done: by processes of this machine, or on the nodes of a cluster. See `workers` and `cluster`."""

from __future__ import annotations

from zimcore.bots.workers import Doing, Made, Processes, Task, Workers


def make_pool(workers: int, cluster: str | None, doing: Doing[Task, Made], tasks: int) -> Workers[Task, Made]:
    """A pool for so many tasks: processes of this machine, or with an address the nodes of a cluster.

    Raises `GameError` if there is no cluster at that address.
    """
    if cluster is None:
        return Processes(doing, min(workers, tasks or 1))
    from zimcore.bots.cluster import Nodes  # one machine plays without what a cluster needs

    return Nodes(doing, cluster)
