"""People and their records: signatures, withdrawals, proven addresses, documents, requests to be erased. Of companies only the tables are used."""
