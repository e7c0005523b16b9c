"""Records taken over from other tools: planned, written, decided. Used by the import command and the pages of administrators."""
