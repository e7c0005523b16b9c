"""Lines that say whose a work is and where its authors are reached: where they stand in a text, and which of them are the work's own.

The comparison of texts comes in here, and the reports.
"""
