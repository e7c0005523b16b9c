"""How rows are found and locked: checked keys, queries for columns, several queries as one.

Only the other folders of this store come in here.
"""
