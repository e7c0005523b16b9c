"""Text that pages show: its language, findings in words, differences between two versions of an agreement.

Every page may come in; what is here asks no record.
"""
