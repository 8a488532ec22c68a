"""Streams in ``async for``."""

import asyncio

from ._results import Analysis
from ._saavedra import Stream


async def next_result(stream: Stream) -> Analysis:
    """The next result of a stream; a cancelled task ends the search."""
    try:
        result = await asyncio.to_thread(next, stream, None)
    except asyncio.CancelledError:
        stream.stop()
        raise
    if result is None:
        raise StopAsyncIteration
    return result
