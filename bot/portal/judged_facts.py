"""The facts that the newest verdict on a pull request rests on, as they are stored for the pages."""

from sqlmodel import Session

from agreements.github_server import GitHubServer
from agreements.vault import DecryptionFailed, Vault
from bot.rulebook import recorded_facts as records
from bot.rulebook.recorded_facts import CannotReplay, RecordedFacts
from bot.store.pulls import stored_facts
from bot.store.pulls.named_pulls import FoundPull, Past
from bot.store.pulls.stored_facts import StoredFacts


def kept(session: Session, vault: Vault, server: GitHubServer, pull: FoundPull, newest: Past) -> RecordedFacts | None:
    """The facts of the newest verdict; None if the kept ones are of an older head, or before the rulebook broke."""
    row = session.get(StoredFacts, pull.id)
    # While the rulebook is broken nothing is judged: the kept facts are of a verdict before.
    broken = any(str(entry["code"]).startswith("rulebook/") for entry in newest.codes)
    if row is None or row.head_sha != newest.head_sha or broken:
        return None
    try:
        return unpacked(vault, row, server, pull)
    except (DecryptionFailed, CannotReplay):
        return None


def unpacked(vault: Vault, row: StoredFacts, server: GitHubServer, pull: FoundPull) -> RecordedFacts:
    """The recorded facts. Raises DecryptionFailed, CannotReplay."""
    return records.unpack(stored_facts.decrypt(vault, row), server, owner_id=pull.owner_id)
