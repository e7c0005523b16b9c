"""Decides which licences fit: values in, verdict out."""
