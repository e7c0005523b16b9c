"""The log of the records, written with each change and read by administrators. Each entry names the account that made its change."""
