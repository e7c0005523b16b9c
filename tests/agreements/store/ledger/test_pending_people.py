"""People whom a transaction wrote wait for the entry that names them."""

from agreements.store.ledger import pending_people
from agreements.store.ledger.pending_people import PendingPerson
from tests.within import within


def test_each_person_is_noted_once_with_the_first_note(sessions, vault, at):
    with sessions() as session:
        context = within(session, vault, at)
        context.note_person("p1", "person.added")
        context.note_person("p1", "person.renamed")
        context.note_person("p2", "person.added")

        added = PendingPerson("person.added", vault, at, context.new_id)
        assert pending_people.take(session) == {"p1": added, "p2": added}
        assert pending_people.take(session) == {}


def test_a_transaction_s_end_clears_its_notes_and_a_savepoint_does_not(session, vault, at):
    context = within(session, vault, at)
    context.note_person("p1", "person.added")
    with session.begin_nested():
        pass
    assert len(pending_people.take(session)) == 1
    context.note_person("p1", "person.added")
    session.rollback()

    assert pending_people.take(session) == {}
