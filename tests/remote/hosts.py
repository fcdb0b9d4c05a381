"""Hosts with their own networks, on a link that is slow and loses packets.

Each is a network namespace with one Ethernet device. The cable is in this process: it passes each frame on after
a delay, or drops it. (The kernel's own `netem` would do the same; not every kernel has it.)
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
MAX_FRAME_SIZE = 1 << 16


class NoHostsError(Exception):
    """This machine can't make network namespaces."""


class Host(NamedTuple):
    """A namespace, and the address of the host that is in it."""

    namespace: str
    address: str

    def wrap_command(self, *words: str) -> list[str]:
        """The command line that runs a command in the namespace."""
        return ["ip", "netns", "exec", self.namespace, *words]


class Cable(Thread):
    """Passes frames from each end to all others, about `delay` seconds later, and drops a share `loss` of them."""

    def __init__(self, ends: Sequence[int], delay: float, loss: float) -> None:
        super().__init__(daemon=True)
        self.ends, self.delay, self.loss = ends, delay, loss
        self.lost_frames = self.passed_frames = 0
        self.is_stopped = False

    def run(self) -> None:
        rng, queue = random.Random(7), list[tuple[float, int, bytes]]()
        with DefaultSelector() as selector:
            for end in self.ends:
                selector.register(end, EVENT_READ)
            while not self.is_stopped:
                timeout = queue[0][0] - time.monotonic() if queue else 0.2
                for key, _ in selector.select(max(0.0, timeout)):
                    frame = os.read(key.fd, MAX_FRAME_SIZE)
                    if rng.random() < self.loss:
                        self.lost_frames += 1
                        continue
                    self.passed_frames += 1
                    due_time = time.monotonic() + self.delay * rng.uniform(
                        0.8, 1.2
                    )  # so that some frames overtake others
                    heappush(queue, (due_time, key.fd, frame))
                while queue and queue[0][0] <= time.monotonic():
                    _, sender, frame = heappop(queue)
                    for end in self.ends:
                        if end != sender:
                            with suppress(OSError):  # that end is not up yet, or closed
                                os.write(end, frame)


@contextmanager
def connect_hosts(count: int, *, delay: float, loss: float) -> Iterator[tuple[list[Host], Cable]]:
    """Connects `count` hosts by one cable. Raises `NoHostsError`."""
    prefix = f"zim{uuid4().hex[:6]}"
    with ExitStack() as stack:
        hosts, ends = list[Host](), list[int]()
        for index in range(count):
            host = Host(f"{prefix}-{index}", f"10.77.0.{index + 1}")
            change_network("netns", "add", host.namespace)
            stack.callback(change_network, "netns", "del", host.namespace)
            end = open_tap(f"{prefix}{index}")
            stack.callback(os.close, end)
            change_network("link", "set", f"{prefix}{index}", "netns", host.namespace)
            for words in (
                ["addr", "add", f"{host.address}/24", "dev", f"{prefix}{index}"],
                ["link", "set", f"{prefix}{index}", "up"],
            ):
                change_network("-n", host.namespace, *words)
            change_network("-n", host.namespace, "link", "set", "lo", "up")
            hosts.append(host)
            ends.append(end)
        cable = Cable(ends, delay, loss)
        cable.start()
        try:
            yield hosts, cable
        finally:
            cable.is_stopped = True
            cable.join()


def open_tap(device: str) -> int:
    """An end of the cable: what is written to it comes out of an Ethernet device of that name."""
    try:
        end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(end, TUNSETIFF, struct.pack("16sH", device.encode(), TAP | NO_HEADER))
    except OSError as error:
        raise NoHostsError(f"no device can be made: {error.strerror}") from error
    return end


def change_network(*words: str) -> None:
    """Runs `ip` with these words. Raises `NoHostsError`."""
    try:
        process = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    except OSError as error:
        raise NoHostsError(f"no ip on this machine: {error.strerror}") from error
    if process.returncode:
        raise NoHostsError(f"ip {' '.join(words)}: {process.stderr.strip()}")
