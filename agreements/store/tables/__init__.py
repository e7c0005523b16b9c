"""The tables of the records and the types of their columns. Only stores use them."""
