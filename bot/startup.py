"""Before serving: everything that an operator could have got wrong, each as one line that says what to do."""

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

import migrations
from agreements.catalog import Catalog, CatalogBroken
from agreements.vault import KeyRing, KeysInvalid
from bot import db, rulebook
from bot.documents import DocumentInvalid
from bot.engine.durable import DurableEngine
from bot.hub.ports import Refused
from bot.hub.pygithub import connect
from bot.settings import Settings


def check(settings: Settings, role: str) -> str | None:
    """The first thing that would keep the server from working; None when all is well.

    A process that is web and worker at once brings the schema up to date itself; replicas leave that to `migrate`.
    GitHub being away is no problem here: work waits until it is back.
    """
    return _keys(settings) or _catalog() or _rulebook(settings) or _database(settings, role) or _app(settings)


def _keys(settings: Settings) -> str | None:
    try:
        KeyRing.parse(settings.keys.reveal())
    except KeysInvalid as error:
        return f"COUNTERSIGN_KEYS: {error}"
    return None


def _rulebook(settings: Settings) -> str | None:
    if settings.rulebook_path is None:
        return None
    try:
        text = settings.rulebook_path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        return f"COUNTERSIGN_RULEBOOK: cannot read {settings.rulebook_path}: {why}"
    try:
        rulebook.page(text)
    except DocumentInvalid as error:
        return f"COUNTERSIGN_RULEBOOK: {settings.rulebook_path}, {error.errors[0]}"
    return None


def _catalog() -> str | None:
    try:
        Catalog.load()
    except CatalogBroken as error:
        return str(error)
    return None


def _database(settings: Settings, role: str) -> str | None:
    if role != "all" and settings.database_url.startswith("sqlite"):
        return f"--role {role} needs PostgreSQL: set COUNTERSIGN_DATABASE_URL=postgresql://…"
    engine = db.open_engine(settings.database_url)
    try:
        return _schema(engine, role)
    except SQLAlchemyError as error:
        return db.explain(error)
    finally:
        engine.dispose()


def _schema(engine: Engine, role: str) -> str | None:
    if role == "all":
        migrations.upgrade(engine)
        DurableEngine(engine, executor_id="startup").prepare()
        return None
    at = migrations.current(engine)
    return (
        None
        if at == migrations.newest()
        else "the database has another schema than this release: run countersign migrate"
    )


def _app(settings: Settings) -> str | None:
    try:
        connect(
            api_url=settings.github_api_url, app_id=settings.app_id, private_key=settings.private_key.reveal()
        ).identity()
    except Refused as error:
        return f"COUNTERSIGN_APP_ID, COUNTERSIGN_PRIVATE_KEY: {error}"
    except Exception:  # noqa: BLE001 - GitHub being away is no reason not to serve
        return None
    return None
