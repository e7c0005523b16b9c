"""Texts made to be slow to identify: each takes time in proportion to its length, and a repository full of them ends."""

import itertools
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LARGEST = 1_900_000
"""Bytes: a text of a little more is not read."""
MOST_SECONDS = 1.5
"""Of processor time for one text; half a second on a machine of our own, other processors are slower and busy."""
MOST_GROWTH = 8
"""Four times the text takes four times as long, and some more for memory: twice that is no proportion."""
MOST_FOR_ALL = 120

MARKS = "a" + "\u0345\u0334" * 40
PIECES = {
    "list": "1. ",
    "list of lines": "\n1. ",
    "letters of a list": "(a) ",
    "figures": "1.1.1 ",
    "signs of copyright": "(c) ",
    "copyright": "copyright ",
    "notices": "Copyright 2020 Foo\n",
    "quoted notices": '"copyright (c) ',
    "rights": "all rights reserved\n",
    "names": "neither the name of a ",
    "brackets": "(" * 1900 + "\nSPDX-License-Identifier: " + "(" * 1900 + "\n",
    "tags": "SPDX-License-Identifier: MIT\n",
    "stars": "*",
    "blanks": " ",
    "HTML": "<",
    "one word": "a",
    "marks": "\u0345\u0334",
    "marks above letters": MARKS,
    "ligatures": "\ufdfa",
    "Chinese": "\u8bb8\u53ef license ",
    "sentences around": "foo is released under the mit license ",
    "names of signs": "&amp;&#38;",
    "scripts of pages": "<html><script>",
    "numbers below headings": "\n1. FOO BAR\n1. Foo",
    "first words": "redistribution and use in source and binary forms ",
}
"""Each is repeated to the length that is asked for, behind a word of the law."""


def attack(*, short, say):
    """Every family in two lengths, altered licences among whole ones, then a repository of many such files."""
    from audit.texts.identification import detect  # loading its tables is not what is measured

    detect("MIT License: permission")
    through = []
    for name, piece in _families():
        # In a short run the longer of the two is a quarter of the largest.
        sizes = (LARGEST // 16, LARGEST // 4) if short else (LARGEST // 4, LARGEST)
        little, much = (_seconds(detect, _text(piece, size)) for size in sizes)
        say(f"{name}: {sizes[0]:,} bytes {little:.2f} s, {sizes[1]:,} bytes {much:.2f} s")
        if much > MOST_SECONDS or (much > 0.2 and much > MOST_GROWTH * little):
            through.append(f"{name}: {little:.2f} s, four times the text {much:.2f} s")
    return through + _repository(say, files=3 if short else 360)


def _families():
    from audit.licenses.spdx import texts

    known = texts()
    altered = known["BSD-3-Clause"].replace("redistributions", "zebras", 1).replace("Redistributions", "Zebras", 1)
    long = known["CC-BY-SA-4.0"].replace("rights", "zebras", 1)
    said = "the mit license the mit " * 38
    mixed = {
        "sentences between licences": f"{known['MIT']}\n\n{said}\n\n",
        "whole and altered licences": f"{known['MIT']}\n\n{altered}\n\n",
        "whole and long altered licences": f"{known['MIT']}\n\n{long}\n\n",
    }
    return itertools.chain(PIECES.items(), mixed.items())


def _text(piece, size):
    """So many bytes at most, as a file of that size would hold them."""
    text = f"license {piece * (size // len(piece.encode()))}"
    return text.encode()[:size].decode(errors="ignore")


def _seconds(detect, text):
    started = time.process_time()
    detect(text)
    return time.process_time() - started


def _repository(say, *, files):
    """Folders with a licence each that is none, and the command that audits them; it ends and says what it left out."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "attacked")
        for number in range(files):
            place = root / "third_party" / f"p{number}"
            place.mkdir(parents=True)
            place.joinpath("LICENSE").write_text(f"license {number}\n" + "1. " * (LARGEST // 3 - 10), encoding="utf-8")
        command = [sys.executable, "-m", "bot", "audit", str(root), "--offline", "--format", "json"]
        started = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, timeout=MOST_FOR_ALL * 3, check=False, text=True)
        except subprocess.TimeoutExpired:
            return [f"a repository of {files} such files is not audited in {MOST_FOR_ALL * 3} s"]
        took = time.monotonic() - started
    told = "tree/cut-short" in done.stdout
    say(
        f"a repository of {files} such files: {took:.1f} s, {'with' if told else 'without'} a finding that it was cut short"
    )
    through = [f"a repository of {files} such files takes {took:.0f} s"] if took > MOST_FOR_ALL else []
    return through + (
        [f"the audit of {files} files left some out and did not say so"] if files > 100 and not told else []
    )


if __name__ == "__main__":
    import program

    sys.exit(program.main(attack))
