-- The role that `countersign serve` connects as: it can add records, but never change or remove one.
--
-- `countersign migrate` runs as the owner of the tables. After each migration the owner runs this file, which may be run
-- again at any time:   psql --set ON_ERROR_STOP=1 --file deploy/postgresql-roles.sql DATABASE
-- The first time it makes the role, for which the owner needs CREATEROLE; give it a password afterwards: \password countersign_app

BEGIN;

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'countersign_app') THEN
    CREATE ROLE countersign_app LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION;
  END IF;
END $$;

-- Whoever could make tables could hide ours behind theirs.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO countersign_app;

REVOKE ALL ON ALL TABLES IN SCHEMA public FROM countersign_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO countersign_app;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO countersign_app;

-- Evidence and its log: rows are added and read, nothing else. The triggers say the same to everybody; this says it
-- to a role that could not drop the triggers.
REVOKE UPDATE, DELETE ON ledger_entry, ledger_checkpoint, signature, withdrawal, released_text FROM countersign_app;
-- Which schema the database has is the owner's to say.
REVOKE INSERT, UPDATE, DELETE ON alembic_version, schema_floor FROM countersign_app;

-- The job queue's own tables, made by `countersign migrate` too.
GRANT USAGE ON SCHEMA dbos TO countersign_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA dbos TO countersign_app;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA dbos TO countersign_app;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA dbos TO countersign_app;

COMMIT;
