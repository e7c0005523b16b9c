"""The worker that reads a PDF tells its receipt and who signed the file; its limits come before the file."""

import json
import subprocess
import sys

import pytest

from bot.pdf import pdf_signature, receipt_worker
from tests.bot.pdf.pdf_files import pdf, signer

RECEIPT = ("receipt.json", '{"name": "李四"}'.encode())


def run(data):
    """The worker as it is started."""
    return subprocess.run([sys.executable, "-m", receipt_worker.__name__], input=data, capture_output=True, check=False)


@pytest.mark.slow
@pytest.mark.usefixtures("pades")
def test_the_receipt_and_the_certificate_of_the_whole_file_are_told():
    signed = pdf_signature.sign(pdf(RECEIPT), signer())

    assert json.loads(run(signed).stdout) == {"receipt": '{"name": "李四"}', "certificate": signer().sha256}
    assert json.loads(run(pdf(RECEIPT)).stdout) == {"receipt": '{"name": "李四"}', "certificate": None}
    assert receipt_worker.read(signed + b"\n") == {"receipt": '{"name": "李四"}', "certificate": None}


def test_without_the_extra_the_receipt_is_told_alone(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyhanko", None)

    assert receipt_worker.read(pdf(RECEIPT))["certificate"] is None


@pytest.mark.slow
def test_limits_are_set_before_the_file_is_read():
    program = (
        "import io, resource as r, sys; from bot.pdf import receipt_worker as w;"
        "sys.stdin = io.TextIOWrapper(io.BytesIO(b'x')); w.main();"
        "print(r.getrlimit(r.RLIMIT_AS)[0] == w.MAX_ADDRESS_SPACE_BYTES, r.getrlimit(r.RLIMIT_CPU)[0] == w.MAX_CPU_SECONDS)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert done.stdout == '{"problem": "unreadable"}True True\n'
