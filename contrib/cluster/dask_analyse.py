"""Reviews the games of a PGN in parts on a Dask cluster with a shared folder, and joins them.

    python contrib/cluster/dask_analyse.py games.pgn parts annotated.pgn --scheduler tcp://head:8786
"""

import argparse
import subprocess
import time
from pathlib import Path

from dask.distributed import Client, as_completed


def analyse(part, arguments):
    """Analyses a part, or goes on where a lost worker has stopped; returns its output."""
    output = Path(arguments.folder) / f"part-{part:05}.pgn"
    command = [arguments.program, "analyse", arguments.games, "--nodes", str(arguments.nodes)]
    command += ["--threads", "1", "--shard", f"{part}/{arguments.parts}", "--resume", "-o", output]
    # The process of a worker that is believed lost may still write the part, and locks it.
    for _ in range(10):
        status = subprocess.run(command).returncode
        if status in (0, 3):  # 3: games with errors were left out; the log names them.
            return output
        time.sleep(arguments.pause)
    raise RuntimeError(f"part {part}: status {status}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", help="a path that all workers can read")
    parser.add_argument("folder", help="a folder that all workers can write")
    parser.add_argument("output")
    parser.add_argument("--scheduler", help="address or file; default: a cluster on this machine")
    parser.add_argument("--parts", type=int, default=64)
    parser.add_argument("--nodes", type=int, default=50000, help="a position")
    parser.add_argument("--program", default="saavedra")
    parser.add_argument("--pause", type=float, default=15, help="seconds before a retry")
    arguments = parser.parse_args()
    for name in ("games", "folder"):
        setattr(arguments, name, str(Path(getattr(arguments, name)).resolve()))
    Path(arguments.folder).mkdir(parents=True, exist_ok=True)
    where = arguments.scheduler
    client = Client(scheduler_file=where) if where and Path(where).exists() else Client(where)
    parts = client.map(analyse, range(1, arguments.parts + 1), arguments=arguments, pure=False)
    for done, part in enumerate(as_completed(parts), 1):
        print(f"{done} of {arguments.parts} parts: {part.result()}", flush=True)
    with open(arguments.output, "wb") as output:
        for part in client.gather(parts):
            output.write(part.read_bytes())


if __name__ == "__main__":
    main()
