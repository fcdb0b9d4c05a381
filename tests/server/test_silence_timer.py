"""The timer for silence: it calls back once for each silence, and can be restarted after every kind of end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tests.timeouts import PATIENCE
from zimcore.server.wire.silence_timer import SilenceTimer


@pytest.mark.parametrize("end", [SilenceTimer.stop, SilenceTimer.cancel])
def test_a_timer_that_was_stopped_or_cancelled_can_be_restarted(end: Callable[[SilenceTimer], None]) -> None:
    async def restart_after_end() -> None:
        silence = asyncio.Event()
        timer = SilenceTimer(0.01, silence.set)
        timer.restart()
        end(timer)
        await asyncio.sleep(0.03)
        assert not silence.is_set()
        timer.restart()
        await asyncio.wait_for(silence.wait(), PATIENCE)

    asyncio.run(restart_after_end())
