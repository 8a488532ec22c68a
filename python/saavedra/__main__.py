"""``python -m saavedra`` runs the program."""

import shutil
import sys
import sysconfig

from . import main

# The command `replay` starts the program by its path: the path of the installed script.
scripts = sysconfig.get_path("scripts")
sys.argv[0] = shutil.which("saavedra", path=scripts) or shutil.which("saavedra") or sys.argv[0]
main()
