"""What other tools recorded, taken over: planned, written, decided. The import command and the pages of administrators come in here."""
