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

Job = TypeVar("Job")

MIN_KEPT = 1000
"""Times that are kept before the first clean-up."""


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
        self._used = dict[str, float]()
        self._start = 0.0
        self._most = MIN_KEPT

    def used(self, user: str) -> float:
        """What a user has used; never less than the start of a newcomer."""
        return max(self._used.get(user, 0.0), self._start)

    def least(self, waiting: Iterable[str], passed_over: Collection[str] = ()) -> str | None:
        """The waiting user who used the least, the first one of several; None if all are passed over."""
        self._start = min(map(self.used, waiting), default=self._start)
        return min((user for user in waiting if user not in passed_over), key=self.used, default=None)

    def charge(self, user: str, seconds: float) -> None:
        """Adds to the time of a user."""
        self._used[user] = self.used(user) + seconds
        if len(self._used) > self._most:
            # A user at the start is like a newcomer.
            self._used = {user: used for user, used in self._used.items() if used > self._start}
            self._most = max(MIN_KEPT, 2 * len(self._used))


class FairQueue(Generic[Job]):
    """Jobs that wait, each with its payer.

    The jobs of an asker keep their order. A newcomer waits for the running job, and for at most one job of each other
    account, never for all that another account has queued.
    """

    def __init__(self) -> None:
        self._waiting = dict[str, dict[str, deque[Job]]]()
        self._accounts = Shares()
        self._askers = dict[str, Shares]()
        self._length = 0

    def __len__(self) -> int:
        """The number of waiting jobs."""
        return self._length

    @property
    def accounts(self) -> Collection[str]:
        """The accounts with waiting jobs."""
        return self._waiting.keys()

    def add(self, payer: Payer, job: Job, most: int) -> Job | None:
        """Adds a job. If more than `most` wait now, returns the one to refuse: the last job of who has most waiting."""
        self._waiting.setdefault(payer.account, {}).setdefault(payer.asker, deque()).append(job)
        self._length += 1
        return self._drop(payer) if self._length > most else None

    def next(self, passed_over: Collection[str] = ()) -> tuple[Payer, Job] | None:
        """Takes the job whose turn it is; None if none waits, or only those of accounts to pass over."""
        account = self._accounts.least(self._waiting, passed_over)
        if account is None:
            return None
        asker = self._askers.setdefault(account, Shares()).least(self._waiting[account])
        assert asker is not None
        payer = Payer(account, asker)
        return payer, self._take(payer, last=False)

    def charge(self, payer: Payer, seconds: float) -> None:
        """Charges a payer for a job that is done, and took this long."""
        if not self._length:
            # No one waits, so no one is owed a turn.
            self._accounts = Shares()
            self._askers.clear()
            return
        self._accounts.charge(payer.account, seconds)
        if payer.account in self._waiting:
            self._askers.setdefault(payer.account, Shares()).charge(payer.asker, seconds)
        else:
            self._askers.pop(payer.account, None)

    def _drop(self, newest: Payer) -> Job:
        """Removes the last job of the asker with most waiting, in the account with most; of several, the newest."""
        jobs_waiting = {account: sum(map(len, asked.values())) for account, asked in self._waiting.items()}
        account = max(jobs_waiting, key=lambda each: (jobs_waiting[each], each == newest.account))
        askers = self._waiting[account]
        asker = max(askers, key=lambda each: (len(askers[each]), Payer(account, each) == newest))
        return self._take(Payer(account, asker), last=True)

    def _take(self, payer: Payer, *, last: bool) -> Job:
        askers = self._waiting[payer.account]
        jobs = askers[payer.asker]
        job = jobs.pop() if last else jobs.popleft()
        self._length -= 1
        if not last:  # among equals the one who had a turn comes last: a dict keeps its order
            askers[payer.asker] = askers.pop(payer.asker)
            self._waiting[payer.account] = self._waiting.pop(payer.account)
        if not jobs:
            del askers[payer.asker]
        if not askers:
            del self._waiting[payer.account]
        return job
