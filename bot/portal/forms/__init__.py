"""Forms of several audiences: how one is answered, signing, what an agreement asks for, and values that people type.

Every page may come in; only `form_action.change` opens a transaction that stores.
"""
