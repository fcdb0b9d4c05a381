"""A fair queue: who gets the next turn at a worker. The account that used the least time goes first.

Work is shared between accounts, and the time of an account between its askers: the seats, spectators and feeds of its
games. Only accounts have shares of their own, because only the operator creates accounts: a host can make any number of
games and tokens. Time is measured, not estimated: a job is charged when it is done.

The queue has no clock and no thread: see `workers` for both.

In other words: start-time fair queueing, fair scheduling, hierarchical scheduling.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from typing import Generic, NamedTuple, TypeVar

JobT = TypeVar("JobT")

MIN_USERS_BEFORE_CLEANUP = 1000
"""Users whose times are stored before the first clean-up."""


class Payer(NamedTuple):
    """Who pays for a job: an account, "" for all clients without a known one; and the asker within the account."""

    account: str
    asker: str


class Shares:
    """The time that each of several users has used, in seconds.

    A newcomer starts at the time of the user who had the last turn, so that time in which you asked nothing is not
    saved up.
    """

    def __init__(self) -> None:
        self._used_seconds = dict[str, float]()
        self._newcomer_seconds = 0.0
        self._cleanup_size = MIN_USERS_BEFORE_CLEANUP

    def used_seconds(self, user: str) -> float:
        """What a user has used; never less than the start of a newcomer."""
        return max(self._used_seconds.get(user, 0.0), self._newcomer_seconds)

    def least_served(self, waiting_users: Iterable[str], skipped_users: Collection[str] = ()) -> str | None:
        """The waiting user who used the least, the first one of several; None if all are passed over."""
        self._newcomer_seconds = min(map(self.used_seconds, waiting_users), default=self._newcomer_seconds)
        return min((user for user in waiting_users if user not in skipped_users), key=self.used_seconds, default=None)

    def charge(self, user: str, seconds: float) -> None:
        """Adds to the time of a user."""
        self._used_seconds[user] = self.used_seconds(user) + seconds
        if len(self._used_seconds) > self._cleanup_size:
            # A user at the start is like a newcomer.
            self._used_seconds = {
                user: used_seconds
                for user, used_seconds in self._used_seconds.items()
                if used_seconds > self._newcomer_seconds
            }
            self._cleanup_size = max(MIN_USERS_BEFORE_CLEANUP, 2 * len(self._used_seconds))


class FairQueue(Generic[JobT]):
    """Jobs that wait, each with its payer.

    The jobs of an asker keep their order. A newcomer waits for the running job, and for at most one job of each other
    account, never for all that another account has queued.
    """

    def __init__(self) -> None:
        self._waiting_jobs = dict[str, dict[str, deque[JobT]]]()
        self._account_shares = Shares()
        self._asker_shares = dict[str, Shares]()
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
        account = self._account_shares.least_served(self._waiting_jobs, skipped_accounts)
        if account is None:
            return None
        asker = self._asker_shares.setdefault(account, Shares()).least_served(self._waiting_jobs[account])
        assert asker is not None
        payer = Payer(account, asker)
        return payer, self._take(payer, newest_first=False)

    def charge(self, payer: Payer, seconds: float) -> None:
        """Charges a payer for a job that is done, and took this long."""
        if not self._length:
            # No one waits, so no one is owed a turn.
            self._account_shares = Shares()
            self._asker_shares.clear()
            return
        self._account_shares.charge(payer.account, seconds)
        if payer.account in self._waiting_jobs:
            self._asker_shares.setdefault(payer.account, Shares()).charge(payer.asker, seconds)
        else:
            self._asker_shares.pop(payer.account, None)

    def _drop(self, newest_payer: Payer) -> JobT:
        """Removes the last job of the asker with most waiting, in the account with most; of several, the newest."""
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
