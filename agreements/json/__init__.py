"""Facts and verdicts as JSON, in and out. Commands and stored facts come in here; no rule does."""
