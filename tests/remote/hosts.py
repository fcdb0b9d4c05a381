"""Hosts with their own networks, on a link that is slow and loses packets.

Each is a network namespace with one Ethernet device. The cable is in this process: it hands on each frame after a
while, or not at all. (The kernel's own `netem` would do the same; not every kernel has it.)
"""

from __future__ import annotations

import fcntl
import os
import random
import struct
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from heapq import heappop, heappush
from selectors import EVENT_READ, DefaultSelector
from threading import Thread
from typing import NamedTuple
from uuid import uuid4

TUNSETIFF, TAP, NO_HEADER = 0x400454CA, 0x0002, 0x1000
FRAME = 1 << 16


class NoHostsError(Exception):
    """Namespaces can't be made here."""


class Host(NamedTuple):
    """A namespace, and the address of the host that is in it."""

    space: str
    address: str

    def within(self, *words: str) -> list[str]:
        """The command line that runs a command in the namespace."""
        return ["ip", "netns", "exec", self.space, *words]


class Cable(Thread):
    """Hands on what comes from each end to all others, `delay` seconds later, and loses a part of it."""

    def __init__(self, ends: Sequence[int], delay: float, loss: float) -> None:
        super().__init__(daemon=True)
        self.ends, self.delay, self.loss = ends, delay, loss
        self.lost = self.passed = 0
        self.stopped = False

    def run(self) -> None:
        chance, waiting = random.Random(7), list[tuple[float, int, bytes]]()
        with DefaultSelector() as selector:
            for end in self.ends:
                selector.register(end, EVENT_READ)
            while not self.stopped:
                wait = waiting[0][0] - time.monotonic() if waiting else 0.2
                for key, _ in selector.select(max(0.0, wait)):
                    frame = os.read(key.fd, FRAME)
                    if chance.random() < self.loss:
                        self.lost += 1
                        continue
                    self.passed += 1
                    due = time.monotonic() + self.delay * chance.uniform(0.8, 1.2)  # some overtake others
                    heappush(waiting, (due, key.fd, frame))
                while waiting and waiting[0][0] <= time.monotonic():
                    _, sender, frame = heappop(waiting)
                    for end in self.ends:
                        if end != sender:
                            with suppress(OSError):  # nobody is there yet, or any more
                                os.write(end, frame)


@contextmanager
def hosts(number: int, *, delay: float, loss: float) -> Iterator[tuple[list[Host], Cable]]:
    """So many hosts on one cable. Raises `NoHostsError`."""
    name = f"zim{uuid4().hex[:6]}"
    with ExitStack() as stack:
        joined_hosts, ends = list[Host](), list[int]()
        for at in range(number):
            host = Host(f"{name}-{at}", f"10.77.0.{at + 1}")
            ip("netns", "add", host.space)
            stack.callback(ip, "netns", "del", host.space)
            end = open_tap(f"{name}{at}")
            stack.callback(os.close, end)
            ip("link", "set", f"{name}{at}", "netns", host.space)
            for words in (
                ["addr", "add", f"{host.address}/24", "dev", f"{name}{at}"],
                ["link", "set", f"{name}{at}", "up"],
            ):
                ip("-n", host.space, *words)
            ip("-n", host.space, "link", "set", "lo", "up")
            joined_hosts.append(host)
            ends.append(end)
        cable = Cable(ends, delay, loss)
        cable.start()
        try:
            yield joined_hosts, cable
        finally:
            cable.stopped = True
            cable.join()


def open_tap(device: str) -> int:
    """An end of the cable: what is written to it comes out of an Ethernet device of that name."""
    try:
        end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(end, TUNSETIFF, struct.pack("16sH", device.encode(), TAP | NO_HEADER))
    except OSError as error:
        raise NoHostsError(f"no device can be made: {error.strerror}") from error
    return end


def ip(*words: str) -> None:
    """Changes the network."""
    try:
        process = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    except OSError as error:
        raise NoHostsError(f"no ip on this machine: {error.strerror}") from error
    if process.returncode:
        raise NoHostsError(f"ip {' '.join(words)}: {process.stderr.strip()}")
