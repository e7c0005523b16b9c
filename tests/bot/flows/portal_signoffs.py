"""Sign-offs in the portal, as its page records them, for scenes on the simulated GitHub."""

from agreements.facts import Account
from agreements.store.people import person_rows, portal_signoffs
from agreements.store.people.portal_signoffs import PortalSignoffDraft
from bot import clock
from tests.within import within


def sign_off(scene, pull, who, *shas):
    """That person signs off these commits of the pull request (none: its head), and it is judged again; the row's id."""
    draft = PortalSignoffDraft(
        repository_id=pull.repository.id, number=pull.number, shas=shas or (pull.head_sha,), text_sha256="a" * 64,
        statement_id="test", statement_sha256="0" * 64, language="en", identity_proof="test",
    )  # fmt: skip
    with scene.sessions() as session:
        context = within(session, scene.services.vault, scene.clock(), clock.new_id, by=who.id)
        row = portal_signoffs.add(context, person_rows.ensure(context, Account(who.id, who.login)), draft)
        row_id = row.id
    scene.again(pull)
    return row_id


def signed_here(scene):
    """A pull request of mia's, with one commit that she signed off in the portal."""
    pull, _clone = scene.pull("Unsigned")
    scene.settle()
    sign_off(scene, pull, scene.mia)
    return pull
