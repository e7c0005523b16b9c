"""The log of the records, written with each change and read by administrators. Whoever changes a record comes in here."""
