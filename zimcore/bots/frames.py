"""Frames between a process and one that works for it: a length in four bytes, then the content."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from typing import BinaryIO, NamedTuple, cast


class Frames(NamedTuple):
    """The frames of a working process: `next_request` waits for a request, `send_reply` answers it."""

    next_request: Callable[[], bytes]
    send_reply: Callable[[bytes], None]


def to_frame(content: bytes) -> bytes:
    """Bytes with their length before them."""
    return len(content).to_bytes(4, "big") + content


def take_standard_streams(nice: int) -> Frames:
    """Takes this process's standard input and output for frames, and lowers its priority by `nice`.

    What it prints goes to standard error from here on.
    """
    request_stream, reply_stream = (
        cast(BinaryIO, os.fdopen(os.dup(0), "rb")),
        cast(BinaryIO, os.fdopen(os.dup(1), "wb")),
    )
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    os.nice(nice)
    request_frames: queue.Queue[bytes] = queue.Queue()
    # Requests are read in a thread: when the other process is gone, this one ends, even if its work hangs.
    threading.Thread(target=_read_frames, args=(request_stream, request_frames.put), daemon=True).start()

    def send_reply(content: bytes) -> None:
        reply_stream.write(to_frame(content))
        reply_stream.flush()

    return Frames(request_frames.get, send_reply)


def _read_frames(request_stream: BinaryIO, handle_frame: Callable[[bytes], None]) -> None:
    """Passes each frame to `handle_frame`; ends the process at the end of the input."""
    while length_bytes := request_stream.read(4):
        handle_frame(request_stream.read(int.from_bytes(length_bytes, "big")))
    os._exit(0)
