"""Frames between a process and one that works for it: a length in four bytes, then the content."""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator
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
    if sys.platform != "win32":
        os.nice(nice)
    request_frames: queue.Queue[bytes] = queue.Queue()
    # Requests are read in a thread: when the other process is gone, this one ends, even if its work hangs.
    threading.Thread(target=_read_requests, args=(request_stream, request_frames.put), daemon=True).start()

    def send_reply(content: bytes) -> None:
        reply_stream.write(to_frame(content))
        reply_stream.flush()

    return Frames(request_frames.get, send_reply)


def read_frames(stream: BinaryIO) -> Iterator[bytes]:
    """The contents of frames, until the stream ends. A frame that ends too early is left out."""
    while len(length_bytes := stream.read(4)) == 4:
        size = int.from_bytes(length_bytes, "big")
        if len(content := stream.read(size)) < size:
            return
        yield content


def _read_requests(request_stream: BinaryIO, handle_frame: Callable[[bytes], None]) -> None:
    """Passes each frame to `handle_frame`; ends the process at the end of the input."""
    for content in read_frames(request_stream):
        handle_frame(content)
    os._exit(0)
