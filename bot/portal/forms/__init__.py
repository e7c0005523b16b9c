"""Forms of several audiences: signing, what an agreement asks for, and values that people type.

Every page may come in; what is here stores nothing.
"""
