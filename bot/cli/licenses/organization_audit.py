"""The audit of an organisation on the command line: GitHub asked through the App of the settings, one line for what goes wrong."""

from hashlib import sha256

from bot.cli import github_app
from bot.cli.command_error import CommandError
from bot.cli.licenses import audit_input, progress
from bot.cli.setting import settings
from bot.github.ports import HubError
from bot.licenses.checkouts import AuditOptions, AuditResult
from bot.licenses.organization import NoOrganization, ReadingCache, audit
from bot.rulebook.yaml_document import DocumentInvalid


def audited(organization: str, options: AuditOptions) -> list[AuditResult]:
    """Every repository of the organisation, judged; with progress bars on a terminal. Raises CommandError."""
    # Beside the answers of registries; each GitHub has its own, since its numbers are its own.
    name = sha256(settings().github_api_url.encode()).hexdigest()[:12]
    memory = ReadingCache(settings().license_cache.parent / f"repositories-{name}", audit_input.say)
    # Patient: it reads many repositories, and a rate limit may last for a while.
    with github_app.connected(patience=120) as hub:
        try:
            with progress.bars() as on_step:
                found = list(audit(organization, hub, options, memory, on_step))
        except NoOrganization as error:
            raise CommandError(f"cannot audit {organization}: {error}") from None
        except DocumentInvalid as error:
            raise CommandError(
                "\n".join(f"the organisation's rulebook, {problem}" for problem in error.errors)
            ) from None
        except HubError as error:
            raise CommandError(f"GitHub: {error}; run this again to resume") from None
    audit_input.say_unlearned(found)
    return found
