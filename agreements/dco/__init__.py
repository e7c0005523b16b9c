"""The DCO: sign-offs, the trailers they stand in, remediations, and why one does not count.

Pure; only the judge asks it, and what explains its verdicts.
"""
