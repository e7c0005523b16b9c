"""A server's audits work with its settings and its database."""

from audit.facts import Source
from audit.licenses import osadl
from audit.licenses.declared_license import DeclaredLicense
from audit.sources.answers import Answer
from audit.store import answer_rows
from bot import clock
from bot.licenses import server_data
from bot.settings import Settings


def test_the_server_uses_the_shipped_matrix_and_the_answers_of_its_database(tmp_path, sessions):
    settings = Settings(license_data=tmp_path / "matrix.json")
    said = Answer(DeclaredLicense("MIT"), Source.REGISTRY, "https://x")
    with sessions() as session:
        answer_rows.keep(session, "pkg:npm/a@1", said, at=clock.now())

    assert server_data.matrix(settings).date == osadl.shipped().date
    assert server_data.lookup(settings, sessions, clock.now).known(["pkg:npm/a@1"]) == {"pkg:npm/a@1": said}
