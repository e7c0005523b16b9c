"""Receipts as PDF: made, signed, and read again.

Each PDF is made and read by a process of its own with limits. The portal and the command line come in by `typesetter`,
`signature` and `receipt_reader`.
"""
