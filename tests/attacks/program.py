"""What every attack is: a program that tries something, says what it measured, and exits 1 when anything got through."""

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))


def main(attack):
    """Run one attack from the command line; `attack(short=…, say=…)` gives a line for each thing that got through."""
    words = argparse.ArgumentParser(description=attack.__doc__)
    words.add_argument("--short", action="store_true", help="a few seconds, as the tests run it")
    through = attack(short=words.parse_args().short, say=lambda line: print(line, flush=True))
    for line in through:
        print(f"GOT THROUGH: {line}")
    return 1 if through else 0
