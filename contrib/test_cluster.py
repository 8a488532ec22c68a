"""Runs the scripts of contrib/cluster with the program `target/release/saavedra`:

    python -m pytest -rs contrib/test_cluster.py

Workers are killed in the middle; the joined output must be that of one undisturbed run. A test whose
cluster software is not installed is skipped.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "contrib" / "cluster"
PROGRAM = Path(os.environ.get("SAAVEDRA", ROOT / "target" / "release" / "saavedra"))
NODES, PARTS = "3000", "8"


def environment(**more):
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, **more}


def analyse(*arguments):
    command = [PROGRAM, "analyse", *arguments, "--nodes", NODES]
    return subprocess.run(command, capture_output=True, check=True).stdout


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    """Forty games, and their analysis in one run."""
    file = tmp_path_factory.mktemp("games") / "games.pgn"
    text = (ROOT / "tests" / "data" / "judged_games.pgn").read_text()
    each = ["[Event " + game.strip() + "\n\n" for game in text.split("[Event ")[1:]]
    file.write_text("".join(each[number % len(each)] for number in range(40)))
    return file, analyse(file)


def analyses(folder):
    """The processes that analyse a part to this folder, each with its parent."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if words[1:2] == [b"analyse"] and any(str(folder).encode() in word for word in words):
            found.append((int(process.name), parent))
    return found


def written(folder):
    return sum(part.stat().st_size for part in folder.glob("*.part") if part.exists())


def kill_a_worker(folder, with_child):
    """Kills a worker that has analysed a part of its games, with its analysis or without."""
    deadline = time.monotonic() + 120
    while not (running := analyses(folder)) or written(folder) == 0:
        assert time.monotonic() < deadline, "an analysis runs"
        time.sleep(0.01)
    analysis, worker = running[0]
    for process in [worker, analysis] if with_child else [worker]:
        with contextlib.suppress(ProcessLookupError):  # The analysis may just have ended.
            os.kill(process, signal.SIGKILL)


def run_and_kill(script, arguments, games, tmp_path, with_child):
    folder, output = tmp_path / "parts", tmp_path / "joined.pgn"
    folder.mkdir()
    command = [sys.executable, SCRIPTS / script, games[0], folder, output, *arguments]
    command += ["--parts", PARTS, "--nodes", NODES, "--program", PROGRAM, "--pause", "2"]
    script = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    kill_a_worker(folder, with_child)
    log, _ = script.communicate(timeout=300)
    assert script.returncode == 0, log.decode()
    assert f"{PARTS} of {PARTS} parts".encode() in log
    assert output.read_bytes() == games[1]
    assert not list(folder.glob("*.part")), "nothing else is left"


@pytest.mark.parametrize("with_child", [True, False])
def test_dask_with_two_workers_one_killed(games, tmp_path, with_child):
    pytest.importorskip("distributed", exc_type=ImportError)
    file = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    options = ["--scheduler-file", file, "--no-dashboard"]
    commands = [[*dask, "scheduler", "--port", "0", *options]]
    worker = [*dask, "worker", "--nthreads", "1", "--no-nanny", *options]
    commands += [worker, worker]
    processes = [subprocess.Popen(command, cwd=tmp_path) for command in commands]
    try:
        deadline = time.monotonic() + 60
        while not file.exists():
            assert time.monotonic() < deadline, "the scheduler starts"
            time.sleep(0.1)
        run_and_kill("dask_analyse.py", ["--scheduler", file], games, tmp_path, with_child)
        assert sorted(process.poll() is None for process in processes) == [False, True, True]
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.parametrize("with_child", [True, False])
def test_ray_with_two_workers_one_killed(games, tmp_path, with_child, monkeypatch):
    pytest.importorskip("ray", exc_type=ImportError)
    monkeypatch.setenv("RAY_OVERRIDE_RESOURCES", '{"CPU": 2}')
    run_and_kill("ray_analyse.py", [], games, tmp_path, with_child)


def test_spark(games, tmp_path):
    pytest.importorskip("pyspark", exc_type=ImportError)
    if not shutil.which("java"):
        pytest.skip("could not find java")
    output = tmp_path / "reviews"
    command = [sys.executable, SCRIPTS / "spark_analyse.py", games[0], output]
    command += ["--parts", "3", "--nodes", NODES, "--program", PROGRAM]
    subprocess.run(command, check=True, env=environment(PYSPARK_PYTHON=sys.executable))
    lines = [line for part in sorted(output.glob("part-*")) for line in part.read_text().splitlines()]
    expected = analyse(games[0], "--format", "json", "--compact").decode().splitlines()

    def without_number(line):
        return {**json.loads(line), "game": None}

    assert list(map(without_number, lines)) == list(map(without_number, expected))


def test_parallel_goes_on_after_it_is_killed(games, tmp_path):
    if not shutil.which("parallel"):
        pytest.skip("could not find GNU parallel")
    command = [SCRIPTS / "parallel.sh", games[0], tmp_path, PARTS, NODES]
    # In a group of its own, which is killed as if the machine had stopped.
    first = subprocess.Popen(command, env=environment(), start_new_session=True)
    while not analyses(tmp_path) or written(tmp_path) == 0:
        assert first.poll() is None, "it runs"
        time.sleep(0.01)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    for analysis, _ in analyses(tmp_path):
        with contextlib.suppress(ProcessLookupError):
            os.kill(analysis, signal.SIGKILL)
    again = subprocess.run(command, env=environment(), stdout=subprocess.PIPE, check=True)
    assert again.stdout == games[1]


def test_the_slurm_script_puts_interrupted_parts_back(games, tmp_path):
    """Without Slurm: each part is run as Slurm runs it."""
    control = tmp_path / "bin" / "scontrol"
    control.parent.mkdir()
    control.write_text(f"#!/bin/sh\necho \"$@\" >> {tmp_path}/requeued\n")
    control.chmod(0o755)
    # `kill` returns after the process has ended: the script must still learn its exit status.
    slow_kill = tmp_path / "slow_kill"
    slow_kill.write_text(
        'kill() { builtin kill "$@" || return; '
        'while builtin kill -0 "${@: -1}" 2>/dev/null; do sleep 0.01; done; }\n'
    )
    folder = tmp_path / "parts"
    for part in range(1, int(PARTS) + 1):
        task = {"SLURM_ARRAY_TASK_ID": str(part), "SLURM_JOB_ID": f"job{part}"}
        env = environment(**task)
        env["PATH"] = f"{control.parent}{os.pathsep}{env['PATH']}"
        env["BASH_ENV"] = str(slow_kill)
        command = ["bash", SCRIPTS / "slurm.sh", games[0], folder, PARTS, NODES]
        job = subprocess.Popen(command, env=env)
        if part == 1:
            while not folder.exists() or written(folder) == 0:
                assert job.poll() is None, "it runs"
                time.sleep(0.01)
            job.terminate()
            assert job.wait() == 0
            assert (tmp_path / "requeued").read_text() == "requeue job1\n"
            job = subprocess.Popen(command, env=env)
        assert job.wait() == 0
    joined = b"".join(part.read_bytes() for part in sorted(folder.glob("part-*.pgn")))
    assert joined == games[1]


def test_the_manifest_has_three_replicas_with_probes():
    yaml = pytest.importorskip("yaml")
    objects = list(yaml.safe_load_all((ROOT / "contrib" / "kubernetes.yaml").read_text()))
    by_kind = {found["kind"]: found for found in objects}
    deployment = by_kind["Deployment"]["spec"]
    (container,) = deployment["template"]["spec"]["containers"]
    assert deployment["replicas"] == 3
    assert container["readinessProbe"]["httpGet"]["path"] == "/ready"
    assert container["livenessProbe"]["httpGet"]["path"] == "/health"
    labels = deployment["template"]["metadata"]["labels"]
    assert by_kind["Service"]["spec"]["selector"] == labels
    assert by_kind["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    service = by_kind["Ingress"]["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
    assert service["name"] == by_kind["Service"]["metadata"]["name"]
