"""``python -m saavedra`` runs the program."""

import shutil
import sys
import sysconfig

from . import main

if __name__ == "__main__":
    # The command `replay` starts the program by its path: the path of the installed script.
    sys.argv[0] = (
        shutil.which("saavedra", path=sysconfig.get_path("scripts"))
        or shutil.which("saavedra")
        or sys.argv[0]
    )
    main()
