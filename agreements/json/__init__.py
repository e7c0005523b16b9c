"""Facts and verdicts as JSON, in and out. Used by commands and stored facts; no rule uses it."""
