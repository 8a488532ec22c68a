"""``python -m saavedra`` runs the program."""

from . import main

main()
