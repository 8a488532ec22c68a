"""Types and examples: the stub agrees with the module, and what the documents show runs."""

import doctest
import gzip
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import saavedra

PACKAGE = Path(__file__).parent.parent
READMES = [PACKAGE / "README.md", PACKAGE.parent / "README.md"]


@pytest.mark.parametrize("check", [["mypy.stubtest", "saavedra"], ["mypy", "--strict", "-p", "saavedra"]])
def test_the_types_are_those_of_the_module(check, tmp_path):
    pytest.importorskip("mypy", reason="mypy is missing")
    pytest.importorskip("chess", reason="python-chess is missing")
    # Outside the sources, so that the installed package is checked.
    result = subprocess.run(
        [sys.executable, "-m", *check], cwd=tmp_path, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("name", ["", *(m.name for m in pkgutil.iter_modules(saavedra.__path__))])
def test_the_examples_of_the_docstrings_run(name):
    if name == "chess_engine":
        pytest.importorskip("chess", reason="python-chess is missing")
    module = importlib.import_module(f"saavedra.{name}".rstrip("."))
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("readme", READMES, ids=str)
def test_the_examples_of_a_readme_run_one_after_another(readme, tmp_path, monkeypatch):
    pytest.importorskip("chess", reason="python-chess is missing")
    with gzip.open(tmp_path / "games.pgn.gz", "wt") as games:
        games.write('[White "Ann"]\n\n1. e4 e5 2. Nf3 *\n\n[White "Bob"]\n\n1. d4 d5 *\n')
    monkeypatch.chdir(tmp_path)
    names = {}
    examples = re.findall(r"^```python\n(.*?)^```", readme.read_text(), re.DOTALL | re.MULTILINE)
    assert examples
    for example in examples:
        exec(example, names)
