"""The age of the licence data, and whether there is newer data to install."""

import re
from typing import Final

import requests
from urllib3.exceptions import HTTPError

from audit.licenses import data_age
from audit.licenses.osadl import MatrixInvalid
from bot.clock import Clock
from bot.doctor.doctor_report import DoctorCheck, DoctorResult
from bot.licenses import matrix_file
from bot.settings import Settings

CHECK: Final = DoctorCheck("licenses.data", "low")
_TIMEOUT_SECONDS: Final = 3.0  # All questions together have nine.
_HEAD_BYTES: Final = 4096  # OSADL's file begins with the moment of its data; all of it has 4 MB.
_TIMESTAMP: Final = re.compile(rb'"timestamp"\s*:\s*"(\d{4}-\d{2}-\d{2})T')


def judge(settings: Settings, clock: Clock, *, source: str = data_age.SOURCE) -> DoctorResult:
    """Judge the newer of what comes with Countersign and what `license refresh` stored; `source` is OSADL's address."""
    try:
        found = matrix_file.current(settings.license_data)
    except (MatrixInvalid, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        return CHECK.failed(
            f"{settings.license_data} cannot be used: {why}.",
            "Download the data again and run `countersign license refresh FILE`.",
        )
    how = f"Download {data_age.SOURCE} and run `countersign license refresh FILE`."
    said = f"The licence data is of {data_age.said([found.date], clock())}."
    # Data of up to three years is good enough to pass, also where OSADL publishes newer data.
    if data_age.outdated([found.date], clock()):
        return CHECK.failed(said, how)
    # OSADL is not asked where COUNTERSIGN_REGISTRIES says that no registry is asked.
    newest = _published(source) if settings.registries.addresses else None
    if newest is not None and newest > found.date:
        return CHECK.passed(f"{said} OSADL has newer data of {newest}: to use it, d{how[1:]}")
    return CHECK.passed(said)


def _published(source: str) -> str | None:
    """The day of the data that OSADL publishes; None where it does not say."""
    # Without compression, since only the beginning is read.
    head = {"Range": f"bytes=0-{_HEAD_BYTES - 1}", "Accept-Encoding": "identity"}
    try:
        with requests.get(source, headers=head, timeout=_TIMEOUT_SECONDS, stream=True) as answer:
            begin = answer.raw.read(_HEAD_BYTES) if answer.ok else b""  # A server may ignore the range.
    except (requests.RequestException, HTTPError, OSError):
        return None
    found = _TIMESTAMP.search(begin)
    return found[1].decode() if found else None
