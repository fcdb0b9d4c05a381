"""A fair queue: who gets the next turn at a worker. The account that used the least time goes first.

Work is shared between accounts, and the time of an account between its askers: the seats, spectators and feeds of its
games. Accounts compete with each other, but askers only within their account: only the operator creates accounts, while
a host can make any number of games and tokens. Time is measured, not estimated: a job is charged when it is done.

The queue has no clock and no thread: see `workers` for both.

In other words: start-time fair queueing, fair scheduling, hierarchical scheduling.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from typing import Generic, NamedTuple, TypeVar

JobT = TypeVar("JobT")

MIN_NAMES_BEFORE_CLEANUP = 1000
"""Accounts (or askers) whose times are stored before the first clean-up."""


class Payer(NamedTuple):
    """The account that pays for a job ("" if the client's account is unknown), and who asks within it."""

    account: str
    asker: str


class UsedTimes:
    """The seconds that each account has used, or each asker of an account, by name.

    A newcomer starts with the seconds of the one who waits and used the least, so that you can't save up time by asking
    nothing.
    """

    def __init__(self) -> None:
        self._used_seconds = dict[str, float]()
        self._newcomer_seconds = 0.0
        self._cleanup_size = MIN_NAMES_BEFORE_CLEANUP

    def used_seconds(self, name: str) -> float:
        """The seconds used under a name; never less than a newcomer's."""
        return max(self._used_seconds.get(name, 0.0), self._newcomer_seconds)

    def least_served(self, waiting_names: Iterable[str], skipped_names: Collection[str] = ()) -> str | None:
        """Who used the least of those who wait, the first one of several; None if all are passed over."""
        self._newcomer_seconds = min(map(self.used_seconds, waiting_names), default=self._newcomer_seconds)
        return min((name for name in waiting_names if name not in skipped_names), key=self.used_seconds, default=None)

    def charge(self, name: str, seconds: float) -> None:
        """Adds to the seconds used under a name."""
        self._used_seconds[name] = self.used_seconds(name) + seconds
        if len(self._used_seconds) > self._cleanup_size:
            # One with a newcomer's seconds is like a newcomer.
            self._used_seconds = {
                name: used_seconds
                for name, used_seconds in self._used_seconds.items()
                if used_seconds > self._newcomer_seconds
            }
            self._cleanup_size = max(MIN_NAMES_BEFORE_CLEANUP, 2 * len(self._used_seconds))


class FairQueue(Generic[JobT]):
    """Jobs that wait, each with its payer.

    The jobs of an asker keep their order. A newcomer waits for the running job, and for at most one job of each other
    account, never for all that another account has queued.
    """

    def __init__(self) -> None:
        self._waiting_jobs = dict[str, dict[str, deque[JobT]]]()
        self._account_times = UsedTimes()
        self._asker_times = dict[str, UsedTimes]()
        self._length = 0

    def __len__(self) -> int:
        """The number of waiting jobs."""
        return self._length

    @property
    def accounts(self) -> Collection[str]:
        """The accounts with waiting jobs."""
        return self._waiting_jobs.keys()

    def add(self, payer: Payer, job: JobT, max_waiting: int) -> JobT | None:
        """Adds a job. If more than `max_waiting` wait now, returns the one to refuse: the last of the longest queue."""
        self._waiting_jobs.setdefault(payer.account, {}).setdefault(payer.asker, deque()).append(job)
        self._length += 1
        return self._drop(payer) if self._length > max_waiting else None

    def next(self, skipped_accounts: Collection[str] = ()) -> tuple[Payer, JobT] | None:
        """Takes the job whose turn it is; None if none waits, or only those of accounts to pass over."""
        account = self._account_times.least_served(self._waiting_jobs, skipped_accounts)
        if account is None:
            return None
        asker = self._asker_times.setdefault(account, UsedTimes()).least_served(self._waiting_jobs[account])
        assert asker is not None
        payer = Payer(account, asker)
        return payer, self._take(payer, newest_first=False)

    def charge(self, payer: Payer, seconds: float) -> None:
        """Charges a payer for a job that is done, and took this long."""
        if not self._length:
            # No one waits, so no one is owed a turn.
            self._account_times = UsedTimes()
            self._asker_times.clear()
            return
        self._account_times.charge(payer.account, seconds)
        if payer.account in self._waiting_jobs:
            self._asker_times.setdefault(payer.account, UsedTimes()).charge(payer.asker, seconds)
        else:
            self._asker_times.pop(payer.account, None)

    def _drop(self, newest_payer: Payer) -> JobT:
        """Removes the last job of the asker with most waiting, in the account with most; of equals, `newest_payer`."""
        job_counts = {account: sum(map(len, queues.values())) for account, queues in self._waiting_jobs.items()}
        account = max(
            job_counts, key=lambda account_name: (job_counts[account_name], account_name == newest_payer.account)
        )
        jobs_by_asker = self._waiting_jobs[account]
        asker = max(jobs_by_asker, key=lambda name: (len(jobs_by_asker[name]), Payer(account, name) == newest_payer))
        return self._take(Payer(account, asker), newest_first=True)

    def _take(self, payer: Payer, *, newest_first: bool) -> JobT:
        jobs_by_asker = self._waiting_jobs[payer.account]
        jobs = jobs_by_asker[payer.asker]
        job = jobs.pop() if newest_first else jobs.popleft()
        self._length -= 1
        if not newest_first:  # among equals the one who had a turn comes last: a dict keeps its order
            jobs_by_asker[payer.asker] = jobs_by_asker.pop(payer.asker)
            self._waiting_jobs[payer.account] = self._waiting_jobs.pop(payer.account)
        if not jobs:
            del jobs_by_asker[payer.asker]
        if not jobs_by_asker:
            del self._waiting_jobs[payer.account]
        return job
