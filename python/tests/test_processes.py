"""Engines in forked processes, shared by threads, in asyncio, and pickled."""

import asyncio
import copy
import pickle
import subprocess
import sys
import threading

import pytest
from saavedra import Board, Engine

forks = pytest.mark.skipif(sys.platform == "win32", reason="no fork")

# What a child of a fork does with the engine and the stream of its parent, and what it prints.
CHILD = """
import os, sys
from saavedra import Board, Engine

engine, board = Engine(hash=2, MultiPV=3), Board()
stream = engine.stream(board) if {streaming} else None
if stream: next(stream)
child = os.fork()
if child == 0:
    {code}
    sys.stdout.flush()
    {end}
_, status = os.waitpid(child, 0)
assert status == 0, status
if stream: assert next(stream)["depth"] >= 1
assert engine.analyse(board, depth=4)["depth"] == 4
print("parent")
"""

ANALYSE = "print(engine.analyse(board, depth=5)['depth'])"
READ = """
    try: next(stream)
    except RuntimeError as error: print('parent process' in str(error))
"""


def run(code):
    """Runs a program in a process of its own; what it prints. It can be ended should it hang."""
    result = subprocess.run(
        [sys.executable, "-c", code], timeout=60, capture_output=True, text=True
    )
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    return result.stdout.split()


@forks
@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("end", ["sys.exit(0)", "os._exit(0)"])
@pytest.mark.parametrize(
    "code, printed",
    [
        (ANALYSE, ["5"]),
        ("print(next(engine.stream(board))['depth'])", ["1"]),
        ("engine.new_game(); engine.stop(); print('ended')", ["ended"]),
        ("engine.set_option('Hash', 4); " + ANALYSE, ["5"]),
        ("del engine, stream; print('deleted')", ["deleted"]),
        ("engine.close(); print('closed')", ["closed"]),
        ("pass", []),
    ],
)
def test_a_forked_child_has_an_engine_of_its_own(streaming, end, code, printed):
    code = CHILD.format(streaming=streaming, code=code, end=end)
    assert run(code) == [*printed, "parent"]


@forks
def test_a_forked_child_cannot_read_a_stream_of_its_parent():
    code = CHILD.format(streaming=True, code=READ.strip(), end="sys.exit(0)")
    assert run(code) == ["True", "parent"]


@forks
@pytest.mark.parametrize(
    "pool",
    [
        "multiprocessing.get_context('fork').Pool(2)",
        "ProcessPoolExecutor(2, mp_context=multiprocessing.get_context('fork'))",
    ],
)
@pytest.mark.parametrize("used", [False, True])
def test_workers_of_a_pool_use_the_engine_of_the_module(pool, used):
    code = f"""
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from saavedra import Board, Engine

engine = Engine(hash=2)
if {used}: engine.analyse(Board(), depth=3)

def depth_of(depth):
    return engine.analyse(Board(), depth=depth)["depth"]

if __name__ == "__main__":
    with {pool} as pool:
        print(*pool.map(depth_of, [3, 4, 5, 6]))
"""
    assert run(code) == ["3", "4", "5", "6"]


@forks
def test_a_child_may_be_forked_while_another_thread_searches():
    code = """
import os, threading
from saavedra import Board, Engine

engine = Engine(hash=2)
thread = threading.Thread(target=lambda: engine.analyse(Board(), depth=200))
thread.start()
for _ in range(20):
    child = os.fork()
    if child == 0:
        assert engine.analyse(Board(), depth=3)["depth"] == 3
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
while thread.is_alive():
    engine.stop()
    thread.join(0.01)
print("ended")
"""
    assert run(code) == ["ended"]


def test_the_calls_of_threads_run_one_after_the_other():
    engine, board = Engine(hash=2), Board()
    results = [[] for _ in range(8)]

    def analyse(thread):
        for call in range(100):
            depth = 1 + (thread + call) % 6
            result = engine.analyse(board, depth=depth)
            results[thread].append((result["depth"], depth, result["done"]))

    threads = [threading.Thread(target=analyse, args=(thread,)) for thread in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        assert len(result) == 100
        assert all(depth == wanted and done for depth, wanted, done in result)


def test_a_call_waits_for_the_stream_of_another_thread_and_ends_its_own():
    engine, board = Engine(hash=2), Board()
    stream = engine.stream(board)
    next(stream)
    waited = []
    thread = threading.Thread(
        target=lambda: waited.append(engine.analyse(board, depth=4)["depth"])
    )
    thread.start()
    thread.join(0.2)
    assert thread.is_alive()
    # The call of this thread ends its stream, and comes after the call that waits.
    assert engine.analyse(board, depth=5)["depth"] == 5
    thread.join()
    assert waited == [4]
    with pytest.raises(RuntimeError, match="another call of the engine has ended this stream"):
        next(stream)
    # A loop that was left needs no end.
    for _ in range(3):
        for result in engine.stream(board):
            if result["depth"] == 3:
                break
        assert engine.analyse(board, depth=4)["depth"] == 4
    # A stream that was stopped before has its results.
    stream = engine.stream(board)
    next(stream)
    stream.stop()
    assert engine.analyse(board, depth=4)["depth"] == 4
    assert list(stream)[-1]["done"]
    stream = engine.stream(board)
    next(stream)
    stream.stop()
    assert list(stream)[-1]["done"]


def test_a_stream_is_read_by_one_thread():
    engine = Engine(hash=2)
    stream = engine.stream(Board())
    errors = []

    def read():
        try:
            for _ in stream:
                pass
        except RuntimeError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    while all(thread.is_alive() for thread in threads):
        threads[0].join(0.01)
    stream.stop()
    for thread in threads:
        thread.join()
    assert errors == ["another thread is reading this stream"]


def test_asyncio():
    async def main():
        engine, board = Engine(hash=2), Board()
        depths = [result["depth"] async for result in engine.stream(board, depth=5)]
        assert depths == [1, 2, 3, 4, 5, 5]
        # A search without limits is cancelled.
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(forever(engine, board), 0.2)
        result = await asyncio.to_thread(engine.analyse, board, depth=3)
        assert result["depth"] == 3

    async def forever(engine, board):
        async for _ in engine.stream(board):
            pass

    asyncio.run(main())


def test_tasks_of_asyncio_do_not_share_an_engine_unnoticed():
    async def read(engine):
        return [result["depth"] async for result in engine.stream(Board(), depth=9)]

    async def main(engines):
        return await asyncio.gather(*map(read, engines), return_exceptions=True)

    engine = Engine(hash=2)
    *ended, last = asyncio.run(main([engine] * 3))
    assert last[-1] == 9
    for error in ended:
        assert isinstance(error, RuntimeError) and "another call" in str(error)
    for depths in asyncio.run(main([Engine(hash=2) for _ in range(3)])):
        assert depths[-1] == 9


def test_an_engine_is_closed():
    board = Board()
    with Engine(hash=2) as engine:
        stream = engine.stream(board)
        next(stream)
    assert list(stream)[-1]["done"]
    for call in [
        lambda: engine.analyse(board, depth=1),
        lambda: engine.stream(board),
        lambda: engine.set_option("Hash", 2),
        engine.new_game,
        engine.stop,
    ]:
        with pytest.raises(RuntimeError, match="closed"):
            call()
    engine.close()


def test_closing_an_engine_ends_the_calls_that_wait():
    engine, board = Engine(hash=2), Board()
    results, running = [], threading.Event()

    def analyse():
        try:
            results.append(engine.analyse(board, depth=200)["done"])
        except RuntimeError as error:
            results.append(str(error))

    def stream():
        for result in engine.stream(board):
            running.set()
        results.append(result["done"])

    threads = [threading.Thread(target=target) for target in (stream, analyse, analyse)]
    threads[0].start()
    running.wait()
    for thread in threads[1:]:
        thread.start()
        thread.join(0.1)
        assert thread.is_alive()
    engine.close()
    for thread in threads:
        thread.join()
    assert sorted(results, key=str) == [True, "the engine is closed", "the engine is closed"]


def test_an_engine_is_pickled_as_its_options():
    engine = Engine(hash=2, threads=2, Move_Overhead=20)
    engine.set_option("Contempt", 3)
    for other in [pickle.loads(pickle.dumps(engine)), copy.copy(engine)]:
        assert other.analyse(Board(), depth=3)["depth"] == 3
        assert other.__getnewargs_ex__() == engine.__getnewargs_ex__()
