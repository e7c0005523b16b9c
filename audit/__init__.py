"""Decides which licences fit: values in, verdict out.

The bot comes in by `scan`, `verdict` and `output`.
"""
