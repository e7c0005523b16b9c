"""How old the licence data is."""

from typing import Final

from audit.licenses import data_age
from audit.licenses.osadl import MatrixInvalid
from bot.clock import Clock
from bot.doctor.report import DoctorCheck, DoctorResult
from bot.licenses import matrix_file
from bot.settings import Settings

_FRESH: Final = DoctorCheck("licenses.data", "low")


def judge(settings: Settings, clock: Clock) -> DoctorResult:
    """Of what comes with Countersign and what `license refresh` stored, the newer one."""
    try:
        found = matrix_file.current(settings.license_data)
    except (MatrixInvalid, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        return _FRESH.failed(
            f"{settings.license_data} cannot be used: {why}.",
            "Download the data again and run `countersign license refresh FILE`.",
        )
    said = f"The licence data is of {data_age.said([found.date], clock())}."
    if data_age.outdated([found.date], clock()):
        return _FRESH.failed(said, f"Download {data_age.SOURCE} and run `countersign license refresh FILE`.")
    return _FRESH.passed(said)
