"""`python -m bot` is the command `countersign`."""

from bot.cli import main

main()
